#!/bin/sh
# Two engines with one model on the same cards, as XInference beside vLLM on four T4: one is slower, and refuses some requests.
# Both are simulated over HTTP here; for real: the two addresses instead of the files with their urls.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
profile="$(dirname "$0")/09-tune-mindie/profile.json"
$DYNO engine --profile "$profile" --port 0 --quiet --speed 2 > "$work/vllm" & vllm=$!
$DYNO engine --profile "$profile" --port 0 --quiet --speed 1.2 --fault 503:0.05 > "$work/xinference" & xinference=$!
trap 'kill $vllm $xinference; rm -rf "$work"' EXIT
until [ -s "$work/vllm" ] && [ -s "$work/xinference" ]; do kill -0 $vllm $xinference; sleep 0.2; done

for name in vllm xinference; do
  $DYNO sweep "$(cat "$work/$name")" --label $name --variant $name --concurrency 4,16 -n 100 --max-tokens 16 --ignore-eos --lenient --quiet >/dev/null
done
$DYNO compare vllm xinference
$DYNO compare vllm xinference --fail-if 'failed>1%' >/dev/null ||
  echo "exit code $? (4: more than 1 % failed on one side; 5: this machine was too busy to be sure of its figures)"
