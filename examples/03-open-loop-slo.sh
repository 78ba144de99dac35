#!/bin/sh
# An open loop from a plan file: requests come due by themselves, whatever the server does; goodput under two goals.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
$DYNO engine --port 0 --quiet --speed 2 > "$work/url" &
engine=$!
trap 'kill $engine; rm -rf "$work"' EXIT
until [ -s "$work/url" ]; do kill -0 $engine; sleep 0.2; done

# What stands on the command line wins over the file.
$DYNO run "$(dirname "$0")/03-open-loop-slo.yaml" --url "$(cat "$work/url")"
