// Peak memory and time of reading a large JSONL dataset: `dyno dataset inspect`, and a run's reader against a simulated engine.
//   node scripts/build.mjs && node bench/datasets.mjs [--gib 1] [--keep DIR]
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';

const word = (name, other) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : other);
const bytesWanted = Number(word('--gib', '1')) * 1024 ** 3;
const kept = word('--keep', null);
const folder = kept ?? mkdtempSync(join(tmpdir(), 'llmdyno-datasets-'));
mkdirSync(folder, { recursive: true });
const main = join(import.meta.dirname, '../dist/cli/main.js');

async function write(file, packer) {
  if (existsSync(file)) return;
  const out = createWriteStream(file);
  const sink = packer === null ? out : packer;
  if (packer !== null) packer.pipe(out);
  let bytes = 0;
  for (let i = 0; bytes < bytesWanted; i++) {
    const text = `question ${i} ${'why is the sky blue and the sea green '.repeat(5 + ((i * 7919) % 50))}`;
    const line = `{"id":${i},"question":"${text}"}\n`;
    bytes += line.length;
    if (!sink.write(line)) await once(sink, 'drain');
  }
  sink.end();
  await once(out, 'close');
}

/** Runs a command and looks at the process's own high-water mark every 20 ms (Linux). */
async function measured(args) {
  const began = performance.now();
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [peakKib, out, err] = [0, '', ''];
  child.stdout.on('data', (piece) => (out += piece));
  child.stderr.on('data', (piece) => (err += piece));
  const watch = setInterval(() => {
    try {
      peakKib = Math.max(
        peakKib,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0),
      );
    } catch {
      // It has ended.
    }
  }, 20);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  return {
    code,
    seconds: Number(((performance.now() - began) / 1000).toFixed(2)),
    peakMiB: Math.round(peakKib / 1024),
    out,
    err,
  };
}
const say = (what, { code, seconds, peakMiB }, more = {}) =>
  console.log(JSON.stringify({ what, code, seconds, peakMiB, ...more }));

const plain = join(folder, 'large.jsonl');
await write(plain, null);
console.log(`${(statSync(plain).size / 1024 ** 3).toFixed(2)} GiB`);
say('dyno dataset inspect FILE', await measured(['dataset', 'inspect', plain]));
say('dyno --version (what node itself takes)', await measured(['--version']));
const packed = join(folder, 'large.jsonl.gz');
await write(packed, createGzip({ level: 1 }));
say('dyno dataset inspect FILE.gz', await measured(['dataset', 'inspect', packed]));
const engine = spawn(process.execPath, [main, 'engine', '--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
const [piece] = await once(engine.stdout, 'data');
const url = String(piece).trim();
const store = join(folder, 'store');
for (const [what, n] of [
  ['run of 1 request', 1],
  ['run of 2000 requests', 2000],
]) {
  const result = await measured([
    'run',
    url,
    '--dataset',
    `openqa:${plain}`,
    '-n',
    String(n),
    '--max-tokens',
    '2',
    '--concurrency',
    '16',
    '--json',
    '--quiet',
    '--lenient',
    '--no-preflight',
    '--store',
    store,
  ]);
  const summary = JSON.parse(result.out);
  say(what, result, {
    requestSeconds: Number((summary.durationMs / 1000).toFixed(2)),
    rssMaxMiB: Math.round((summary.client?.rssMaxBytes ?? 0) / 1024 ** 2),
  });
}
engine.kill('SIGTERM');

/** From the start of the process to its first request on the wire, against a server in this process. */
async function startUp(more) {
  let firstMs = null;
  const server = createServer((request, response) => {
    if (request.method === 'POST') firstMs ??= performance.now();
    request.resume();
    const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = `http://127.0.0.1:${server.address().port}`;
  const flags = ['--model', 'm', '-n', '1', '--no-stream', '--quiet', '--json', '--lenient', '--store', store];
  const beganMs = performance.now();
  const child = spawn(process.execPath, [main, 'run', at, '--dataset', `openqa:${plain}`, ...flags, ...more], {
    stdio: 'ignore',
  });
  await once(child, 'close');
  server.closeAllConnections();
  server.close();
  return Number(((firstMs - beganMs) / 1000).toFixed(3));
}
const seconds = [];
for (let i = 0; i < 5; i++) seconds.push(await startUp(['--no-preflight']));
console.log(JSON.stringify({ what: 'start of the process to the first measured request, five times', seconds }));
if (kept === null) rmSync(folder, { recursive: true });
