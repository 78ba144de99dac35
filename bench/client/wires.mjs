// What a wire costs the client: `dyno selftest` against one stamped server (Node, this file) over HTTP/1.1, TLS, HTTP/2 and through a
// CONNECT proxy (this file too). node bench/client/wires.mjs [--streams 200] [--gap-ms 50] [--seconds 10]. Read CPU per event as a ratio
// to the first row; the server is the same Node for all, so its own slowness is in every stamp error alike.
import { spawn, spawnSync } from 'node:child_process';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { readFileSync } from 'node:fs';

const flag = (name, fallback) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : fallback;
const streams = flag('--streams', 200);
const gapMs = flag('--gap-ms', 50);
const seconds = flag('--seconds', 10);
const pem = (name) => readFileSync(new URL(`../../test/fixtures/tls/${name}.pem`, import.meta.url));
const certificate = () => ({ cert: pem('cert'), key: pem('key') });

function answer(request, response) {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    return void response.end('{"data":[{"id":"m"}]}');
  }
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (piece) => (body += piece));
  request.on('end', () => {
    const count = JSON.parse(body).max_tokens ?? 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const event = (value) => response.write(`data: ${JSON.stringify(value)}\n\n`);
    const next = () => {
      if (response.destroyed) return clearInterval(timer);
      event({ choices: [{ index: 0, delta: { content: 'x' } }], emit_ns: String(process.hrtime.bigint()) });
      if (++sent < count) return;
      clearInterval(timer);
      event({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] });
      response.end('data: [DONE]\n\n');
    };
    const timer = setInterval(next, gapMs);
  });
}

function proxy() {
  const server = http.createServer();
  server.on('connect', (request, client) => {
    const [host, port] = request.url.split(':');
    const on = net.connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      on.setNoDelay(true).pipe(client.setNoDelay(true)).pipe(on);
    });
    on.on('error', () => client.destroy());
    client.on('error', () => on.destroy());
  });
  return server;
}

const makers = {
  http: () => http.createServer(answer),
  https: () => https.createServer(certificate(), answer),
  h2c: () => http2.createServer(answer),
  h2: () => http2.createSecureServer(certificate(), answer),
  proxy,
};
const serve = process.argv.indexOf('--serve');
if (serve !== -1) {
  const server = makers[process.argv[serve + 1]]();
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
} else {
  const children = [];
  const started = async (kind) => {
    const args = [import.meta.filename, '--serve', kind, '--gap-ms', String(gapMs)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
  };
  const ports = {};
  for (const kind of Object.keys(makers)) ports[kind] = await started(kind);
  const at = `http://127.0.0.1:${ports.proxy}`;
  const wires = [
    ['HTTP/1.1', `http://127.0.0.1:${ports.http}`, []],
    ['HTTP/1.1 over TLS', `https://127.0.0.1:${ports.https}`, []],
    ['HTTP/1.1 over TLS through a proxy', `https://127.0.0.1:${ports.https}`, ['--proxy', at]],
    ['HTTP/2 in the clear', `http://127.0.0.1:${ports.h2c}`, ['--http2']],
    ['HTTP/2 over TLS', `https://127.0.0.1:${ports.h2}`, ['--http2']],
    ['HTTP/2 over TLS through a proxy', `https://127.0.0.1:${ports.h2}`, ['--http2', '--proxy', at]],
  ];
  const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
  let first = null;
  for (const [wire, url, flags] of wires) {
    const load = ['--concurrency', String(streams), '--duration', String(seconds), '--tokens', '50', '--rate', '50'];
    const args = [main, 'selftest', '--url', url, ...load, '--insecure', '--json', '--quiet', '--lenient', ...flags];
    const ran = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
    if (ran.status !== 0) {
      console.error(String(wire), String(ran.stderr));
      continue;
    }
    const { timestampErrorMs, eventsPerSec, cpuRatio, unaccounted, ok, planned } = JSON.parse(ran.stdout);
    const usPerEvent = (1e6 * cpuRatio) / eventsPerSec;
    first ??= usPerEvent;
    console.log(
      JSON.stringify({
        wire,
        cpuUsPerEvent: Number(usPerEvent.toFixed(1)),
        timesPlain: Number((usPerEvent / first).toFixed(2)),
        stampErrorP50Ms: timestampErrorMs.p50,
        binP99Ms: timestampErrorMs.binP99,
        eventsPerSec: Math.round(eventsPerSec),
        ok,
        planned,
        unaccounted,
      }),
    );
  }
  for (const child of children) child.kill();
}
