// How well open-loop sends keep their schedule: rate and coefficient of variation of the gaps between sends, worked out here from
// exchanges.ndjson with nothing of the product.
//   node scripts/build.mjs && node bench/arrivals.mjs [--rate 1000] [--seconds 20] [--runs 3] [--arrival poisson] [--threads 1]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

const word = (name, other) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : other);
const rate = Number(word('--rate', '1000'));
const seconds = Number(word('--seconds', '20'));
const runs = Number(word('--runs', '3'));
const arrival = word('--arrival', 'poisson');
const threads = word('--threads', '1');
const main = join(import.meta.dirname, '../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'llmdyno-arrivals-'));

const engine = spawn(process.execPath, [main, 'engine', '--port', '0', '--speed', '1000'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [piece] = await once(engine.stdout, 'data');
const url = String(piece).trim();

/** Rate, CV of gaps and the spread of lateness, from the times of one run. */
function figures(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((time, i) => time - sorted[i]);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (gaps.length - 1);
  return { perSec: 1000 / mean, cv: Math.sqrt(variance) / mean };
}
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

try {
  for (let run = 1; run <= runs; run++) {
    const store = join(folder, `store-${run}`);
    const flags = [
      '--rate',
      rate,
      '--duration',
      `${seconds}s`,
      '--arrival',
      arrival,
      '--seed',
      run,
      '--threads',
      threads,
    ];
    const args = [
      'run',
      url,
      ...flags,
      '--max-tokens',
      1,
      '--no-text',
      '--store',
      store,
      '--json',
      '--quiet',
      '--lenient',
    ];
    const child = spawn(process.execPath, [main, ...args.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (text) => (out += text));
    await once(child, 'close');
    const summary = JSON.parse(out);
    const [id] = readdirSync(store);
    const lines = readFileSync(join(store, id, 'exchanges.ndjson'), 'utf8')
      .trim()
      .split('\n');
    const all = lines.map((line) => JSON.parse(line)).filter(({ sentMs, dueMs }) => sentMs != null && dueMs != null);
    const [due, sent] = [figures(all.map(({ dueMs }) => dueMs)), figures(all.map(({ sentMs }) => sentMs))];
    const late = all.map(({ sentMs, dueMs }) => sentMs - dueMs).toSorted((a, b) => a - b);
    console.log(
      JSON.stringify({
        run,
        asks: all.length,
        ok: summary.counts.ok,
        schedule: { perSec: due.perSec.toFixed(2), cv: due.cv.toFixed(4) },
        sends: { perSec: sent.perSec.toFixed(2), cv: sent.cv.toFixed(4) },
        againstSchedule: {
          rate: `${((sent.perSec / due.perSec - 1) * 100).toFixed(3)} %`,
          cv: `${((sent.cv / due.cv - 1) * 100).toFixed(2)} %`,
        },
        againstAsked: {
          rate: `${((sent.perSec / rate - 1) * 100).toFixed(3)} %`,
          cvOff1: `${((sent.cv - 1) * 100).toFixed(2)} %`,
        },
        lateMs: { p50: at(late, 0.5).toFixed(3), p99: at(late, 0.99).toFixed(3), max: late.at(-1).toFixed(3) },
        valid: summary.verdict.valid,
        loadAverage: loadavg()[0].toFixed(1),
      }),
    );
  }
} finally {
  engine.kill();
  rmSync(folder, { recursive: true });
}
