import type { RunFigures } from './closed-run.ts';
import type { FitPoint } from './fit-point.ts';
import { answersAreAlike } from './length-distribution.ts';
import { scoredMetrics, scoredNames } from './scored-metrics.ts';

/** A figure of a used point that an engine has to explain. */
export interface ExplainedFigure {
  measured(point: FitPoint): number | null;
  predicted(run: RunFigures): number;
  /** What a slower step does to it: −1 makes it smaller, 1 larger, all by the same factor. */
  slowed: 1 | -1;
  /** Only the throughput waits for the last answer of a run. */
  drains: boolean;
  /** Variance of its logarithm besides what is common to its run; `beyond` = logarithm of the concurrency over the knee, at least 0. */
  variance(point: FitPoint, beyond: number): number;
}

/** How a mean was read, and what else is in it. */
const meanSigma = 0.01;
/** How a percentile was read; answers differ from run to run, so that the fewer there are, the less it is known … */
const rankSigma = 0.007;
const middleAnswers = 0.3;
const lateAnswers = 0.6;
/** … and in a queue nobody is quite first come, first served: per factor of e beyond the knee. */
const queueSigma = 0.03;
/** Time from the first token to the last against what a step costs: the others' prompts are in it, and so are the client's moments. */
const servedSigma = 0.05;

const ofMean = (): number => meanSigma ** 2;
const ofRank =
  (answers: number) =>
  ({ requests }: FitPoint, beyond: number): number =>
    rankSigma ** 2 + answers ** 2 / requests + (queueSigma * beyond) ** 2;

/** The scored metrics, in the order of their names. */
export const scoredFigures: readonly ExplainedFigure[] = scoredNames.map((name) => ({
  ...scoredMetrics[name],
  slowed: name === 'outputTokensPerSec' ? -1 : 1,
  drains: name === 'outputTokensPerSec',
  variance: name === 'latencyMs.p90' ? ofRank(middleAnswers) : ofMean,
}));

const rankFigure = (rank: 'p50' | 'p99', predicted: (run: RunFigures) => number): ExplainedFigure => ({
  measured: ({ latencyMs }) => latencyMs[rank] ?? null,
  predicted,
  slowed: 1,
  drains: false,
  variance: ofRank(rank === 'p50' ? middleAnswers : lateAnswers),
});

/** A queue adds the same to everybody: where it begins, short and long answers come closer together. That tells the batch from the step. */
const spreadFigures = [
  rankFigure('p50', (run) => run.latencyP50Ms),
  rankFigure('p99', (run) => run.latencyP99Ms),
] as const;

/**
 * What to explain of a sweep, the scored metrics first. Percentiles where the lowest point has told how the answers' lengths are spread (answers
 * that are all alike go in waves, which no server keeps up for long); the time being served where tokens were streamed.
 */
export function figuresOf(lowest: FitPoint): readonly ExplainedFigure[] {
  const told = spreadFigures.every((figure) => figure.measured(lowest) !== null);
  return [
    ...scoredFigures,
    ...(told && !answersAreAlike(lowest.latencyMs) ? spreadFigures : []),
    ...(lowest.ttftMeanMs === null ? [] : [servedFigure(lowest.ttftMeanMs / lowest.latencyMeanMs)]),
  ];
}

/** `prefill` = the share of a lone request's time before its first token, which the step's cost does not tell from the rest. */
function servedFigure(prefill: number): ExplainedFigure {
  return {
    measured: ({ ttftMeanMs, latencyMeanMs }) => (ttftMeanMs === null ? null : latencyMeanMs - ttftMeanMs),
    predicted: ({ latencyMeanMs, ttftMeanMs }) => latencyMeanMs - ttftMeanMs,
    slowed: 1,
    drains: false,
    variance: () => servedSigma ** 2 + prefill ** 2,
  };
}
