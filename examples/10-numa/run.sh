#!/bin/sh
# Variants of one server, bound to other CPUs each: `{bind}` in the start command is as many words as its value has.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
trap 'rm -rf "$work"' EXIT
here=$(dirname "$0")
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
last=$(($(nproc) - 1))
sed -e "s|PORT|$port|g" -e "s|LAST|$last|g" -e "s|DYNO|$DYNO|g" "$here/tune.yaml" > "$work/tune.yaml"

$DYNO tune "$work/tune.yaml"
