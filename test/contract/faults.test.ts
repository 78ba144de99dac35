import { describe, expect, test } from 'vitest';
import type { Exchange, ProblemCode, RunPlan } from '../../src/core/index.ts';
import { makeLoadRunner } from '../../src/client/load/index.ts';
import { fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { answered, body, causeOf, faults } from './fault-table.ts';
import type { Fault } from './fault-table.ts';
import { FaultyServer } from './faulty-server.ts';
import { smallPlan } from './runner-contract.ts';

const requests = process.env['LLMDYNO_LONG'] === '1' ? 400 : 16;
const concurrency = 8;

async function run(url: string, stream: boolean, fault: Pick<Fault, 'timeouts'>, insecure = true): Promise<Exchange[]> {
  const base = smallPlan(url);
  const plan: RunPlan = {
    ...base,
    target: { ...base.target, insecure },
    requests,
    generation: { ...base.generation, stream },
    load: { ...base.load, concurrency },
    timeouts: { ...base.timeouts, ...fault.timeouts },
  };
  const kit = makeLoadRunner({
    workload: () => fromPrompts([plainPrompt('p', 'hi')], { offset: 0, cycle: true }),
    secrets: {},
  });
  const { signal } = new AbortController();
  const exchanges: Exchange[] = [];
  for await (const { exchange } of kit.run(plan, { sending: signal, everything: signal }, [])) exchanges.push(exchange);
  return exchanges;
}

/** Conservation, one bucket for all, and no slot lost: the (8 + k)-th ask leaves once the k-th has ended, not much later. */
function expectAll(exchanges: readonly Exchange[], cause: ProblemCode | 'ok'): void {
  expect(exchanges.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: requests }, (_, i) => i),
  );
  const causes = exchanges.map(({ outcome, problem }) => (outcome === 'ok' ? 'ok' : (problem?.code ?? outcome)));
  expect(new Set(causes)).toEqual(new Set([cause]));
  const sends = exchanges.map(({ sentMs }) => sentMs!).toSorted((a, b) => a - b);
  const ends = exchanges.map(({ endMs }) => endMs).toSorted((a, b) => a - b);
  const overlap = sends.slice(concurrency).filter((sent, k) => sent < ends[k]!);
  expect(overlap).toEqual([]);
  const dues = exchanges.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b);
  expect(dues.slice(0, concurrency).every((due) => due <= ends[0]!)).toBe(true);
}

describe.each([
  ['HTTP', false],
  ['TLS', true],
])('a server over %s that', (_, secure) => {
  describe.each([
    ['streamed', true],
    ['in one piece', false],
  ])('asked for an answer %s', (__, stream) => {
    test.each(Object.keys(faults))('%s', async (name) => {
      const fault = faults[name]!;
      const server = await FaultyServer.start(fault.deed, secure);
      try {
        const exchanges = await run(
          `${secure ? 'https' : 'http'}://127.0.0.1:${server.port}/v1/chat/completions`,
          stream,
          fault,
        );
        expectAll(exchanges, causeOf(fault, stream));
        // Nothing is left open on either side once the run is over.
        const givenUpMs = performance.now() + 20_000;
        while (server.open > 0 && performance.now() < givenUpMs) await new Promise((resolve) => setImmediate(resolve));
        expect(server.open).toBe(0);
      } finally {
        await server.stop();
      }
    });
  });
});

describe('a connection that cannot be made', () => {
  test.each([
    ['HTTP', false],
    ['TLS', true],
  ])('the server resets it as soon as it is there, over %s', async (_, secure) => {
    const server = await FaultyServer.start(() => ({ after: 'reset', early: true }), secure);
    const url = `${secure ? 'https' : 'http'}://127.0.0.1:${server.port}/v1/chat/completions`;
    const exchanges = await run(url, true, {});
    await server.stop();
    // Whether the reset overtakes the news that the connection stands is up to the system.
    const causes = new Set(exchanges.map(({ problem }) => problem?.code));
    expect(exchanges).toHaveLength(requests);
    expect([...causes].filter((code) => code !== 'reset' && code !== 'connect-failed' && code !== 'tls')).toEqual([]);
  });

  test('nobody listens', async () => {
    const server = await FaultyServer.start(() => ({ after: 'end' }), false);
    const { port } = server;
    await server.stop();
    expectAll(await run(`http://127.0.0.1:${port}/v1/chat/completions`, true, {}), 'connect-refused');
  });
  test('the name is not known', async () => {
    expectAll(await run('http://no-such-host.invalid/v1/chat/completions', true, {}), 'dns');
  });
  test('a plain server is asked for TLS, and a certificate nobody signed', async () => {
    const plain = await FaultyServer.start(
      () => ({ write: 'HTTP/1.1 400 Bad\r\n\r\n', after: 'end', early: true }),
      false,
    );
    expectAll(await run(`https://127.0.0.1:${plain.port}/v1/chat/completions`, true, {}), 'tls');
    await plain.stop();
    const secure = await FaultyServer.start((s) => ({ write: answered(s, body(s)), after: 'keep' }), true);
    expectAll(await run(`https://localhost:${secure.port}/v1/chat/completions`, true, {}, false), 'tls');
    await secure.stop();
  });
});
