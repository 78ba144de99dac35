#!/bin/sh
# A sweep of a 72B on four MXC500 with a client that gives up after 120 s: are its failures the server's, or the client's patience?
# In virtual time; for real: `dyno sweep URL` instead of `dyno sim --profile …`.
set -eu
DYNO=${DYNO:-dyno}
DYNO_STORE=$(mktemp -d)
export DYNO_STORE
trap 'rm -rf "$DYNO_STORE"' EXIT

sweep() { # label, seconds of patience
  $DYNO sim --profile qwen2.5-72b-vllm-4xmxc500 --concurrency 8,16,32,64,100,128,150,200 -n 1000 --input-tokens 60 --output-tokens 100..600 \
    --no-stream --timeout "$2" --label "$1" --lenient --quiet
}
sweep patient-120s 120
echo
echo 'The same with a patience of 10 minutes:'
sweep patient-600s 600 | head -n 5
$DYNO report patient-120s --as markdown --lang zh | sed -n '1,4p;/失败/p'
