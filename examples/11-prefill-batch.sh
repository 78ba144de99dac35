#!/bin/sh
# Two backends of one model (ATB, MindSpore) and one setting (maxPrefillBatchSize), ten in flight: which of them makes the difference?
# In virtual time. For real: start each server, and write `dyno run URL --variant NAME --set maxPrefillBatchSize=50` instead of `dyno sim`.
set -eu
DYNO=${DYNO:-dyno}
export DYNO_STORE=$(mktemp -d)
trap 'rm -rf "$DYNO_STORE"' EXIT

measure() { # backend maxPrefillBatchSize
  $DYNO sim --profile "qwq-32b-mindie-$1-4x910b3" --set "maxPrefillBatchSize=$2" --variant "$1 $2" --label "$1-$2" \
    --concurrency 10 -n 200 --input-tokens 60 --output-tokens 450 --lenient --quiet >/dev/null
}
measure mindspore 1
measure mindspore 50
measure atb 50

echo 'The setting: MindSpore with 1 (A) and with 50 (B)'
$DYNO compare mindspore-1 mindspore-50
echo 'The backend: MindSpore (A) and ATB (B), both with 50'
$DYNO compare mindspore-50 atb-50
