#!/bin/sh
# Your own questions: JSONL with "question", cycled because 60 requests are asked for and the file holds 6.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
$DYNO engine --port 0 --quiet --speed 2 > "$work/url" &
engine=$!
trap 'kill $engine; rm -rf "$work"' EXIT
until [ -s "$work/url" ]; do kill -0 $engine; sleep 0.2; done

questions=$(dirname "$0")/questions.jsonl
$DYNO run "$(cat "$work/url")" --dataset "openqa:$questions" --concurrency 6 -n 60 --max-tokens 24 --lenient
# The first answer, as it was kept.
head -n 1 "$DYNO_STORE"/*/answers.ndjson
