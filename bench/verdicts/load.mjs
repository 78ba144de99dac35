// Whether each load gets its word: simulated engines asked for shares of what they take, over seeds. Prints a table.
//   npm run build && node bench/verdicts/load.mjs [SECONDS] [SEEDS]
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const [seconds = 60, seeds = 5] = process.argv.slice(2).map(Number);
const program = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const store = await mkdtemp(join(tmpdir(), 'verdicts-'));
const shares = [0.5, 0.8, 1.2, 1.5, 2];
/** How long a run lasts, the longest first. */
const lasting = [60, 45, 30, 20, 15, 10, 5];

/** Profiles and lengths; `batch` fills the engine. */
const cases = [
  { name: 'default', flags: [], batch: 256, input: '512', output: '128' },
  { name: 'long answers', flags: [], batch: 200, input: '200', output: '400' },
  { name: 'answers of mixed length', flags: [], batch: 200, input: '10..1000', output: '10..500' },
  { name: 'vllm-v1', flags: ['--scheduler', 'vllm-v1'], batch: 256, input: '512', output: '128' },
  { name: 'bursts (gamma, shape 0.3)', flags: ['--arrival', 'gamma(0.3)'], batch: 256, input: '512', output: '128' },
];

async function summaryOf(words) {
  const { stdout } = await run(process.execPath, [program, 'sim', '--store', store, '--json', '--lenient', ...words], {
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(stdout);
}

console.log(`| engine, load | takes /s | ${shares.map((share) => `${share} ×`).join(' | ')} |`);
console.log(`|---|---|${shares.map(() => '---|').join('')}`);
for (const { name, flags, batch, input, output } of cases) {
  const lengths = ['--input-tokens', input, '--output-tokens', output];
  const profile = flags.filter((_, i) => !(flags[i] === '--arrival' || flags[i - 1] === '--arrival'));
  const full = await summaryOf([...profile, ...lengths, '--concurrency', `${batch}`, '-n', `${8 * batch}`]);
  const takes = full.steady?.requestsPerSec ?? full.requestsPerSec;
  const stateOf = async (share, forSec, seed) => {
    const rate = ['--rate', `${share * takes}`, '--duration', `${forSec}s`, '--seed', `${seed}`];
    return (await summaryOf([...flags, ...lengths, ...rate])).flow.state;
  };
  const all = Array.from({ length: seeds }, (_, i) => i + 1);
  const cells = [];
  for (const share of shares) {
    const words = new Map();
    for (const seed of all) {
      const state = await stateOf(share, seconds, seed);
      words.set(state, (words.get(state) ?? 0) + 1);
    }
    // The shortest run that is named whatever the seed, as is each longer one.
    let soonest = null;
    for (const forSec of share > 1 ? lasting.filter((one) => one <= seconds) : []) {
      const states = await Promise.all(all.map((seed) => stateOf(share, forSec, seed)));
      if (!states.every((state) => state === 'overloaded')) break;
      soonest = forSec;
    }
    cells.push(
      [...words].map(([word, count]) => `${word} ${count}`).join(', ') +
        (soonest === null ? '' : ` (from ${soonest} s on)`),
    );
  }
  console.log(`| ${name} | ${takes.toFixed(2)} | ${cells.join(' | ')} |`);
}
await rm(store, { recursive: true });
