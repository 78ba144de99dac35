// What the host adds: plans run over HTTP against `dyno engine`, beside the same plans as `dyno sim`, same profile, same seed.
// Build first (npm run build).
//   node bench/sim/live.mjs [--seed 1] [--runs 3] [--only WORD]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { numberFlag } from './sources.mjs';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const seed = String(numberFlag('seed', 1));
const runs = numberFlag('runs', 3);
const at = process.argv.indexOf('--only');
const only = at === -1 ? '' : process.argv[at + 1];
const lengths = '--input-tokens 40..160 --output-tokens 40..80';
const plans = [
  ['1 stream', '', `--concurrency 1 -n 30 ${lengths}`],
  ['16 streams', '', `--concurrency 16 -n 128 ${lengths}`],
  ['64 streams', '', `--concurrency 64 -n 384 ${lengths}`],
  ['200 streams, all answers as long', '', '--concurrency 200 -n 600 --max-tokens 60'],
  ['20 requests/s', '', `--rate 20 -n 200 --arrival poisson ${lengths}`],
  ['vLLM V1, 10 requests/s', '--profile llama-3-8b-vllm-rtx4090', `--rate 10 -n 150 --arrival poisson ${lengths}`],
];
const figures = [
  ['ttftMs', 'p50'],
  ['ttftMs', 'p99'],
  ['tpotMs', 'p50'],
  ['latencyMs', 'p50'],
  ['latencyMs', 'p99'],
];
const work = mkdtempSync(join(tmpdir(), 'llmdyno-live-'));
const common = ['--seed', seed, '--store', join(work, 'runs'), '--json', '--quiet', '--lenient'];
const wordsOf = (text) => text.split(' ').filter(Boolean);

function dyno(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (text) => (out += text));
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`dyno ${args[0]} ended with ${code}`))));
  });
}

async function live(engineWords, words) {
  const engine = spawn(process.execPath, [main, 'engine', ...engineWords, '--port', '0', '--quiet', '--seed', seed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await new Promise((resolve) => engine.stdout.once('data', (text) => resolve(String(text).trim())));
    return JSON.parse(await dyno(['run', url, ...words, ...common]));
  } finally {
    engine.kill();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
console.log(`| plan | ${figures.map(([metric, figure]) => `${metric} ${figure}`).join(' | ')} |`);
console.log(`|---|${figures.map(() => '---|').join('')}`);
try {
  for (const [name, engine, words] of plans.filter((plan) => plan[0].includes(only))) {
    const virtual = JSON.parse(await dyno(['sim', ...wordsOf(engine), ...wordsOf(words), ...common]));
    const seen = [];
    for (let run = 0; run < runs; run++) seen.push(await live(wordsOf(engine), wordsOf(words)));
    const cells = figures.map(([metric, figure]) => {
      const added = seen.map((summary) => summary[metric][figure] - virtual[metric][figure]);
      return `${virtual[metric][figure].toFixed(1)} + ${median(added).toFixed(2)} (${Math.min(...added).toFixed(2)} … ${Math.max(...added).toFixed(2)})`;
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
} finally {
  rmSync(work, { recursive: true });
}
