#!/bin/sh
# The three goals of the MindIE guide, searched from the file that `dyno tune --init mindie` prints, with nothing edited. In virtual time (--simulate);
# for real: put the folder of your MindIE into tune.yaml and leave --simulate out. 4 = nothing was confirmed, and the answer says why.
set -eu
DYNO=${DYNO:-dyno}
DYNO_STORE=$(mktemp -d)
export DYNO_STORE
trap 'rm -rf "$DYNO_STORE"' EXIT

$DYNO tune --init mindie > "$DYNO_STORE/tune.yaml"
for goal in throughput decode-limit=50ms ttft=8s,decode=50ms; do
  echo "== $goal"
  $DYNO tune "$DYNO_STORE/tune.yaml" --goal "$goal" --simulate qwen1.5-14b-mindie-8x910b4 --quiet | grep -E '^(Most|Within|Change|Best)'
done
