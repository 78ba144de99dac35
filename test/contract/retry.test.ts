import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Exchange, RunPlan } from '../../src/core/index.ts';
import { makeLoadRunner } from '../../src/client/load/index.ts';
import { readRetryAfter, retryWaits, turnedAway } from '../../src/client/load/retry-policy.ts';
import { fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { smallPlan } from './runner-contract.ts';
import { unrehearsed } from './unrehearsed.ts';

const answer = JSON.stringify({
  choices: [{ message: { content: 'ab' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});
const ok = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(answer);
};
const refuse =
  (status: number, retryAfter?: string) =>
  (response: ServerResponse): void => {
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    response.end('{"error":"busy"}');
  };

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

/** A server that treats the k-th request as the k-th deed says, and the rest as the last. */
async function served(deeds: ((response: ServerResponse) => void)[]): Promise<{ url: string; asked(): number }> {
  let asked = 0;
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => deeds[Math.min(asked++, deeds.length - 1)]!(response));
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1/chat/completions`, asked: () => asked };
}

async function run(url: string, changes: Partial<RunPlan>, stopAfter?: () => Promise<void>): Promise<Exchange[]> {
  const base = smallPlan(url);
  const plan: RunPlan = { ...base, generation: { ...base.generation, stream: false }, requests: 1, ...changes };
  const runner = makeLoadRunner({
    rehearsal: unrehearsed,
    workload: () => fromPrompts([plainPrompt('p', 'hi')], { offset: 0, cycle: true }),
    secrets: {},
  });
  const stop = new AbortController();
  const exchanges: Exchange[] = [];
  void stopAfter?.().then(() => stop.abort());
  const never = new AbortController().signal;
  for await (const { exchange } of runner.run(plan, { drain: stop.signal, cancel: never }, [])) {
    exchanges.push(exchange);
  }
  return exchanges;
}

describe('--retry', () => {
  test('is off unless asked for: the refusal stands, and what the server asked to wait is told', async () => {
    const { url, asked } = await served([refuse(429, '7'), ok]);
    const [exchange] = await run(url, {});
    expect(exchange).toMatchObject({
      outcome: 'failed',
      attempts: 1,
      problem: { code: 'http-429', status: 429, retryAfterMs: 7000 },
    });
    expect(asked()).toBe(1);
  });

  test('Retry-After is obeyed, each attempt is counted, and the waiting is latency from the first send', async () => {
    const { url, asked } = await served([refuse(429, '1'), refuse(503, '0'), ok]);
    const [exchange] = await run(url, { retries: 3 });
    expect(exchange).toMatchObject({ outcome: 'ok', attempts: 3, problem: null, httpStatus: 200 });
    expect(asked()).toBe(3);
    expect(exchange!.endMs - exchange!.sentMs!).toBeGreaterThanOrEqual(999);
    expect(exchange!.sentMs!).toBeGreaterThanOrEqual(exchange!.dueMs);
  });

  test('attempts end with the number asked for, and the last refusal is the cause', async () => {
    const { url, asked } = await served([refuse(503, '0')]);
    const [exchange] = await run(url, { retries: 2 });
    expect(exchange).toMatchObject({ outcome: 'failed', attempts: 3, problem: { code: 'http-5xx', status: 503 } });
    expect(asked()).toBe(3);
  });

  test('a request that the server took (500, 400, broken answers) is not made again', async () => {
    for (const status of [400, 500]) {
      const { url, asked } = await served([refuse(status), ok]);
      const [exchange] = await run(url, { retries: 5 });
      expect(exchange).toMatchObject({ outcome: 'failed', attempts: 1 });
      expect(asked()).toBe(1);
      server!.close();
    }
  });

  test('a wait that would pass the total timeout is not begun', async () => {
    const { url, asked } = await served([refuse(429, '3600'), ok]);
    const base = smallPlan('http://127.0.0.1');
    const [exchange] = await run(url, { retries: 5, timeouts: { ...base.timeouts, totalMs: 5000 } });
    expect(exchange).toMatchObject({ outcome: 'failed', attempts: 1, problem: { retryAfterMs: 3_600_000 } });
    expect(asked()).toBe(1);
  });

  test('conservation: every ask ends once, whatever was refused, and a waiting ask keeps its slot', async () => {
    // Who is refused is chance: as many retries as refusals, or an ask that keeps step with them would run out of its own.
    const refusals = 30;
    let n = 0;
    const { url, asked } = await served([
      (response) => (n++ % 3 === 0 && n < 3 * refusals ? refuse(503, '0')(response) : ok(response)),
    ]);
    const exchanges = await run(url, {
      retries: refusals,
      requests: 60,
      load: { ...smallPlan('http://x').load, concurrency: 4 },
    });
    expect(exchanges.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(exchanges.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(exchanges.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(asked());
    // At no moment do more than four asks overlap, waiting ones included.
    const edges = exchanges.flatMap(({ sentMs, endMs }) => [
      { at: sentMs!, by: 1 },
      { at: endMs, by: -1 },
    ]);
    let open = 0;
    for (const { by } of edges.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
      open += by;
      expect(open).toBeLessThanOrEqual(4);
    }
  });

  test('a stop ends waiting asks as they stand', async () => {
    const { url, asked } = await served([refuse(503, '10')]);
    const firstAsked = async (): Promise<void> => {
      while (asked() === 0) await new Promise((resolve) => setImmediate(resolve));
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    const load = { ...smallPlan('http://x').load, concurrency: 1 };
    const exchanges = await run(url, { retries: 2, requests: 2, load }, firstAsked);
    expect(exchanges.map(({ outcome }) => outcome).toSorted()).toEqual(['cancelled', 'failed']);
    expect(exchanges.find(({ outcome }) => outcome === 'failed')).toMatchObject({ attempts: 1 });
  });
});

describe('what is asked again, and when', () => {
  const failed = (code: string, status: number | null = null): Exchange =>
    ({ outcome: 'failed', problem: { code, status, words: null }, chunks: { atMs: [] } }) as unknown as Exchange;
  test('only what the server did no work on', () => {
    const yes = [
      failed('http-429', 429),
      failed('http-5xx', 503),
      failed('http-5xx', 502),
      failed('connect-refused'),
      failed('dns'),
    ];
    const no = [failed('http-5xx', 500), failed('reset'), failed('timeout-read'), failed('truncated-stream')];
    expect([yes.every(turnedAway), no.some(turnedAway)]).toEqual([true, false]);
  });
  test('without Retry-After the wait doubles from half a second to half a minute, less up to a half', () => {
    const wait = retryWaits(1);
    const busy = { code: 'http-429', status: 429, words: null } as const;
    for (const [made, most] of [
      [1, 500],
      [2, 1000],
      [3, 2000],
      [20, 30_000],
    ] as const) {
      const ms = wait(busy, made);
      expect(ms).toBeGreaterThan(most / 2);
      expect(ms).toBeLessThanOrEqual(most);
    }
  });
  test('Retry-After is seconds or a date; anything else is nothing', () => {
    const now = Date.UTC(2026, 10, 15, 7, 0, 0);
    expect(readRetryAfter('120', now)).toBe(120_000);
    expect(readRetryAfter('Sun, 15 Nov 2026 07:00:30 GMT', now)).toBe(30_000);
    expect(readRetryAfter('Sun, 15 Nov 2026 06:59:00 GMT', now)).toBe(0);
    // As far as a date in the year 5138: nobody waits for it, and nobody comes back earlier either.
    expect(readRetryAfter('99999999999', now)).toBe(99_999_999_999_000);
    expect(readRetryAfter('9'.repeat(400), now)).toBe(Number.MAX_SAFE_INTEGER);
    expect([readRetryAfter('soon', now), readRetryAfter(undefined, now)]).toEqual([undefined, undefined]);
  });
});
