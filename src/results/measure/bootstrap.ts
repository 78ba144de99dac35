import { quantile, randomStream } from '../../core/index.ts';

/** How a bootstrap draws. */
export interface BootstrapOptions {
  resamples: number;
  confidence: number;
  seed: number;
  /** Names the random stream, so that two intervals of one report do not share their luck. */
  name: string;
}

/** What is used unless told otherwise. */
export const usualBootstrap: BootstrapOptions = { resamples: 1000, confidence: 0.95, seed: 1, name: 'bootstrap' };

/** Percentile interval of a statistic over independent values: resampled with replacement, same seed, same interval. */
export function bootstrapInterval(
  values: ArrayLike<number>,
  statistic: (sample: Float64Array) => number,
  options: Partial<BootstrapOptions> = {},
): readonly [number, number] | null {
  const { resamples, confidence, seed, name } = { ...usualBootstrap, ...options };
  const n = values.length;
  if (n < 2) return null;
  const stream = randomStream(seed, name);
  const sample = new Float64Array(n);
  const drawn = new Float64Array(resamples);
  for (let r = 0; r < resamples; r++) {
    for (let i = 0; i < n; i++) sample[i] = values[stream.below(n)]!;
    drawn[r] = statistic(sample);
  }
  drawn.sort();
  const tail = (1 - confidence) / 2;
  return [quantile(drawn, tail)!, quantile(drawn, 1 - tail)!];
}
