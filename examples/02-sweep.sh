#!/bin/sh
# A concurrency sweep, then the same figures as a markdown table in Chinese, ready to paste.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
$DYNO engine --port 0 --quiet --speed 2 > "$work/url" &
engine=$!
trap 'kill $engine; rm -rf "$work"' EXIT
until [ -s "$work/url" ]; do kill -0 $engine; sleep 0.2; done

$DYNO sweep "$(cat "$work/url")" --concurrency 4,8,16 -n 60 --max-tokens 24 --ignore-eos --label nightly --lenient
$DYNO report latest --as markdown --lang zh
