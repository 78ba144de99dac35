import { describe, expect, test } from 'vitest';
import type { Exchange, RunPlan } from '../../src/core/index.ts';
import { bodies } from './faults/answers.ts';
import { causesOf } from './faults/deed.ts';
import type { Fault } from './faults/deed.ts';
import { Http1Server } from './faults/http1-server.ts';
import { Http2Server, answerFrames } from './faults/http2-server.ts';
import { concurrency, endsOf, played } from './faults/play-fault.ts';
import { faultsOf, reachedBy, transports } from './faults/transports.ts';
import { smallPlan } from './small-plan.ts';

const requests = process.env['LLMDYNO_LONG'] === '1' ? 160 : 16;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const seqs = (exchanges: readonly Exchange[]): number[] => exchanges.map(({ seq }) => seq).toSorted((a, b) => a - b);

/** Conservation, the right buckets, and no more in flight than allowed: the (8 + k)-th ask leaves once the k-th has ended. */
function expectAll(exchanges: readonly Exchange[], causes: readonly string[]): void {
  expect(seqs(exchanges)).toEqual(numbers(requests));
  const ends = new Set(endsOf(exchanges));
  expect([...ends].filter((end) => !causes.includes(end))).toEqual([]);
  const sends = exchanges.map(({ sentMs }) => sentMs!).toSorted((a, b) => a - b);
  const ended = exchanges.map(({ endMs }) => endMs).toSorted((a, b) => a - b);
  expect(sends.slice(concurrency).filter((sent, k) => sent < ended[k]!)).toEqual([]);
}

/** Only against waiting for ever: what is silent or endless says its own. */
const patience = { connectMs: 60_000, ttftMs: null, readMs: 60_000, totalMs: 120_000 };
const withFault = (plan: RunPlan, stream: boolean, { timeouts }: Pick<Fault, 'timeouts'>): RunPlan => ({
  ...plan,
  requests,
  generation: { ...plan.generation, stream },
  load: { ...plan.load, concurrency },
  timeouts: { ...patience, ...timeouts },
});

describe.each(transports)('$name: a server that', (transport) => {
  const faults = faultsOf(transport);
  const cases = Object.entries(faults).flatMap(([name, fault]) =>
    // What happens to frames does not hang on what was asked for.
    (fault.only === 'http2' ? [true] : [true, false]).map((stream) => ({ name, fault, stream })),
  );
  describe.concurrent('each by itself', () => {
    test.each(cases)('$name (streamed: $stream)', async ({ fault, stream }) => {
      const reached = await reachedBy(transport, fault.deed);
      try {
        expectAll(await played(withFault(reached.plan, stream, fault)), causesOf(fault, stream, transport));
        // Nothing is left open on either side once the run is over.
        const givenUpMs = performance.now() + 20_000;
        while (reached.open() > 0 && performance.now() < givenUpMs)
          await new Promise((resolve) => setImmediate(resolve));
        expect(reached.open()).toBe(0);
      } finally {
        await reached.stop();
      }
    });
  });
});

describe('a connection that cannot be made', () => {
  const run = (url: string, insecure = true): Promise<Exchange[]> => {
    const base = smallPlan(url);
    return played(withFault({ ...base, target: { ...base.target, insecure } }, true, {}));
  };
  test.each([
    ['HTTP', false],
    ['TLS', true],
  ])('the server resets it as soon as it is there, over %s', async (_, secure) => {
    const server = await Http1Server.start(() => ({ after: 'reset', early: true }), secure);
    const exchanges = await run(`${secure ? 'https' : 'http'}://127.0.0.1:${server.port}/v1/chat/completions`);
    await server.stop();
    // Whether the reset overtakes the news that the connection stands is up to the system.
    expect(exchanges).toHaveLength(requests);
    expect(endsOf(exchanges).filter((end) => !['reset', 'connect-failed', 'tls'].includes(end))).toEqual([]);
  });

  test('nobody listens', async () => {
    const server = await Http1Server.start(() => ({ after: 'end' }), false);
    const { port } = server;
    await server.stop();
    expectAll(await run(`http://127.0.0.1:${port}/v1/chat/completions`), ['connect-refused']);
  });
  test('the name is not known', async () => {
    expectAll(await run('http://no-such-host.invalid/v1/chat/completions'), ['dns']);
  });
  test('a plain server is asked for TLS, and a certificate nobody signed', async () => {
    const plain = await Http1Server.start(
      () => ({ http1: 'HTTP/1.1 400 Bad\r\n\r\n', after: 'end', early: true }),
      false,
    );
    expectAll(await run(`https://127.0.0.1:${plain.port}/v1/chat/completions`), ['tls']);
    await plain.stop();
    const secure = await Http1Server.start((s) => ({ answer: { body: bodies.whole(s) }, after: 'keep' }), true);
    expectAll(await run(`https://localhost:${secure.port}/v1/chat/completions`, false), ['tls']);
    await secure.stop();
  });
});

test.each([
  ['over TLS', true],
  ['in the clear', false],
])(
  'an HTTP/2 server %s that dies in the middle of a run costs what was in flight, and the rest is refused',
  async (_, secure) => {
    let asked = 0;
    const server: Http2Server = await Http2Server.start(
      () => ({
        http2: ({ socket, id }) => {
          if (++asked === 500) server.kill();
          else setImmediate(() => socket.write(answerFrames(id, { answer: { body: bodies.whole(true) } }, true)));
        },
        after: 'keep',
      }),
      secure,
    );
    const base = smallPlan(`${secure ? 'https' : 'http'}://127.0.0.1:${server.port}/v1/chat/completions`);
    const reach = { ca: null, cert: null, key: null, proxy: null, also: [], http2: true as const };
    const exchanges = await played({ ...base, target: { ...base.target, insecure: true, reach }, requests: 1000 });
    expect(seqs(exchanges)).toEqual(numbers(1000));
    const ends = endsOf(exchanges);
    expect(new Set(ends)).toEqual(new Set(['ok', 'reset', 'connect-refused']));
    expect(ends.filter((end) => end === 'reset').length).toBeLessThanOrEqual(concurrency);
  },
);
