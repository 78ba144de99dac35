import { describe, expect, test } from 'vitest';
import { randomStream, UserError } from '../../core/index.ts';
import type { Exchange, RunPlan, RunState } from '../../core/index.ts';
import { parseSlo } from '../../results/measure/index.ts';
import { budgetWatch } from './budget-watch.ts';
import { failureWatch } from './failure-watch.ts';
import { parseStop } from './parse-stop.ts';
import { saturationWatch } from './saturation-watch.ts';
import { sloWatch } from './slo-watch.ts';
import { stopRulesOf } from './stop-rules.ts';
import type { StopWatch } from './stop-watch.ts';

const state = (changes: Partial<RunState>): RunState => ({
  nowMs: 0,
  due: 0,
  sent: 0,
  inFlight: 0,
  ok: 0,
  failed: 0,
  ...changes,
});
const exchange = (changes: Partial<Exchange>): Exchange => ({
  seq: 0,
  promptId: 'p',
  labels: {},
  warmup: false,
  dueMs: 0,
  sentMs: 0,
  connectMs: null,
  firstByteMs: null,
  chunks: { atMs: [], tokens: [], kinds: '' },
  endMs: 100,
  inputTokens: { planned: null, server: 10, client: null },
  outputTokens: { planned: null, server: 20, client: null },
  cachedTokens: null,
  reasoningTokens: null,
  inputChars: 0,
  outputChars: 0,
  finish: null,
  httpStatus: 200,
  attempts: 1,
  outcome: 'ok',
  problem: null,
  ...changes,
});
/** After how many exchanges the watch speaks; null = never. */
function speaksAt(watch: StopWatch, feed: readonly [RunState, Exchange][]): number | null {
  const at = feed.findIndex(([now, last]) => watch.look(now, last) !== null);
  return at === -1 ? null : at + 1;
}

describe('failed>5%', () => {
  const feed = (failEvery: number): [RunState, Exchange][] =>
    Array.from({ length: 400 }, (_, i) => {
      const failed = Math.floor((i + 1) / failEvery);
      return [state({ ok: i + 1 - failed, failed }), exchange({})];
    });
  test('speaks from the twentieth end on, once more than the share has failed', () => {
    expect(speaksAt(failureWatch(0.05), feed(10))).toBe(20);
    expect(speaksAt(failureWatch(0.05), feed(20))).toBeNull();
    expect(speaksAt(failureWatch(0), feed(25))).toBe(25);
  });
});

describe('budgets', () => {
  const feed: [RunState, Exchange][] = Array.from({ length: 100 }, (_, i) => [
    state({ nowMs: (i + 1) * 1000 }),
    exchange({ dueMs: i * 1000 }),
  ]);
  test('count what was used: 30 tokens a request, 20 of them output, one request a second', () => {
    expect(speaksAt(budgetWatch({ of: 'requests', limit: 7 }), feed)).toBe(7);
    expect(speaksAt(budgetWatch({ of: 'tokens', limit: 300 }), feed)).toBe(10);
    expect(speaksAt(budgetWatch({ of: 'output-tokens', limit: 300 }), feed)).toBe(15);
    expect(speaksAt(budgetWatch({ of: 'time', limitMs: 60_000 }), feed)).toBe(60);
  });
  test('cost by the hour and by the token', () => {
    // 36 an hour is a hundredth a second; 1000 per million input and 2000 per million output is 0.05 a request.
    expect(speaksAt(budgetWatch({ of: 'cost', limit: 0.3, price: { perHour: 36 } }), feed)).toBe(30);
    const price = { perMillionInput: 1000, perMillionOutput: 2000 };
    expect(speaksAt(budgetWatch({ of: 'cost', limit: 0.5, price }), feed)).toBe(10);
  });
});

describe('saturated', () => {
  /** A server with one place and fixed service, fed by Poisson arrivals: what it must have queued is simple to know. */
  function queue(ratePerSec: number, serviceMs: number, forMs: number, seed: number): [RunState, Exchange][] {
    const draw = randomStream(seed, 'arrivals');
    const dues: number[] = [];
    for (let at = 0; at < forMs; at += (1000 / ratePerSec) * draw.exponential()) dues.push(at);
    let free = 0;
    let due = 0;
    return dues.map((dueMs) => {
      free = Math.max(free, dueMs) + serviceMs;
      const endMs = free;
      while (due < dues.length && dues[due]! <= endMs) due++;
      return [state({ nowMs: endMs, due }), exchange({ dueMs, sentMs: dueMs, endMs })];
    });
  }
  test('a rate a third above what the server can do is noticed within half a minute, whatever the seed', () => {
    for (let seed = 0; seed < 20; seed++) {
      const feed = queue(40, 33, 60_000, seed);
      const at = speaksAt(saturationWatch(10_000), feed);
      expect(at).not.toBeNull();
      expect(feed[at! - 1]![0].nowMs).toBeLessThan(30_000);
    }
  });
  test('a server at 60 % of its limit is left alone for ten minutes, whatever the seed', () => {
    for (let seed = 0; seed < 20; seed++) {
      expect(speaksAt(saturationWatch(10_000), queue(20, 30, 600_000, seed))).toBeNull();
    }
  });
  test('a server that fills up at the start (long answers, many at once) is not taken for saturated', () => {
    // No queue: every answer takes 8 s. Up to 8 s the open ones only grow.
    const draw = randomStream(3, 'arrivals');
    const dues: number[] = [];
    for (let at = 0; at < 120_000; at += 50 * draw.exponential()) dues.push(at);
    const feed = dues.map((dueMs): [RunState, Exchange] => {
      const endMs = dueMs + 8000;
      return [
        state({ nowMs: endMs, due: dues.filter((other) => other <= endMs).length }),
        exchange({ dueMs, sentMs: dueMs, endMs }),
      ];
    });
    expect(speaksAt(saturationWatch(10_000), feed)).toBeNull();
  });
});

describe('while nothing ends', () => {
  const speaksAfterMs = (watch: StopWatch, from: number, to: number, due: (nowMs: number) => number): number | null => {
    for (let nowMs = from; nowMs <= to; nowMs += 500)
      if (watch.tick!(state({ nowMs, due: due(nowMs) })) !== null) return nowMs;
    return null;
  };
  test('time passes from the first ask that is due, and is paid for', () => {
    const from5s = (nowMs: number): number => (nowMs < 5000 ? 0 : 3);
    expect(speaksAfterMs(budgetWatch({ of: 'time', limitMs: 2000 }), 0, 60_000, from5s)).toBe(7000);
    const cost = budgetWatch({ of: 'cost', limit: 0.1, price: { perHour: 36 } });
    expect(speaksAfterMs(cost, 0, 60_000, from5s)).toBe(15_000);
    expect(speaksAfterMs(budgetWatch({ of: 'requests', limit: 1 }), 0, 60_000, from5s)).toBeNull();
  });
  test('a server that answered in 100 ms and then falls silent is saturated once a window has passed; one that nobody asks is not', () => {
    const answered = (): StopWatch => {
      const watch = saturationWatch(10_000);
      for (let i = 0; i < 100; i++)
        watch.look(
          state({ nowMs: 100 + i * 100, due: i + 1 }),
          exchange({ dueMs: i * 100, sentMs: i * 100, endMs: 100 + i * 100 }),
        );
      return watch;
    };
    const at = speaksAfterMs(answered(), 10_500, 60_000, (nowMs) => nowMs / 100);
    expect(at).not.toBeNull();
    expect(at!).toBeLessThanOrEqual(25_000);
    expect(speaksAfterMs(answered(), 10_500, 60_000, () => 100)).toBeNull();
  });
  test('a server that has not answered yet is not judged: it may take so long', () => {
    expect(speaksAfterMs(saturationWatch(10_000), 0, 120_000, (nowMs) => nowMs / 100)).toBeNull();
  });
  test('a rule that speaks then is the reason, for all that follows', () => {
    const plan = { stopWhen: ['time>2s', 'failed>5%'], slo: [], requests: 100, durationMs: null };
    const { rules, reason, tick } = stopRulesOf(plan as unknown as RunPlan);
    expect([1000, 2000, 3000].map((nowMs) => tick!(state({ nowMs, due: 1 })))).toEqual(['go', 'go', 'stop-sending']);
    expect(reason()).toMatchObject({ rule: 'time>2s', atMs: 3000 });
    expect(rules[1]!(state({}), exchange({}))).toBe('stop-sending');
  });
});

describe('slo-lost', () => {
  const latencies = (slowEvery: number, count = 1000): [RunState, Exchange][] =>
    Array.from({ length: count }, (_, i) => [
      state({}),
      exchange({ sentMs: 0, endMs: (i + 1) % slowEvery === 0 ? 3000 : 100 }),
    ]);
  test('a count that can no longer be met ends the run at the first request too many', () => {
    // Of ten requests one may miss a p90.
    const watch = sloWatch(parseSlo('latency.p90<2s'), 10);
    expect(speaksAt(watch!, latencies(1))).toBe(2);
  });
  test('without a count it takes confidence, and a goal that is kept is never given up', () => {
    expect(speaksAt(sloWatch(parseSlo('latency.p90<2s'), null)!, latencies(2))).toBeLessThanOrEqual(60);
    expect(speaksAt(sloWatch(parseSlo('latency.p90<2s'), null)!, latencies(11, 20_000))).toBeNull();
  });
  test('failures miss a goal about times; a goal about failures is watched too', () => {
    const failing: [RunState, Exchange][] = Array.from({ length: 100 }, () => [
      state({}),
      exchange({ outcome: 'failed' }),
    ]);
    expect(speaksAt(sloWatch(parseSlo('ttft.p99<2s'), null)!, failing)).toBe(30);
    expect(speaksAt(sloWatch(parseSlo('failed<1%'), 500)!, failing)).toBe(6);
  });
  test('goals about means and rates are not watched', () => {
    expect(sloWatch(parseSlo('latency.mean<2s'), null)).toBeNull();
    expect(sloWatch(parseSlo('requestsPerSec>5'), null)).toBeNull();
  });
});

describe('the words', () => {
  test.each([
    ['failed>5%', { kind: 'failed', limitRatio: 0.05 }],
    ['saturated', { kind: 'saturated', windowMs: 10_000 }],
    ['saturated > 20s', { kind: 'saturated', windowMs: 20_000 }],
    ['slo-lost', { kind: 'slo-lost' }],
    ['tokens>1.5M', { kind: 'budget', budget: { of: 'tokens', limit: 1_500_000 } }],
    ['requests>10k', { kind: 'budget', budget: { of: 'requests', limit: 10_000 } }],
    ['time>30m', { kind: 'budget', budget: { of: 'time', limitMs: 1_800_000 } }],
    ['cost>5 at 3.2/h', { kind: 'budget', budget: { of: 'cost', limit: 5, price: { perHour: 3.2 } } }],
    [
      'cost>5 at 0.5+1.5/Mtok',
      { kind: 'budget', budget: { of: 'cost', limit: 5, price: { perMillionInput: 0.5, perMillionOutput: 1.5 } } },
    ],
  ])('%s', (text, wish) => {
    expect(parseStop(text)).toEqual(wish);
  });
  test.each([
    'failed>5',
    'failed>100%',
    'tokens>0',
    'time>x',
    'cost>5',
    'cost>5 at 1+2/h',
    'when tired',
    'saturated>0s',
  ])('%s is told as a mistake', (text) => {
    expect(() => parseStop(text)).toThrow(UserError);
  });
  test('the first rule that speaks is the reason, and it is said once', () => {
    const plan = { stopWhen: ['requests>3', 'failed>5%'], slo: [], requests: 100, durationMs: null };
    const { rules, reason } = stopRulesOf(plan as unknown as RunPlan);
    const said = [1, 2, 3, 4].map((n) => rules.map((rule) => rule(state({ nowMs: n, ok: n }), exchange({}))));
    expect(said).toEqual([
      ['go', 'go'],
      ['go', 'go'],
      ['stop-sending', 'stop-sending'],
      ['stop-sending', 'stop-sending'],
    ]);
    expect(reason()).toMatchObject({ rule: 'requests>3', atMs: 3, evidence: { used: 3, limit: 3 } });
  });
});
