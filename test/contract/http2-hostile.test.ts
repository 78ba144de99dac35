import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Exchange, ProblemCode, RunPlan } from '../../src/core/index.ts';
import { makeLoadRunner } from '../../src/client/load/index.ts';
import { fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { reset } from './faulty-server.ts';
import {
  dataFrames,
  flag,
  frame,
  frameType,
  goawayFrame,
  headersFrames,
  pingFrame,
  rstFrame,
  settingsFrame,
  windowFrame,
} from './http2-frames.ts';
import { RawHttp2Server } from './raw-http2-server.ts';
import type { RawHabits } from './raw-http2-server.ts';
import { smallPlan } from './small-plan.ts';

const sse = (...data: string[]): string => data.map((each) => `data: ${each}\n\n`).join('');
const delta = (content: string): string => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
const finish = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const whole = sse(delta('a'), delta('b'), finish, '[DONE]');
const okHead = [
  [':status', '200'],
  ['content-type', 'text/event-stream'],
] as const;
const answer = (id: number): Buffer => Buffer.concat([headersFrames(id, okHead), dataFrames(id, whole, true)]);

async function run(url: string, change: Partial<RunPlan> = {}): Promise<Exchange[]> {
  const base = smallPlan(url, { requests: 40 });
  const reach = { ca: null, cert: null, key: null, proxy: null, also: [], http2: true as const };
  const plan: RunPlan = { ...base, target: { ...base.target, insecure: true, reach }, ...change };
  const kit = makeLoadRunner({
    workload: () => fromPrompts([plainPrompt('p', 'hi')], { offset: 0, cycle: true }),
    secrets: {},
  });
  const { signal } = new AbortController();
  const exchanges: Exchange[] = [];
  for await (const { exchange } of kit.run(plan, { sending: signal, everything: signal }, [])) exchanges.push(exchange);
  return exchanges;
}
const causes = (exchanges: readonly Exchange[]): string[] =>
  [...new Set(exchanges.map(({ outcome, problem }) => (outcome === 'ok' ? 'ok' : problem!.code)))].toSorted();
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const seqs = (exchanges: readonly Exchange[]): number[] => exchanges.map(({ seq }) => seq).toSorted((a, b) => a - b);

/** Writes the same again and again, as fast as it is taken. */
function flood(socket: Socket, bytes: Buffer): void {
  const more = (): void => {
    for (let i = 0; i < 64; i++) {
      if (socket.destroyed) return;
      if (!socket.write(bytes)) return void socket.once('drain', more);
    }
    setImmediate(more);
  };
  more();
}
const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));
/** What a server does with a request, and how all of forty that share its connections may end. */
interface Hostility {
  does: RawHabits['request'];
  ends: readonly (ProblemCode | 'ok')[];
}
const broken = (does: RawHabits['request']): Hostility => ({ does, ends: ['malformed-http'] });
const field = Buffer.from([0, 1, 97, 1, 98]);
const hostilities: Record<string, Hostility> = {
  'closes on a request': { does: ({ socket }) => void socket.end(), ends: ['reset'] },
  'resets on a request': { does: ({ socket }) => reset(socket), ends: ['reset'] },
  'refuses every request': { does: ({ socket, id }) => void socket.write(rstFrame(id, 7)), ends: ['stream-refused'] },
  'says GOAWAY to every request and closes': {
    does: ({ socket }) => void socket.end(goawayFrame(0, 0)),
    ends: ['reset', 'stream-refused'],
  },
  'says GOAWAY to every request and stays': {
    does: ({ socket }) => void socket.write(goawayFrame(0, 0)),
    ends: ['stream-refused'],
  },
  'serves one request of each connection and closes': {
    does: ({ socket, id, nth }) => void (nth === 1 ? socket.write(answer(id)) : socket.end()),
    ends: ['ok', 'reset'],
  },
  'serves one request of each connection and gives the others back': {
    // Who is overtaken again and again is given up in the end.
    does: ({ socket, id, nth }) => void (nth === 1 ? socket.write(answer(id)) : socket.end(goawayFrame(1, 0))),
    ends: ['ok', 'reset'],
  },
  'floods with CONTINUATION': broken(({ socket, id }) => {
    socket.write(frame(frameType.headers, 0, id, field));
    flood(socket, times(100, frame(frameType.continuation, 0, id, field)));
  }),
  'floods with PING': broken(({ socket }) => flood(socket, times(200, pingFrame()))),
  'floods with SETTINGS': broken(({ socket }) => flood(socket, times(200, settingsFrame([[4, 70_000]])))),
  'says garbage': broken(({ socket }) => void socket.write(Buffer.alloc(4000, 0xa7))),
  'sends DATA on a stream that nobody opened': broken(({ socket }) => void socket.write(dataFrames(9999, 'x', false))),
  'sends DATA on stream 0': broken(({ socket }) => void socket.write(frame(frameType.data, 0, 0, 'x'))),
  'overflows the window of the connection': broken(
    ({ socket }) => void socket.write(times(2, windowFrame(0, 0x7fffffff))),
  ),
  'overflows the window of the stream': {
    does: ({ socket, id }) => void socket.write(times(2, windowFrame(id, 0x7fffffff))),
    ends: ['malformed-http'],
  },
  'sends a frame that is too long': broken(
    ({ socket, id }) => void socket.write(frame(frameType.data, 0, id, Buffer.alloc(70_000))),
  ),
  'sends a head that cannot be read': broken(
    ({ socket, id }) => void socket.write(frame(frameType.headers, flag.endHeaders, id, Buffer.alloc(5, 0xff))),
  ),
  'pushes what nobody asked for': broken(
    ({ socket, id }) => void socket.write(frame(frameType.push, flag.endHeaders, id, Buffer.from([0, 0, 0, 2, 0x82]))),
  ),
  'sends a head without a status': broken(
    ({ socket, id }) => void socket.write(headersFrames(id, [['content-type', 'text/event-stream']])),
  ),
};

describe.each([
  ['over TLS', true],
  ['in the clear', false],
])('HTTP/2 %s: a server that', (_, secure) => {
  const scheme = secure ? 'https' : 'http';
  test.each(Object.keys(hostilities))('%s', async (name) => {
    const { does, ends } = hostilities[name]!;
    const server = await RawHttp2Server.start({ request: does }, secure);
    const timeouts = { connectMs: 20_000, ttftMs: null, readMs: 20_000, totalMs: 60_000 };
    const exchanges = await run(`${scheme}://127.0.0.1:${server.port}/v1/chat/completions`, { timeouts });
    await server.stop();
    expect(seqs(exchanges)).toEqual(numbers(40));
    expect(causes(exchanges).filter((cause) => !(ends as readonly string[]).includes(cause))).toEqual([]);
  });

  test('dies in the middle of a run', async () => {
    let asked = 0;
    const does: RawHabits['request'] = ({ socket, id }) => {
      if (++asked === 500) server.kill();
      else setImmediate(() => socket.write(answer(id)));
    };
    const server = await RawHttp2Server.start({ request: does }, secure);
    const exchanges = await run(`${scheme}://127.0.0.1:${server.port}/v1/chat/completions`, { requests: 1000 });
    expect(seqs(exchanges)).toEqual(numbers(1000));
    expect(causes(exchanges)).toEqual(['connect-refused', 'ok', 'reset']);
    const failed = exchanges.filter(({ problem }) => problem?.code === 'reset').length;
    expect(failed).toBeLessThanOrEqual(8);
  });
});
