import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadShape, ResumePoint } from '../../core/index.ts';
import { requestSourceAt } from './request-source.ts';
import type { PacerLimits } from './pacer.ts';
import type { RequestDealer } from './request-dealer.ts';

const closed: LoadShape = {
  kind: 'closed',
  concurrency: 4,
  ratePerSec: null,
  arrival: { process: 'closed' },
  dropLate: false,
};
const open: LoadShape = { ...closed, kind: 'open', concurrency: null, ratePerSec: 10, arrival: { process: 'poisson' } };

function behindOf(done: readonly number[], elapsedMs: number): ResumePoint {
  const bits = new Uint8Array(64);
  for (const seq of done) bits[seq >> 3]! |= 1 << (seq & 7);
  return { clockMs: elapsedMs, elapsedMs, done: bits, doneCount: done.length };
}

/** The dealers of so many threads that send a load together. */
function dealersOf(
  load: LoadShape,
  limits: PacerLimits,
  seed: number,
  behind: ResumePoint | null = null,
  of = 1,
): RequestDealer[] {
  const claimed = { requests: new Int32Array(new SharedArrayBuffer(4)), conversations: new Int32Array(1) };
  const phase = { load, limits, seed, conversations: false };
  return Array.from({ length: of }, (_, index) => requestSourceAt({ index, of, claimed }, phase, behind).dealer);
}

/** Everything a dealer gives, in turn with the others, until all are done. */
function dealt(dealers: readonly RequestDealer[]): { atMs: number; seq: number }[] {
  const all: { atMs: number; seq: number }[] = [];
  const over = new Set<RequestDealer>();
  while (over.size < dealers.length) {
    for (const dealer of dealers) {
      const next = dealer.next({ sent: 0, inFlight: 0, nowMs: all.length });
      if (typeof next !== 'string' && 'seq' in next) all.push(next);
      else over.add(dealer);
    }
  }
  return all;
}

describe('a run that goes on', () => {
  const cases = fc.record({
    requests: fc.integer({ min: 1, max: 200 }),
    done: fc.uniqueArray(fc.integer({ min: 0, max: 199 }), { maxLength: 199 }),
    threads: fc.integer({ min: 1, max: 4 }),
    load: fc.constantFrom(closed, open),
    stopAt: fc.integer({ min: 0, max: 200 }),
  });
  test('deals every number that is not behind it exactly once, over any number of threads, and leaves no rest', () => {
    fc.assert(
      fc.property(cases, ({ requests, done, threads, load }) => {
        const behind = behindOf(
          done.filter((seq) => seq < requests),
          500,
        );
        const dealers = dealersOf(load, { requests, durationMs: null }, 1, behind, threads);
        const numbers = dealt(dealers).map(({ seq }) => seq);
        const missing = Array.from({ length: requests }, (_, seq) => seq).filter((seq) => !done.includes(seq));
        expect(numbers.toSorted((a, b) => a - b)).toEqual(missing);
        expect(dealers.every((dealer) => dealer.rest() === null)).toBe(true);
      }),
    );
  });
  test('what is stopped is given as the rest: dealt and rest together are what was missing', () => {
    fc.assert(
      fc.property(cases, ({ requests, done, load, stopAt }) => {
        const behind = behindOf(
          done.filter((seq) => seq < requests),
          0,
        );
        const dealer = dealersOf(load, { requests, durationMs: null }, 1, behind)[0]!;
        const seen: number[] = [];
        for (let i = 0; i < stopAt; i++) {
          const next = dealer.next({ sent: 0, inFlight: 0, nowMs: 0 });
          if (typeof next !== 'string' && 'seq' in next) seen.push(next.seq);
        }
        for (let seq = dealer.rest(); seq !== null; seq = dealer.rest()) seen.push(seq);
        const missing = Array.from({ length: requests }, (_, seq) => seq).filter((seq) => !done.includes(seq));
        expect(seen.toSorted((a, b) => a - b)).toEqual(missing);
      }),
    );
  });
  test('keeps its schedule: gaps after the break are those of the whole run, and what was missed is due at once', () => {
    const whole = dealt(dealersOf(open, { requests: 100, durationMs: null }, 7));
    const elapsedMs = whole[59]!.atMs;
    const behind = behindOf(
      Array.from({ length: 58 }, (_, seq) => seq),
      elapsedMs,
    );
    const rest = dealt(dealersOf(open, { requests: 100, durationMs: null }, 7, behind));
    expect(rest.map(({ seq }) => seq)).toEqual(Array.from({ length: 42 }, (_, i) => 58 + i));
    expect(rest.slice(0, 2).map(({ atMs }) => atMs)).toEqual([0, 0]);
    for (const { seq, atMs } of rest.slice(2)) expect(atMs).toBeCloseTo(whole[seq]!.atMs - elapsedMs, 9);
  });
  test('a duration counts over all parts', () => {
    const dealer = dealersOf(closed, { requests: null, durationMs: 1000 }, 1, behindOf([0, 1, 2], 900))[0]!;
    expect(dealer.next({ sent: 0, inFlight: 0, nowMs: 99 })).toEqual({ atMs: 0, seq: 3 });
    expect(dealer.next({ sent: 1, inFlight: 1, nowMs: 100 })).toBe('done');
  });
});
