// A report from a million exchanges: peak memory and time of `dyno report --as html`, parquet and compare.
//   node scripts/build.mjs && node bench/report-million.mjs [--exchanges 1000000] [--tokens 100] [--only html]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const word = (name, other) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : other);
const count = Number(word('--exchanges', '1000000'));
const tokens = Number(word('--tokens', '100'));
const main = join(import.meta.dirname, '../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'llmdyno-million-'));

/** A short real run gives the folder its shape; its records are then written a million times over, shifted in time. */
async function build() {
  const store = join(folder, 'store');
  const engine = spawn(process.execPath, [main, 'engine', '--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [url] = await once(engine.stdout, 'data');
  const run = spawn(
    process.execPath,
    [
      main,
      'run',
      String(url).trim(),
      '-n',
      '64',
      '--concurrency',
      '16',
      '--max-tokens',
      String(tokens),
      '--ignore-eos',
      '--lenient',
      '--quiet',
      '--store',
      store,
      '--label',
      'million',
    ],
    { stdio: 'ignore' },
  );
  await once(run, 'close');
  engine.kill();
  await once(engine, 'close');
  const [name] = (await import('node:fs')).readdirSync(store);
  const dir = join(store, name);
  const lines = readFileSync(join(dir, 'exchanges.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((one) => one.outcome === 'ok');
  const spanMs = Math.max(...lines.map((one) => one.endMs));
  const out = createWriteStream(join(dir, 'exchanges.ndjson'));
  for (let i = 0; i < count; i++) {
    const shift = Math.floor(i / lines.length) * spanMs;
    const one = lines[i % lines.length];
    const at = (value) => (value === null ? null : Math.round((value + shift) * 1000) / 1000);
    const line = JSON.stringify({
      ...one,
      seq: i,
      dueMs: at(one.dueMs),
      sentMs: at(one.sentMs),
      firstByteMs: at(one.firstByteMs),
      endMs: at(one.endMs),
      chunks: { ...one.chunks, atMs: one.chunks.atMs.map(at) },
    });
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  const plan = JSON.parse(readFileSync(join(dir, 'plan.json'), 'utf8'));
  writeFileSync(join(dir, 'plan.json'), JSON.stringify({ ...plan, plan: { ...plan.plan, requests: count } }));
  return { store, dir };
}

/** Runs a command and looks at its high-water mark (Linux). */
async function measured(args) {
  const began = performance.now();
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [peakKib, cpuSec, err] = [0, 0, ''];
  child.stdout.resume();
  child.stderr.on('data', (piece) => (err += piece));
  const watch = setInterval(() => {
    try {
      peakKib = Math.max(
        peakKib,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0),
      );
      // Clock ticks are hundredths of a second on every Linux that Node runs on.
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .split(') ')[1]
        .split(' ')
        .slice(11, 13)
        .map(Number);
      cpuSec = Math.max(cpuSec, (user + system) / 100);
    } catch {
      // Ended in between.
    }
  }, 20);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  return { code, seconds: (performance.now() - began) / 1000, cpuSec, peakMib: peakKib / 1024, err };
}

mkdirSync(folder, { recursive: true });
const { store, dir } = await build();
console.log(
  `${count} exchanges of ${tokens} tokens: ${(statSync(join(dir, 'exchanges.ndjson')).size / 1e9).toFixed(2)} GB`,
);
const html = join(folder, 'report.html');
for (const args of [
  ['report', dir, '--as', 'html', '--out', html],
  ['report', dir, '--as', 'parquet', '--out', join(folder, 'x.parquet')],
  ['compare', dir, dir, '--json', '--lenient'],
].slice(0, process.argv.includes('--only') ? 1 : 3)) {
  const { code, seconds, cpuSec, peakMib, err } = await measured([...args, '--store', store]);
  console.log(
    `| dyno ${args[0]} ${args.includes('--as') ? `--as ${args[args.indexOf('--as') + 1]}` : ''} | exit ${code} | ${seconds.toFixed(1)} s | ${cpuSec.toFixed(1)} s CPU | ${peakMib.toFixed(0)} MiB |${code === 0 ? '' : err.slice(0, 200)}`,
  );
}
console.log(`report.html: ${(statSync(html).size / 1024).toFixed(0)} KiB`);
rmSync(folder, { recursive: true, force: true });
