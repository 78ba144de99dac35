import { describe, expect, it } from 'vitest';
import type { LoadShape } from '../../core/index.ts';
import { isDue, makePacer } from './index.ts';

const n = 100_000;
const ratePerSec = 100;

/** n due times in seconds of a Poisson process at 100/s. */
function dueSec(seed: number, rate = ratePerSec, count = n): number[] {
  const load: LoadShape = {
    kind: 'open',
    concurrency: null,
    ratePerSec: rate,
    arrival: { process: 'poisson' },
    dropLate: false,
  };
  const pacer = makePacer(load, { requests: count, durationMs: null }, seed);
  return Array.from({ length: count }, () => {
    const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
    if (!isDue(pacing)) throw new Error('ended early');
    return pacing.atMs / 1000;
  });
}

/** Gaps in units of the mean gap; the first one counts from 0. */
const unitGaps = (times: readonly number[]): number[] => times.map((t, i) => (t - (times[i - 1] ?? 0)) * ratePerSec);
const mean = (xs: readonly number[]): number => xs.reduce((sum, x) => sum + x, 0) / xs.length;
const variance = (xs: readonly number[]): number => {
  const m = mean(xs);
  return mean(xs.map((x) => (x - m) ** 2));
};

describe.each([1, 42, 20_261_010])('Poisson arrivals over 100,000 draws, seed %i', (seed) => {
  const times = dueSec(seed);
  const gaps = unitGaps(times);

  // The mean of n unit exponentials has standard deviation 1/√n = 0.00316; five of them are 0.0158.
  it('law: the mean gap is one over the rate', () => {
    expect(Math.abs(mean(gaps) - 1)).toBeLessThan(0.0158);
  });

  // For unit exponentials Var(s) ≈ 2/n, Var(m) = 1/n, Cov(s, m) = 1/n, so Var(s/m) ≈ (2 + 1 − 2)/n: again 0.00316.
  it('law: the coefficient of variation of the gaps is 1', () => {
    expect(Math.abs(Math.sqrt(variance(gaps)) / mean(gaps) - 1)).toBeLessThan(0.0158);
  });

  // Kolmogorov: P(D > 2.23/√n) ≈ 2·exp(−2·2.23²) ≈ 1e-4.
  it('law: gaps are distributed as 1 − exp(−x), with nothing clipped at either end', () => {
    const ascending = gaps.toSorted((a, b) => a - b);
    const worst = ascending.reduce((d, x, i) => Math.max(d, Math.abs((i + 0.5) / n - (1 - Math.exp(-x)))), 0);
    expect(worst).toBeLessThan(2.23 / Math.sqrt(n));
    // The largest of n is near ln(n) = 11.5: below 9 or above 24 has odds of about e^-12 and 4e-6.
    expect(ascending.at(-1)).toBeGreaterThan(9);
    expect(ascending.at(-1)).toBeLessThan(24);
  });

  // Neighbours' correlation has standard deviation 1/√n.
  it('law: a gap says nothing about the next one', () => {
    const m = mean(gaps);
    const covariance = mean(gaps.slice(1).map((x, i) => (x - m) * (gaps[i]! - m)));
    expect(Math.abs(covariance / variance(gaps))).toBeLessThan(0.0158);
  });

  // 2 ms of each second: 200 of 100,000 expected, standard deviation √(100000·0.002·0.998) = 14.1; five are 71.
  it('law: no mass on round seconds', () => {
    const nearRound = times.filter((t) => Math.abs(t - Math.round(t)) < 0.001).length;
    expect(Math.abs(nearRound - 200)).toBeLessThan(71);
  });

  // Variance over mean of Poisson counts in k windows has standard deviation √(2/k); k = 900, five are 0.236.
  it('law: counts in one-second windows vary as much as their mean', () => {
    const counts = Array.from({ length: 900 }, () => 0);
    for (const t of times) if (t < 900) counts[Math.floor(t)]! += 1;
    expect(Math.abs(variance(counts) / mean(counts) - 1)).toBeLessThan(0.236);
  });
});

describe('Poisson arrivals under a seed', () => {
  it('are the same times every time, and other times under another seed', () => {
    expect(dueSec(7, 100, 50)).toEqual(dueSec(7, 100, 50));
    const other = new Set(dueSec(8, 100, 50));
    expect(dueSec(7, 100, 50).filter((t) => other.has(t))).toEqual([]);
  });

  it('at twice the rate are the same pattern in half the time', () => {
    const slow = dueSec(7, 50, 1000);
    const fast = dueSec(7, 100, 1000);
    expect(fast.map((t) => t * 2)).toEqual(slow);
  });

  it('do not begin at 0: the first ask comes after the first gap', () => {
    expect(dueSec(7, 100, 1)[0]).toBeGreaterThan(0);
  });
});
