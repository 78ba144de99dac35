import type { RunFigures } from './closed-run.ts';
import type { FitPoint } from './fit-point.ts';

/** The metrics that sweeps are scored by, with where they stand in a point and in a simulated run. */
export const scoredMetrics = {
  outputTokensPerSec: {
    measured: (point: FitPoint): number | null => point.outputTokensPerSec,
    predicted: (run: RunFigures): number => run.outputTokensPerSec,
  },
  'latencyMs.mean': {
    measured: (point: FitPoint): number | null => point.latencyMeanMs,
    predicted: (run: RunFigures): number => run.latencyMeanMs,
  },
  'latencyMs.p90': {
    measured: (point: FitPoint): number | null => point.latencyP90Ms,
    predicted: (run: RunFigures): number => run.latencyP90Ms,
  },
} as const;

export type ScoredMetric = keyof typeof scoredMetrics;
export const scoredNames = Object.keys(scoredMetrics) as ScoredMetric[];
