import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Exchange, ProblemCode, RunPlan } from '../../src/core/index.ts';
import { fetchOnce, makeLoadRunner } from '../../src/client/load/index.ts';
import { fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { smallPlan } from './runner-contract.ts';
import { unrehearsed } from './unrehearsed.ts';

const tlsFolder = join(import.meta.dirname, '../fixtures/tls');
const certificate = {
  cert: readFileSync(join(tlsFolder, 'cert.pem')),
  key: readFileSync(join(tlsFolder, 'key.pem')),
};
const sse = (...data: string[]): string => data.map((each) => `data: ${each}\n\n`).join('');
const delta = (content: string): string => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
const finish = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const usage = JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } });
const headers = { ':status': 200, 'content-type': 'text/event-stream' };
const { constants } = http2;

let stop: (() => void) | null = null;
afterEach(() => {
  stop?.();
  stop = null;
});

type Deed = (stream: ServerHttp2Stream, session: ServerHttp2Session) => void;
interface Served {
  url: string;
  sessions(): number;
  /** Streams of the busiest moment. */
  most(): number;
}

async function served(deed: Deed, secure = false, settings: http2.Settings = {}): Promise<Served> {
  const server: Http2Server = secure
    ? (http2.createSecureServer({ ...certificate, settings }) as unknown as Http2Server)
    : http2.createServer({ settings });
  const open = new Set<ServerHttp2Session>();
  let sessions = 0;
  let now = 0;
  let most = 0;
  server.on('session', (session) => {
    sessions++;
    open.add(session);
    session.on('error', () => {});
    session.on('close', () => open.delete(session));
  });
  server.on('stream', (stream) => {
    most = Math.max(most, ++now);
    stream.on('close', () => now--);
    stream.on('error', () => {});
    stream.resume();
    stream.on('end', () => deed(stream, stream.session as ServerHttp2Session));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stop = () => {
    for (const session of open) session.destroy();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  return {
    url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}/v1/chat/completions`,
    sessions: () => sessions,
    most: () => most,
  };
}

const whole: Deed = (stream) => {
  stream.respond(headers);
  stream.write(sse(delta('a')));
  setImmediate(() => stream.end(sse(delta('b'), finish, usage, '[DONE]')));
};

async function run(url: string, change: Partial<RunPlan> = {}): Promise<{ exchanges: Exchange[]; reused: number }> {
  const base = smallPlan(url, { requests: 40 });
  const reach = { ca: null, cert: null, key: null, proxy: null, also: [], http2: true as const };
  const plan: RunPlan = { ...base, target: { ...base.target, insecure: true, reach }, ...change };
  const runner = makeLoadRunner({
    rehearsal: unrehearsed,
    workload: () => fromPrompts([plainPrompt('p', 'hi')], { offset: 0, cycle: true }),
    secrets: {},
  });
  const { signal } = new AbortController();
  const exchanges: Exchange[] = [];
  for await (const { exchange } of runner.run(plan, { drain: signal, cancel: signal }, [])) exchanges.push(exchange);
  return { exchanges, reused: runner.health()!.connectionsReused! };
}

function causes(exchanges: readonly Exchange[]): string[] {
  return [...new Set(exchanges.map(({ outcome, problem }) => (outcome === 'ok' ? 'ok' : problem!.code)))];
}

describe.each([
  ['over TLS by ALPN', true],
  ['in the clear by prior knowledge', false],
])('HTTP/2 %s', (_name, secure) => {
  test('many requests share one connection, every one ends ok, and reads are stamped apart', async () => {
    const server = await served(whole, secure);
    const { exchanges, reused } = await run(server.url);
    expect(causes(exchanges)).toEqual(['ok']);
    expect(exchanges.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(server.sessions()).toBe(1);
    expect(reused).toBe(40);
    expect(server.most()).toBeGreaterThan(1);
    expect(server.most()).toBeLessThanOrEqual(8);
    for (const { chunks, sentMs, firstByteMs, endMs, outputTokens } of exchanges) {
      expect(chunks.atMs.length).toBeGreaterThanOrEqual(2);
      expect(outputTokens.server).toBe(2);
      expect(firstByteMs!).toBeGreaterThanOrEqual(sentMs!);
      expect(chunks.atMs.at(-1)!).toBeLessThanOrEqual(endMs);
    }
  });

  test('head and answer in one read: node:http2 tells of the data first, and nothing is lost', async () => {
    const server = await served((stream) => {
      stream.respond(headers);
      stream.end(sse(delta('a'), delta('b'), finish, usage, '[DONE]'));
    }, secure);
    const { exchanges } = await run(server.url, {
      requests: 600,
      load: { kind: 'closed', concurrency: 80, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false },
    });
    expect(exchanges).toHaveLength(600);
    expect(causes(exchanges)).toEqual(['ok']);
    expect(exchanges.every(({ outputTokens, chunks }) => outputTokens.server === 2 && chunks.atMs.length > 0)).toBe(
      true,
    );
  });

  const faults: [string, Deed, ProblemCode][] = [
    ['refuses the stream', (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM), 'stream-refused'],
    ['resets it before answering', (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR), 'reset'],
    [
      'resets it in the middle',
      (stream) => {
        stream.respond(headers);
        stream.write(sse(delta('a')), () => stream.destroy(new Error('broken')));
      },
      'reset',
    ],
    [
      'ends the answer without a finish',
      (stream) => {
        stream.respond(headers);
        stream.end(sse(delta('a')));
      },
      'truncated-stream',
    ],
    [
      'says GOAWAY because of an error and goes',
      (stream, session) => {
        stream.respond(headers);
        stream.write(sse(delta('a')), () => {
          if (session.destroyed) return;
          session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
          session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
        });
      },
      'reset',
    ],
    [
      'is too busy',
      (stream) => {
        stream.respond({ ':status': 429, 'retry-after': '2' });
        stream.end('{"error":"busy"}');
      },
      'http-429',
    ],
  ];
  test.each(faults)('a server that %s', async (_fault, deed, cause) => {
    const server = await served(deed, secure);
    const { exchanges } = await run(server.url);
    expect(exchanges).toHaveLength(40);
    expect(causes(exchanges)).toEqual([cause]);
  });

  test('a server that takes few streams is given further connections; one that says GOAWAY kindly loses nothing', async () => {
    const few = await served(whole, secure, { maxConcurrentStreams: 2 });
    const { exchanges } = await run(few.url);
    expect(causes(exchanges)).toEqual(['ok']);
    expect(few.sessions()).toBeGreaterThan(1);
    stop!();
    let asked = 0;
    const kind = await served((stream, session) => {
      whole(stream, session);
      if (++asked % 10 === 0) session.close();
    }, secure);
    expect(causes((await run(kind.url)).exchanges)).toEqual(['ok']);
    expect(kind.sessions()).toBeGreaterThan(1);
  });

  test('one that says GOAWAY before its first answer has begun loses nothing of what it had not looked at', async () => {
    const first = new WeakMap<ServerHttp2Session, boolean>();
    let sessions = 0;
    const hasty = await served((stream, session) => {
      if (!first.has(session)) first.set(session, ++sessions === 1);
      if (first.get(session) !== true) return whole(stream, session);
      if (stream.id !== 1) return;
      session.goaway(constants.NGHTTP2_NO_ERROR, 1);
      setTimeout(() => whole(stream, session), 50);
    }, secure);
    expect(causes((await run(hasty.url)).exchanges)).toEqual(['ok']);
    expect(hasty.sessions()).toBeGreaterThan(1);
  });

  test.each([0, 1])(
    'one that refuses everything is not asked for ever, whatever its GOAWAY says (last stream %d)',
    async (last) => {
      const none = await served((stream, session) => {
        session.goaway(constants.NGHTTP2_NO_ERROR, last);
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
      }, secure);
      const { exchanges } = await run(none.url);
      expect(exchanges).toHaveLength(40);
      expect(causes(exchanges)).not.toContain('ok');
    },
  );

  test('one question outside the load speaks it too', async () => {
    const server = await served((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end('{"data":[]}');
    }, secure);
    const base = smallPlan(server.url).target;
    const reach = { ca: null, cert: null, key: null, proxy: null, also: [], http2: true as const };
    const target = { ...base, insecure: true, reach };
    expect(await fetchOnce(target, { method: 'GET', url: server.url, body: '' }, {}, 5000)).toMatchObject({
      status: 200,
      body: '{"data":[]}',
      problem: null,
    });
  });
});

describe('a server without HTTP/2', () => {
  test('https: it is told by ALPN', async () => {
    const { createServer } = await import('node:tls');
    const server = createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, () => {});
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stop = () => server.close();
    const { exchanges } = await run(`https://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`);
    expect(causes(exchanges)).toEqual(['tls']);
  });
  test('http: its HTTP/1.1 is not taken for an answer', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stop = () => server.close();
    const { exchanges } = await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`);
    expect(exchanges).toHaveLength(40);
    expect(causes(exchanges)).toEqual(['malformed-http']);
  });
  test('nobody listens', async () => {
    const { exchanges } = await run('http://127.0.0.1:9/v1/chat/completions');
    expect(causes(exchanges)).toEqual(['connect-refused']);
  });
});
