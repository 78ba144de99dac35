import { randomStream } from '../../core/index.ts';
import type { ClosedLoad } from './closed-run.ts';
import type { FitPoint } from './fit-point.ts';
import { drawLengths, relativeLengths } from './length-distribution.ts';

/** The closed loop behind each point of a sweep: the same answers in the same order everywhere, as a dataset has them. */
export function loadsOf(points: readonly FitPoint[], orderSeed: number): ClosedLoad[] {
  const knots = relativeLengths(points[0]!.latencyMs);
  return points.map((point) => ({
    concurrency: point.concurrency,
    inputTokens: Array.from<number>({ length: point.requests }).fill(point.inputTokens),
    outputTokens: shuffled(drawLengths(knots, point.requests, point.outputTokens), orderSeed),
  }));
}

function shuffled(values: number[], seed: number): number[] {
  const random = randomStream(seed, 'order of answers');
  for (let i = values.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [values[i], values[j]] = [values[j]!, values[i]!];
  }
  return values;
}
