#!/bin/sh
# A regression gate in virtual time: an equal engine passes, one whose steps cost a ninth more (10 % slower) fails with 4.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
export DYNO_STORE="$work/runs"
trap 'rm -rf "$work"' EXIT
node -e 'const fs = require("fs"), p = JSON.parse(fs.readFileSync(process.argv[1]));
for (const key of Object.keys(p.cost)) if (typeof p.cost[key] === "number") p.cost[key] /= 0.9;
fs.writeFileSync(process.argv[2], JSON.stringify({ ...p, name: "slower" }));' "$(dirname "$0")/../data/engines/qwen1.5-7b-mindie-8x910b4.json" "$work/slower.json"
measure() { $DYNO sim --concurrency 16 -n 500 --max-tokens 512 --lenient --quiet "$@" > "$work/out"; }
measure --label baseline --seed 1
measure --label same --seed 2
measure --label slower --seed 3 --profile "$work/slower.json"
gate() { $DYNO compare baseline "$1" --fail-if 'outputTokensPerSec<-5%' --as markdown --out "$work/summary.md"; }
gate same && echo "same engine: passed"
code=0; gate slower || code=$?
grep 'outputTokensPerSec' "$work/summary.md"
echo "slower engine: exit code $code"
[ $code -eq 4 ]
