import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exchange } from '../../../test/made-exchanges.ts';
import { problem, randomStream } from '../../core/index.ts';
import type { Exchange, Flow, ProblemCode } from '../../core/index.ts';
import { FlowBook } from './flow.ts';

/** What came due beside what ended of a queue worked out by hand: asks every so often, `slots` at a time for `serviceMs` each. */
function played(perSec: number, forMs: number, slots: number, serviceMs: number, seed: number | null = 1): Exchange[] {
  const chance = randomStream(seed ?? 0, 'arrivals');
  const free = new Float64Array(slots);
  const all: Exchange[] = [];
  for (let at = 0, seq = 0; at < forMs; seq++) {
    const slot = free.indexOf(Math.min(...free));
    const end = Math.max(at, free[slot]!) + serviceMs;
    free[slot] = end;
    all.push(exchange(seq, at, [end]));
    at += seed === null ? 1000 / perSec : (-Math.log(1 - chance.next()) * 1000) / perSec;
  }
  return all;
}

function read(exchanges: readonly Exchange[], kind: 'open' | 'closed' = 'open'): Flow {
  const book = new FlowBook();
  for (const one of exchanges) book.saw(one);
  return book.read({ kind });
}

/** 20 slots of half a second take 40 requests a second. */
const takes = 40;
const serve = (share: number, seed: number | null = 1, forMs = 60_000): Flow =>
  read(played(share * takes, forMs, 20, 500, seed));

describe('an open loop', () => {
  test.each([1.2, 1.5, 2])('at %f times what the server takes is overloaded, whatever the seed', (share) => {
    for (let seed = 1; seed <= 20; seed++)
      expect(serve(share, seed)).toMatchObject({ state: 'overloaded', rising: true });
  });
  test.each([0.3, 0.6, 0.8])('at %f of it is stable, whatever the seed', (share) => {
    for (let seed = 1; seed <= 20; seed++) expect(serve(share, seed)).toMatchObject({ state: 'stable', rising: false });
  });
  test('just beside the number that decides: a piling share of 0.1 and more is overloaded, below it is not said', () => {
    // With even arrivals the share that piles up is 1 − takes / asked.
    expect(serve(1.13, null)).toMatchObject({ state: 'overloaded' });
    expect(serve(1.13, null).pilingRatio).toBeCloseTo(0.115, 2);
    expect(serve(1.09, null)).toMatchObject({ state: 'unknown', rising: true });
    expect(serve(1.09, null).pilingRatio).toBeCloseTo(0.083, 2);
    expect(serve(1.04, null)).toMatchObject({ state: 'stable', rising: false });
  });
  test('says what the server took, not what was asked', () => {
    const { duePerSec, answeredPerSec } = serve(2, 3);
    expect(duePerSec! / (2 * takes)).toBeCloseTo(1, 0);
    expect(answeredPerSec).toBeGreaterThan(0.99 * takes);
    expect(answeredPerSec).toBeLessThan(1.01 * takes);
  });
  test('a rate that climbs to what the server can do is no overload', () => {
    const climbing: Exchange[] = [];
    const free = new Float64Array(20);
    for (let at = 0, seq = 0; at < 60_000; seq++) {
      const slot = free.indexOf(Math.min(...free));
      const end = Math.max(at, free[slot]!) + 500;
      free[slot] = end;
      climbing.push(exchange(seq, at, [end]));
      at += 1000 / (2 + (0.8 * takes * at) / 60_000);
    }
    expect(read(climbing).state).toBe('stable');
  });
  test('those who time out are not served: 18 % answered in time is overloaded, however short the queue', () => {
    const timedOut = played(takes, 60_000, 20, 500).map((one, i) =>
      i % 100 < 18
        ? one
        : { ...one, outcome: 'failed' as const, problem: problem('timeout-total'), endMs: one.dueMs + 900 },
    );
    expect(read(timedOut)).toMatchObject({ state: 'overloaded' });
  });
  test('a server that breaks is not one that is too slow', () => {
    const broken = played(0.5 * takes, 60_000, 20, 500).map((one, i) =>
      i % 100 < 40 ? one : { ...one, outcome: 'failed' as const, problem: problem('connect-refused') },
    );
    expect(read(broken)).toMatchObject({ state: 'unknown', unserved: 0 });
  });
  test('too few requests, or a run as short as its answers, say nothing', () => {
    expect(serve(0.5, null, 900).state).toBe('unknown');
    expect(read(played(100, 3000, 500, 2500)).state).toBe('unknown');
  });
  test('a run of three latencies is too much where first tokens come later and later while ever more are under way', () => {
    expect(read(played(30, 27_000, 20, 9000))).toMatchObject({ state: 'overloaded', rising: true });
    const whole = played(30, 27_000, 20, 9000).map((one) => ({ ...one, chunks: { atMs: [], tokens: [], kinds: '' } }));
    expect(read(whole)).toMatchObject({ state: 'unknown', rising: true });
    expect(read(played(30, 27_000, 400, 9000))).toMatchObject({ state: 'unknown', rising: false });
  });
  test('a backlog that takes longer to answer than the run took is one, however unevenly a starved client asked', () => {
    // What guidellm 0.8.1 sent each second of a run of 60 a second beside others on two cores; a real vLLM answered 13.7 of it a second.
    const sent = [30, 36, 42, 62, 51, 50, 17, 19, 15, 10, 45, 83, 20, 14, 18, 6, 9, 1, 14, 21];
    const due = sent.flatMap((count, sec) => Array.from({ length: count }, (_, i) => 1000 * (sec + i / count)));
    const on = (slots: number): Flow => {
      const free = new Float64Array(slots);
      return read(
        due.map((at, seq) => {
          const slot = free.indexOf(Math.min(...free));
          free[slot] = Math.max(at, free[slot]!) + 290;
          return exchange(seq, at, [free[slot]!]);
        }),
      );
    };
    expect(on(4)).toMatchObject({ state: 'overloaded', rising: true });
    expect(on(20).state).toBe('stable');
  });
  test('two halves of the records added together say what all of them say', () => {
    const all = played(1.5 * takes, 30_000, 20, 500);
    const [a, b] = [new FlowBook(), new FlowBook()];
    all.forEach((one, i) => (i % 2 === 0 ? a : b).saw(one));
    a.merge(b);
    expect(a.read({ kind: 'open' })).toEqual(read(all));
  });
});

describe('a real vLLM, asked for 12 s, of which its answers take a third', () => {
  const { loops } = JSON.parse(
    readFileSync(new URL('../../../test/fixtures/h200-vllm/open-loops.json', import.meta.url), 'utf8'),
  ) as { loops: Record<string, [number, number, number][]> };
  const flowOf = (share: string): Flow =>
    read(loops[share]!.map(([due, first, end], seq) => exchange(seq, due, [first, end])));

  test('at 0.8 of what it takes is stable', () => {
    expect(flowOf('0.8').state).toBe('stable');
  });
  test.each(['1.2', '1.5', '2'])(
    'at %s times what it takes is overloaded, and what it took is 63 a second',
    (share) => {
      const { state, answeredPerSec } = flowOf(share);
      expect(state).toBe('overloaded');
      expect(answeredPerSec! / 63).toBeGreaterThan(0.95);
      expect(answeredPerSec! / 63).toBeLessThan(1.05);
    },
  );
});

describe('a closed loop', () => {
  const with10 = (failing: number, code: ProblemCode): Flow =>
    read(
      played(takes, 10_000, 20, 500).map((one, i) =>
        i % 100 < failing ? { ...one, outcome: 'failed' as const, problem: problem(code) } : one,
      ),
      'closed',
    );
  test('cannot pile up; from a tenth of timeouts on it is overloaded', () => {
    expect(read(played(takes, 10_000, 20, 500), 'closed').state).toBe('stable');
    expect(with10(8, 'timeout-total').state).toBe('stable');
    expect(with10(12, 'timeout-total').state).toBe('overloaded');
    expect(with10(12, 'http-429').state).toBe('overloaded');
    expect(with10(12, 'connect-refused').state).toBe('unknown');
  });
});
