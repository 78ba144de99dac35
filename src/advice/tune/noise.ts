import { studentQuantile } from '../../results/measure/index.ts';
import { settingsKey } from './setting.ts';
import type { Trial } from './trial.ts';

/**
 * How far two runs of the same thing usually differ, as the standard deviation of a logarithm, before any repeat was seen.
 * Identical runs were found to differ by 0.7–1.7 % in throughput and about 10 % in the time to the first token.
 */
export function usualNoise(word: string): number {
  if (word === 'failed') return 0.002;
  const [metric, statistic] = word.split('.');
  const tail = statistic === 'p99' || statistic === 'max' ? 2.5 : statistic?.startsWith('p9') === true ? 1.6 : 1;
  if (metric === 'ttft' || metric === 'lateness') return 0.06 * tail;
  if (metric === 'tpot' || metric === 'itl') return 0.015 * tail;
  if (metric === 'latency') return 0.02 * tail;
  return 0.015;
}

/** How much wider than its own spread between requests a run's mean is taken to be from run to run, and never less than this. */
const ownSpread = { factor: 3, least: 0.003, fewest: 50 } as const;
const timeKeys = { ttft: 'ttftMs', tpot: 'tpotMs', itl: 'itlMs', latency: 'latencyMs' } as const;

/** The usual noise, or less where the requests of the runs themselves lie so close together that their mean cannot wander that far. */
function expectedNoise(word: string, trials: readonly Trial[]): number {
  const usual = usualNoise(word);
  const [metric = '', statistic] = word.split('.');
  if (statistic !== 'mean' || !Object.hasOwn(timeKeys, metric)) return usual;
  const key = timeKeys[metric as keyof typeof timeKeys];
  const seen = trials.findLast(({ summary }) => (summary?.[key]?.n ?? 0) >= ownSpread.fewest)?.summary?.[key] ?? null;
  if (seen === null || seen.mean === null || seen.p50 === null || seen.p90 === null || seen.mean <= 0) return usual;
  const spread = (seen.p90 - seen.p50) / 1.2816 / seen.mean;
  return Math.min(usual, Math.max(ownSpread.least, (ownSpread.factor * spread) / Math.sqrt(seen.n)));
}

/** Repeats that the usual noise is worth. */
const usualWeight = 3;

interface Spread {
  variance: number;
  freedom: number;
}

/** Pools repeats of the same settings and load with the usual noise. */
function spreadOf(word: string, trials: readonly Trial[], expected = expectedNoise(word, trials)): Spread {
  const groups = new Map<string, number[]>();
  for (const { outcome, settings, load, figures } of trials) {
    const value = figures[word] ?? null;
    if (outcome !== 'ok' || value === null || (word !== 'failed' && value <= 0)) continue;
    const key = `${settingsKey(settings)} ${load.concurrency} ${load.ratePerSec}`;
    groups.set(key, [...(groups.get(key) ?? []), word === 'failed' ? value : Math.log(value)]);
  }
  let [squares, freedom] = [usualWeight * expected ** 2, usualWeight];
  for (const values of groups.values()) {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    for (const value of values) squares += (value - mean) ** 2;
    freedom += values.length - 1;
  }
  return { variance: squares / freedom, freedom };
}

/** Standard deviation of one look at a figure: of its logarithm, of itself for `failed`. */
export function noiseOf(word: string, trials: readonly Trial[]): number {
  return Math.sqrt(spreadOf(word, trials).variance);
}

/** How sure an allowance is, and what runs are expected to differ by before any repeat was seen. */
interface Allowing {
  confidence?: number;
  expected?: number;
}

/** One-sided allowance on the mean of so many fresh runs, in the same units. */
export function allowanceOf(word: string, trials: readonly Trial[], runs: number, allowing: Allowing = {}): number {
  const { variance, freedom } = spreadOf(word, trials, allowing.expected);
  return studentQuantile(allowing.confidence ?? 0.9, freedom) * Math.sqrt(variance / runs);
}
