#!/bin/sh
# A server that resets, stalls and errs: every request is accounted for, each failure under its own cause.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
$DYNO engine --port 0 --quiet --speed 4 --fault reset:5% --fault stall:3% --fault 500:5% > "$work/url" &
engine=$!
trap 'kill $engine; rm -rf "$work"' EXIT
until [ -s "$work/url" ]; do kill -0 $engine; sleep 0.2; done

$DYNO run "$(cat "$work/url")" --concurrency 16 -n 200 --max-tokens 24 --read-timeout 3s --lenient --json > "$work/summary.json"
# planned = ok + failed + cancelled + dropped + unaccounted, and the causes add up to what is not ok.
node -e 'const { counts } = JSON.parse(require("fs").readFileSync(process.argv[1])); console.log(counts)' "$work/summary.json"
