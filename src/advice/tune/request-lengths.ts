import type { RequestLengths } from './simulate-point.ts';
import type { Trial } from './trial.ts';

const assumed: RequestLengths = { inputTokens: 256, outputTokens: 256, outputSpread: 0.3 };

/** Lengths as the trials measured them; where none tells them, from throughput over requests, else an ordinary guess. */
export function requestLengthsOf(trials: readonly Trial[]): RequestLengths {
  const told = trials.findLast(({ summary }) => (summary?.outputTokens?.mean ?? 0) >= 1)?.summary ?? null;
  const output = told?.outputTokens ?? null;
  const fromRates = trials
    .map(({ figures }) => (figures['outputTokensPerSec'] ?? NaN) / (figures['requestsPerSec'] ?? NaN))
    .find((ratio) => ratio >= 1 && Number.isFinite(ratio));
  const outputTokens = output?.mean ?? fromRates ?? assumed.outputTokens;
  const [p50, p90] = [output?.p50 ?? null, output?.p90 ?? null];
  const spread =
    p50 !== null && p90 !== null && p50 > 0 ? Math.min(0.9, Math.max(0, (p90 / p50 - 1) * 1.25)) : assumed.outputSpread;
  return {
    inputTokens: Math.max(1, Math.round(told?.inputTokens?.mean ?? assumed.inputTokens)),
    outputTokens: Math.max(1, Math.round(outputTokens)),
    outputSpread: spread,
  };
}
