#!/bin/sh
# A decode limit, found by restarting a (simulated) MindIE with other values in its config.json; the original comes back.
set -eu
DYNO=${DYNO:-dyno}
export DYNO
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
trap 'rm -rf "$work"' EXIT
here=$(dirname "$0")
cp "$here/config.json" "$work/config.json"
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
sed -e "s|PORT|$port|g" -e "s|WORK|$work|g" -e "s|HERE|$here|g" "$here/tune.yaml" > "$work/tune.yaml"

# 4 = no setting kept the limit, which happens where the machine is busy with other things; the answer says so.
$DYNO tune "$work/tune.yaml" --goal decode-limit=9ms || test $? -eq 4
cmp "$here/config.json" "$work/config.json" && echo 'config.json is as it was'
