// A share of failures is judged by exact bounds, worked out here from the binomial law itself; one odd request decides nothing.
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../core/index.ts';
import { parseSlo } from '../../results/measure/index.ts';
import { leastShare, mostShare, standingOfFailures } from './failures.ts';
import type { Trial } from './trial.ts';
import { confirmationOf, keepsAll } from './verdict.ts';

/** P(X ≤ k), X binomial(n, share), term by term. */
function atMost(k: number, n: number, share: number): number {
  let [term, sum] = [(1 - share) ** n, 0];
  for (let i = 0; i <= k; i++) {
    sum += term;
    term *= ((n - i) / (i + 1)) * (share / (1 - share));
  }
  return sum;
}

describe('bounds on a share of failures', () => {
  it.each([
    [1, 192],
    [3, 400],
    [12, 64],
  ])('%d of %d', (failed, issued) => {
    const count = { failed, issued };
    expect(atMost(failed, issued, mostShare(count))).toBeCloseTo(0.1, 9);
    expect(1 - atMost(failed - 1, issued, leastShare(count))).toBeCloseTo(0.1, 9);
  });

  it('none and all', () => {
    expect(leastShare({ failed: 0, issued: 50 })).toBe(0);
    expect((1 - mostShare({ failed: 0, issued: 50 })) ** 50).toBeCloseTo(0.1, 9);
    expect(mostShare({ failed: 50, issued: 50 })).toBe(1);
  });
});

describe('a limit on failures', () => {
  const slo = parseSlo('failed<0.1%');

  it.each([
    [0, 192, true, true],
    [0, 3000, true, false],
    [1, 192, true, true],
    [2, 192, false, false],
    [1, 4, false, false],
    [192, 192, false, false],
  ])('%d of %d: met %s, unproven %s', (failed, issued, met, unproven) => {
    expect(standingOfFailures(slo, { failed, issued })).toEqual({ met, unproven });
  });

  it('of none at all is broken by one', () => {
    expect(standingOfFailures(parseSlo('failed<=0'), { failed: 1, issued: 100_000 }).met).toBe(false);
  });

  const trial = (number: number, failed: number): Trial => ({
    number,
    phase: 'confirm',
    variant: null,
    settings: { a: 1 },
    load: { concurrency: 8, ratePerSec: null },
    seed: number,
    outcome: 'ok',
    cause: null,
    figures: { failed: failed / 64 },
    predicted: null,
    summary: {
      counts: { planned: 64, issued: 64, ok: 64 - failed, failed, cancelled: 0, dropped: 0 },
    } as unknown as Summary,
    runId: null,
    restarted: false,
    startedAt: null,
    durationMs: null,
  });

  it('leaves an answer confirmed where one request of 192 failed, and says which', () => {
    const trials = [trial(1, 0), trial(2, 1), trial(3, 0)];
    const { accepted, standings } = confirmationOf(trials[0]!, trials, [slo], 3);
    expect(accepted).toBe(true);
    expect(standings[0]).toMatchObject({ failures: { failed: 1, issued: 192 }, unproven: true });
    expect(keepsAll(trials, [slo])).toBe(true);
  });

  it('takes it back where every run loses some', () => {
    const trials = [trial(1, 2), trial(2, 1), trial(3, 3)];
    expect(confirmationOf(trials[0]!, trials, [slo], 3).accepted).toBe(false);
  });
});
