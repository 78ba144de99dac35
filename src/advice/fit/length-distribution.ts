import type { Distribution } from '../../core/index.ts';
import { percentileRanks } from '../../core/index.ts';

/** Quantiles of something, straight between knots. */
export interface QuantileKnot {
  /** 0 … 1. */
  at: number;
  value: number;
}

/** Spread of answer lengths where nothing is known: standard deviation of their logarithm, about that of chat answers. */
const usualLogSigma = 0.4;

/** Longest over shortest known percentile below which all answers are taken to be equally long. */
const fixedRatio = 1.04;

/**
 * Answer lengths relative to their mean, from the latency percentiles at the lowest concurrency: there every token takes about
 * the same time, so a latency's share of the mean is a length's share of the mean. The half below p50, which logs do not
 * print, is drawn as a straight line whose start makes the mean come out right.
 */
export function relativeLengths(latency: Distribution | null): QuantileKnot[] {
  const mean = latency?.mean ?? null;
  const known = percentileRanks.flatMap((rank) => {
    const value = latency?.[`p${rank}`] ?? null;
    return value === null || mean === null || mean <= 0 ? [] : [{ at: rank / 100, value: value / mean }];
  });
  if (known.length < 2) return logNormalKnots(known.length === 0 ? usualLogSigma : logSigmaOf(known[0]!));
  if (known.at(-1)!.value / known[0]!.value < fixedRatio)
    return [
      { at: 0, value: 1 },
      { at: 1, value: 1 },
    ];
  const most = (latency?.max ?? null) === null ? null : latency!.max! / mean!;
  const upper = [...known, ...tailKnots(known, most, latency?.n || usualCount)];
  return [...lowerPart(upper), ...upper];
}

/** Whether all answers are equally long, as far as the percentiles at the lowest concurrency tell. */
export function answersAreAlike(latency: Distribution): boolean {
  const knots = relativeLengths(latency);
  return knots.at(-1)!.value === knots[0]!.value;
}

/** Shares of the tail beyond the last known percentile that get a knot. */
const tailShares = [0.5, 0.2, 0.1, 0.05, 0.02] as const;
/** Requests of a log that does not count them. */
const usualCount = 1000;

/**
 * Beyond the last known percentile lengths thin out exponentially: up to the largest, where a log tells it, else at the pace of
 * the last two percentiles. The longest answers are few, but the end of a run waits for them.
 */
function tailKnots(known: readonly QuantileKnot[], most: number | null, count: number): QuantileKnot[] {
  const [before, tail] = [known.at(-2)!, known.at(-1)!];
  const rest = 1 - tail.at;
  const scale =
    most === null
      ? (tail.value - before.value) / Math.log((1 - before.at) / rest)
      : Math.max(0, most - tail.value) / Math.log(Math.max(2, 2 * rest * count));
  const end = most === null ? Infinity : Math.max(most, tail.value);
  const knots = tailShares.map((share) => ({
    at: 1 - share * rest,
    value: Math.min(end, tail.value - scale * Math.log(share)),
  }));
  return [...knots, { at: 1, value: knots.at(-1)!.value }];
}

/** A straight line from some start to the first knot, so that the whole has mean 1; bent where that start would be negative. */
function lowerPart(upper: readonly QuantileKnot[]): QuantileKnot[] {
  let above = 0;
  upper.slice(1).forEach((knot, i) => {
    above += ((knot.at - upper[i]!.at) * (knot.value + upper[i]!.value)) / 2;
  });
  const first = upper[0]!;
  const meanBelow = (1 - above) / first.at;
  const start = 2 * meanBelow - first.value;
  const least = 0.02 * first.value;
  if (start >= least && start <= first.value) return [{ at: 0, value: start }];
  if (start > first.value) return [{ at: 0, value: first.value }];
  // A knot in the middle takes up what the line cannot.
  const middle = Math.max(least, 2 * meanBelow - (least + first.value) / 2);
  return [
    { at: 0, value: least },
    { at: first.at / 2, value: Math.min(middle, first.value) },
  ];
}

/** The log-normal whose percentile is that many times its mean; σ solves z·σ − σ²/2 = log of the ratio. */
function logSigmaOf({ at, value }: QuantileKnot): number {
  const z = normalQuantile(at);
  const under = z * z - 2 * Math.log(value);
  return Math.min(1.2, Math.abs(z - Math.sqrt(Math.max(0, under))));
}

/** Of the standard normal, for the percentiles that logs print: straight between the ones that are known here. */
function normalQuantile(at: number): number {
  return quantileAt(
    normalRanks.map((rank, i) => ({ at: rank, value: normalValues[i]! })),
    at,
  );
}

const normalRanks = [0.005, 0.05, 0.1, 0.25, 0.5, 0.66, 0.75, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999] as const;
const normalValues = [
  -2.576, -1.645, -1.282, -0.674, 0, 0.412, 0.674, 0.842, 1.282, 1.645, 2.054, 2.326, 3.09,
] as const;

function logNormalKnots(sigma: number): QuantileKnot[] {
  const shift = (sigma * sigma) / 2;
  const knots = normalRanks.map((at, i) => ({ at, value: Math.exp(sigma * normalValues[i]! - shift) }));
  return [{ at: 0, value: knots[0]!.value * 0.8 }, ...knots, { at: 1, value: knots.at(-1)!.value * 1.1 }];
}

/** So many lengths, spread evenly over the quantiles and scaled to the mean, at least 1 each. */
export function drawLengths(knots: readonly QuantileKnot[], count: number, meanTokens: number): number[] {
  const values = Array.from({ length: count }, (_, i) => quantileAt(knots, (i + 0.5) / count));
  const scale = meanTokens / (values.reduce((sum, value) => sum + value, 0) / count);
  return values.map((value) => Math.max(1, Math.round(value * scale)));
}

function quantileAt(knots: readonly QuantileKnot[], at: number): number {
  for (let i = 1; i < knots.length; i++) {
    const [low, high] = [knots[i - 1]!, knots[i]!];
    if (at <= high.at) return low.value + ((at - low.at) / (high.at - low.at || 1)) * (high.value - low.value);
  }
  return knots.at(-1)!.value;
}
