// Whether the headline is the same whatever the warm-up: a closed loop on a simulated engine over HTTP and in virtual time.
//   npm run build && node bench/verdicts/warmup.mjs [CONCURRENCY] [REQUESTS]         on a quiet machine; exit 1 beyond 5 %
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const [concurrency = 64, requests] = process.argv.slice(2);
const program = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const store = await mkdtemp(join(tmpdir(), 'warmup-'));
const engine = spawn(process.execPath, [program, 'engine', '--port', '0', '--quiet'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const url = await new Promise((resolve) => engine.stdout.once('data', (text) => resolve(String(text).trim())));
const load = [
  '--concurrency',
  `${concurrency}`,
  '--input-tokens',
  '512',
  '--output-tokens',
  '128',
  ...(requests === undefined ? [] : ['-n', requests]),
];

let failed = false;
console.log('| | figure | --warmup 0 | 64 | 512 | apart |\n|---|---|---|---|---|---|');
const sides = { 'dyno sim': ['sim'], 'dyno engine': ['run', url] };
for (const [name, words] of Object.entries(sides)) {
  const told = [];
  for (const warmup of ['0', '64', '512']) {
    const all = [program, ...words, ...load, '--warmup', warmup, '--json', '--lenient', '--store', store];
    const { stdout } = await run(process.execPath, all, { maxBuffer: 2 ** 28 });
    told.push(JSON.parse(stdout));
  }
  const figures = {
    'headline TTFT p99': (d) => d.steady?.ttftMs.p99,
    'headline tokens/s': (d) => d.steady?.outputTokensPerSec,
    'whole-run TTFT p99': (d) => d.ttftMs.p99,
  };
  for (const [figure, of] of Object.entries(figures)) {
    const values = told.map(of);
    const apart = Math.max(...values) / Math.min(...values) - 1;
    if (figure.startsWith('headline')) failed ||= !(apart <= 0.05);
    console.log(
      `| ${name} | ${figure} | ${values.map((value) => value?.toFixed(1) ?? '–').join(' | ')} | ${(100 * apart).toFixed(1)} % |`,
    );
  }
}
engine.kill();
await rm(store, { recursive: true });
process.exitCode = failed ? 1 : 0;
