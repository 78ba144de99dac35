#!/bin/sh
# One load point: 8 requests in flight until 100 are done, after a warm-up of 8. Then: what the store holds.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
$DYNO engine --port 0 --quiet --speed 2 > "$work/url" &
engine=$!
trap 'kill $engine; rm -rf "$work"' EXIT
until [ -s "$work/url" ]; do kill -0 $engine; sleep 0.2; done

# --lenient: a busy laptop may well be too slow to be sure of itself; the report says so, the example goes on.
$DYNO run "$(cat "$work/url")" --concurrency 8 -n 100 --warmup 8 --max-tokens 24 --label first --lenient
$DYNO runs
