#!/bin/sh
# Speed over the lengths of prompts and answers, one request at a time: the grid of a chunk log, as its table and as a heat table (grid.png).
# In virtual time; for real: `dyno sweep URL` instead of `dyno sim --profile …`.
set -eu
DYNO=${DYNO:-dyno}
DYNO_STORE=$(mktemp -d)
export DYNO_STORE
trap 'rm -rf "$DYNO_STORE"' EXIT

$DYNO sim --profile sus-chat-34b-vllm-4xa100 --grid input=100,500,1000,2000,4000 output=100,500,1000,2000 --concurrency 1 -n 3 \
  --label grid --lenient --quiet >/dev/null
$DYNO report grid --as markdown | head -n 7
$DYNO report grid --as png --chart grid-heat --out "$DYNO_STORE/grid.png" --quiet && echo 'grid.png: the same as a heat table'
echo
echo 'What a longer prompt costs (A: 100 tokens, B: 4000), and what a longer answer does (C: 2000 instead of 100)'
$DYNO compare 'grid[input=100,output=100]' 'grid[input=4000,output=100]' 'grid[input=100,output=2000]'
