#!/bin/sh
# What went wrong in published benchmarks, made again in virtual time, and what the audit says of each.
set -eu
DYNO=${DYNO:-dyno}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DYNO_STORE="$work/runs"
try() {
  $DYNO sim --quiet --lenient --fault "$@" > /dev/null
  $DYNO audit latest --lenient --json > "$work/audit.json"
  node -e 'const { points, sweepFindings } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    const codes = [...points.flatMap((point) => point.findings), ...sweepFindings].map((finding) => finding.code);
    console.log(`${process.argv[2]}: ${[...new Set(codes)].join(", ")}`)' "$work/audit.json" "$1"
}
same='--input-tokens 100 --output-tokens 200'
try stuck-request:550 --concurrency 8,16,32 -n 300 $same
try runaway-generation:390 --concurrency 8,16,32,64 -n 200 $same
try decode-starvation --concurrency 8,16 -n 100 $same
try cold-start --concurrency 8,16,32 -n 300 $same
try client-timeout --profile qwen1.5-7b-mindie-8x910b4 --concurrency 100,400,800 -n 1500 --input-tokens 100 --output-tokens 100..1600
