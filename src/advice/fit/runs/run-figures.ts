import { quantile } from '../../../core/index.ts';
import type { MeasuredRun } from './measured-run.ts';

/** What is predicted of a run and scored. */
export interface Figures {
  outputTokensPerSec: number;
  ttftMeanMs: number;
  ttftP50Ms: number;
  ttftP99Ms: number;
  tpotMeanMs: number;
  tpotP99Ms: number;
  latencyP50Ms: number;
  latencyP99Ms: number;
}

export type FigureName = keyof Figures;

/** All figures, by name. */
export const figureNames: readonly FigureName[] = [
  'outputTokensPerSec',
  'ttftMeanMs',
  'ttftP50Ms',
  'ttftP99Ms',
  'tpotMeanMs',
  'tpotP99Ms',
  'latencyP50Ms',
  'latencyP99Ms',
];

/** The figures of a run, measured or played. */
export function figuresOf({ requests }: MeasuredRun): Figures {
  const tokens = requests.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  const endMs = requests.reduce((last, { sentMs, latencyMs }) => Math.max(last, sentMs + latencyMs), 0);
  const ttft = sortedOf(requests.map(({ ttftMs }) => ttftMs));
  const latency = sortedOf(requests.map(({ latencyMs }) => latencyMs));
  const tpot = sortedOf(
    requests.flatMap(({ ttftMs, latencyMs, outputTokens }) =>
      outputTokens > 1 ? [(latencyMs - ttftMs) / (outputTokens - 1)] : [],
    ),
  );
  return {
    outputTokensPerSec: (1000 * tokens) / endMs,
    ttftMeanMs: meanOf(ttft),
    ttftP50Ms: quantile(ttft, 0.5)!,
    ttftP99Ms: quantile(ttft, 0.99)!,
    tpotMeanMs: meanOf(tpot),
    tpotP99Ms: quantile(tpot, 0.99) ?? 0,
    latencyP50Ms: quantile(latency, 0.5)!,
    latencyP99Ms: quantile(latency, 0.99)!,
  };
}

export function sortedOf(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return values.length === 0 ? 0 : sum / values.length;
}
