import { distributionOf } from '../../core/index.ts';
import type { Replayed } from './replay.ts';
import type { TracedRequest } from './request-trace.ts';

/** A metric on the requests that the fit did not see. */
export interface TraceMetric {
  measured: number;
  predicted: number;
  error: number;
}

const kinds = ['ttftMs', 'tpotMs', 'latencyMs'] as const;
const figures = ['mean', 'p50', 'p90', 'p99'] as const;
/** Logarithmic errors beyond this count less than their square (Huber). */
const mild = 0.2;

/**
 * How far replays are from the trace: request by request, in the mean over the replays and bounded so that a few cannot rule, and in the
 * figures that count. Each request's part is weighed so that a metric counts the same however many requests there are.
 */
export function traceResiduals(train: readonly TracedRequest[], replays: readonly Replayed[]): number[] {
  const weight = 1 / Math.sqrt(train.length);
  const each = kinds.flatMap((kind) =>
    train.map((request, i) => {
      const truth = request[kind];
      const guess = replays.reduce((sum, one) => sum + one[kind][i]!, 0) / replays.length;
      if (truth === null || !(truth > 0) || !(guess > 0)) return 0;
      const error = Math.log(guess / truth);
      const size = Math.abs(error);
      return weight * (size < mild ? error : Math.sign(error) * Math.sqrt(2 * mild * size - mild * mild));
    }),
  );
  return [...each, ...logRatios(train, replays).map((ratio) => 0.5 * ratio)];
}

function logRatios(train: readonly TracedRequest[], replays: readonly Replayed[]): number[] {
  return kinds.flatMap((kind) => {
    const truth = distributionOf(train.flatMap((request) => request[kind] ?? []));
    const guesses = replays.map((one) => {
      const own = one[kind].subarray(0, train.length);
      return distributionOf(own.filter((value) => !Number.isNaN(value)));
    });
    return figures.map((figure) => {
      const logs = guesses.map((guess) => Math.log((guess?.[figure] || 1) / (truth?.[figure] || 1)));
      return logs.reduce((sum, log) => sum + log, 0) / logs.length;
    });
  });
}

/**
 * Means and percentiles of the requests from number `from` on (up to `to`), measured, and replayed: the mean over several replays that differ in their
 * dice, since what is wanted is what to expect.
 */
export function scoreTrace(
  all: readonly TracedRequest[],
  replays: readonly Replayed[],
  from: number,
  to = all.length,
): Record<string, TraceMetric> {
  const entries = kinds.flatMap((kind) => {
    const truth = distributionOf(all.slice(from, to).flatMap((request) => request[kind] ?? []));
    const guesses = replays.map((one) =>
      distributionOf(one[kind].slice(from, to).filter((value) => !Number.isNaN(value))),
    );
    return figures.flatMap((figure) => {
      const measured = truth?.[figure] ?? null;
      const known = guesses.flatMap((guess) => guess?.[figure] ?? []);
      if (measured === null || known.length === 0 || measured === 0) return [];
      const predicted = known.reduce((sum, value) => sum + value, 0) / known.length;
      return [[`${kind}.${figure}`, { measured, predicted, error: predicted / measured - 1 }] as const];
    });
  });
  return Object.fromEntries(entries);
}
