import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoadShape } from '../../core/index.ts';
import { BrokenPromise } from '../../core/index.ts';
import { isDue, makePacer, pacers } from './index.ts';
import type { Pacer, PacerLimits } from './index.ts';

const closed = (concurrency: number): LoadShape => ({
  kind: 'closed',
  concurrency,
  ratePerSec: null,
  arrival: { process: 'closed' },
  dropLate: false,
});
const open = (process: 'constant' | 'poisson', ratePerSec: number): LoadShape => ({
  kind: 'open',
  concurrency: null,
  ratePerSec,
  arrival: { process },
  dropLate: false,
});
const noLimits: PacerLimits = { requests: null, durationMs: null };

/** Due times until the pacer says done, or `atMost` of them. */
function dueTimes(pacer: Pacer, atMost = Infinity): number[] {
  const times: number[] = [];
  while (times.length < atMost) {
    const pacing = pacer.next({ sent: times.length, inFlight: 0, nowMs: 0 });
    if (pacing === 'done') break;
    if (!isDue(pacing)) throw new Error('an open loop never waits');
    times.push(pacing.atMs);
  }
  return times;
}

describe('closed loop', () => {
  it('is due at once while a slot is free, waits when full, ends after the count', () => {
    const pacer = makePacer(closed(2), { requests: 3, durationMs: null }, 1);
    expect(pacer.next({ sent: 0, inFlight: 0, nowMs: 0 })).toEqual({ atMs: 0 });
    // The second slot is free since the beginning, though the client comes to it a quarter of a millisecond later.
    expect(pacer.next({ sent: 1, inFlight: 1, nowMs: 0.25 })).toEqual({ atMs: 0 });
    expect(pacer.next({ sent: 2, inFlight: 2, nowMs: 0.5 })).toBe('wait');
    expect(pacer.next({ sent: 2, inFlight: 1, nowMs: 90 })).toEqual({ atMs: 90 });
    expect(pacer.next({ sent: 3, inFlight: 2, nowMs: 91 })).toBe('done');
    expect(pacer.next({ sent: 3, inFlight: 0, nowMs: 99 })).toBe('done');
  });

  it('hands out nothing at or after the duration, even with free slots', () => {
    const pacer = makePacer(closed(4), { requests: null, durationMs: 1000 }, 1);
    expect(pacer.next({ sent: 0, inFlight: 0, nowMs: 999.9 })).toEqual({ atMs: 0 });
    expect(pacer.next({ sent: 1, inFlight: 1, nowMs: 1000 })).toBe('done');
    expect(pacer.next({ sent: 1, inFlight: 0, nowMs: 1001 })).toBe('done');
  });

  it('law: whatever ends when, in-flight never passes the concurrency, every slot is used, the count is exact', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 300 }),
        fc.infiniteStream(fc.nat({ max: 5 })),
        (concurrency, requests, endings) => {
          const pacer = makePacer(closed(concurrency), { requests, durationMs: null }, 1);
          let [sent, inFlight, nowMs] = [0, 0, 0];
          for (;;) {
            const pacing = pacer.next({ sent, inFlight, nowMs });
            if (pacing === 'done') break;
            if (pacing === 'wait') {
              expect(inFlight).toBe(concurrency);
              inFlight -= Math.max(1, Math.min(inFlight, endings.next().value));
              nowMs += 1;
              continue;
            }
            expect(pacing).toEqual({ atMs: nowMs });
            sent += 1;
            inFlight += 1;
            expect(inFlight).toBeLessThanOrEqual(concurrency);
          }
          expect(sent).toBe(requests);
        },
      ),
      { seed: 20_260_701, numRuns: 100 },
    );
  });

  it('law: for any views at all, an ask is handed out only below the concurrency and before the duration', () => {
    const view = fc.record({
      sent: fc.nat(),
      inFlight: fc.nat({ max: 20 }),
      nowMs: fc.double({ min: 0, max: 2000, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.array(view), (concurrency, views) => {
        const pacer = makePacer(closed(concurrency), { requests: 20, durationMs: 1000 }, 1);
        let [handedOut, over] = [0, false];
        for (const seen of views) {
          const pacing = pacer.next(seen);
          if (over) expect(pacing).toBe('done');
          if (pacing === 'done') over = true;
          if (!isDue(pacing)) continue;
          handedOut += 1;
          expect(seen.inFlight).toBeLessThan(concurrency);
          expect(pacing.atMs).toBeLessThan(1000);
        }
        expect(handedOut).toBeLessThanOrEqual(20);
      }),
      { seed: 20_260_702, numRuns: 200 },
    );
  });
});

describe('constant arrivals', () => {
  it('come at even gaps from 0 and end before the duration', () => {
    expect(dueTimes(makePacer(open('constant', 4), { requests: null, durationMs: 1000 }, 1))).toEqual([
      0, 250, 500, 750,
    ]);
    expect(dueTimes(makePacer(open('constant', 0.5), { requests: 3, durationMs: null }, 1))).toEqual([0, 2000, 4000]);
  });

  it('do not drift: at 3/s the ask number 300,000 is due at 100,000 s', () => {
    const times = dueTimes(makePacer(open('constant', 3), noLimits, 1), 300_001);
    expect(times[300_000]).toBeCloseTo(100_000_000, 6);
  });

  it('ignore what is in flight and how late the caller is', () => {
    const pacer = makePacer(open('constant', 1000), { requests: 2, durationMs: null }, 1);
    expect(pacer.next({ sent: 0, inFlight: 9999, nowMs: 50_000 })).toEqual({ atMs: 0 });
    expect(pacer.next({ sent: 1, inFlight: 9999, nowMs: 50_000 })).toEqual({ atMs: 1 });
    expect(pacer.next({ sent: 2, inFlight: 9999, nowMs: 50_000 })).toBe('done');
  });
});

describe('limits of open loops', () => {
  it('law: due times rise, stay below the duration, and are never more than asked for', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('constant' as const, 'poisson' as const),
        fc.double({ min: 0.01, max: 10_000, noNaN: true }),
        fc.nat({ max: 200 }),
        fc.double({ min: 0, max: 5000, noNaN: true }),
        fc.integer({ min: 0, max: 2 ** 53 - 1 }),
        (process, ratePerSec, requests, durationMs, seed) => {
          const times = dueTimes(makePacer(open(process, ratePerSec), { requests, durationMs }, seed));
          expect(times.length).toBeLessThanOrEqual(requests);
          expect(times.every((atMs, i) => atMs >= 0 && atMs < durationMs && (i === 0 || atMs > times[i - 1]!))).toBe(
            true,
          );
        },
      ),
      { seed: 20_260_703, numRuns: 200 },
    );
  });

  it('law: a limit only cuts the schedule short, it never moves a due time', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('constant' as const, 'poisson' as const),
        fc.nat({ max: 100 }),
        fc.nat(),
        (process, requests, seed) => {
          const whole = dueTimes(makePacer(open(process, 20), noLimits, seed), 100);
          expect(dueTimes(makePacer(open(process, 20), { requests, durationMs: null }, seed))).toEqual(
            whole.slice(0, requests),
          );
          expect(dueTimes(makePacer(open(process, 20), { requests: 100, durationMs: 2500 }, seed))).toEqual(
            whole.filter((t) => t < 2500),
          );
        },
      ),
      { seed: 20_260_704, numRuns: 50 },
    );
  });

  it('stay done once done', () => {
    const pacer = makePacer(open('poisson', 10), { requests: 1000, durationMs: 500 }, 7);
    dueTimes(pacer);
    expect(pacer.next({ sent: 0, inFlight: 0, nowMs: 0 })).toBe('done');
  });
});

describe('shapes that do not fit', () => {
  it('are our bug, not a hang: no concurrency, no rate, the wrong kind', () => {
    expect(() => makePacer({ ...closed(1), concurrency: null }, noLimits, 1)).toThrow(BrokenPromise);
    expect(() => makePacer(closed(0), noLimits, 1)).toThrow(BrokenPromise);
    expect(() => makePacer({ ...open('poisson', 1), ratePerSec: null }, noLimits, 1)).toThrow(BrokenPromise);
    expect(() => makePacer(open('constant', 0), noLimits, 1)).toThrow(BrokenPromise);
    expect(() => pacers.closed(open('poisson', 1), noLimits, 1)).toThrow(BrokenPromise);
    expect(() => pacers.poisson(closed(1), noLimits, 1)).toThrow(BrokenPromise);
  });
});
