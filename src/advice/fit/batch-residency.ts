import { quantile } from '../../core/index.ts';
import type { Stay, Stretch } from './clock-pieces.ts';
import type { TracedRequest } from './request-trace.ts';

/** Steps in a stretch where the time of every token is known. */
const stretchSteps = 16;
/** An answer that missed so many steps of the engine was out of the batch. */
const missedSteps = 3;

/** Shorter answers say little of a step: the moments of their tokens are read a little late, now one, now the other. */
const tellingTokens = 8;

/** About the shortest step. */
export function leastStepOf(train: readonly TracedRequest[]): number {
  const tpots = train.flatMap(({ tpotMs, outputTokens }) =>
    tpotMs !== null && outputTokens >= tellingTokens ? [tpotMs] : [],
  );
  return Math.max(1e-3, quantile(Float64Array.from(tpots).sort(), 0.01) ?? 10);
}

/** When requests came and made their first token. */
export function arrivalsOf(
  train: readonly TracedRequest[],
): { arrivalMs: number; firstMs: number; promptTokens: number }[] {
  return train.map(({ arrivalMs, ttftMs, promptTokens }) => ({
    arrivalMs,
    firstMs: arrivalMs + ttftMs,
    promptTokens,
  }));
}

/**
 * When each request was in the batch, and what is counted. Where the times of tokens are known, a gap in which others went on is a
 * preemption (the prompt and what it had made are prefilled again after it), and stretches are short and follow one another; where
 * only the first and the last are, each answer is one stretch.
 */
export function staysOf(train: readonly TracedRequest[], leastStepMs: number): { stays: Stay[]; stretches: Stretch[] } {
  const whole = train.map(({ arrivalMs, ttftMs, latencyMs, promptTokens, outputTokens }) => ({
    fromMs: arrivalMs + ttftMs,
    toMs: arrivalMs + latencyMs,
    promptTokens,
    steps: outputTokens - 1,
  }));
  if (!train.every((request) => request.tokens !== undefined)) return { stays: whole, stretches: whole };
  const ends = stepEnds(train, 0.25 * leastStepMs);
  const parts = train.flatMap((request) => partsOf(request, ends));
  return { stays: parts, stretches: chainOf(parts) };
}

/** A stay with the times of its tokens. */
interface TimedStay extends Stay {
  atMs: number[];
  /** Tokens made up to each time, beginning with 0. */
  made: number[];
}

/** Every moment at which somebody's tokens came. */
function stepEnds(train: readonly TracedRequest[], apartMs: number): Float64Array {
  const all = Float64Array.from(train.flatMap((request) => request.tokens!.atMs)).sort();
  const kept: number[] = [];
  for (const moment of all) if (kept.length === 0 || moment > kept.at(-1)! + apartMs) kept.push(moment);
  return Float64Array.from(kept);
}

function partsOf({ tokens, promptTokens }: TracedRequest, ends: Float64Array): TimedStay[] {
  const { atMs, counts } = tokens!;
  const parts: TimedStay[] = [];
  let total = 0;
  let step = 0;
  atMs.forEach((moment, i) => {
    const before = step;
    while (step < ends.length - 1 && ends[step + 1]! <= moment + 1e-9) step++;
    const open = parts.at(-1);
    const missed = step - before - counts[i]!;
    if (open === undefined || missed >= missedSteps) {
      const held = promptTokens + total;
      parts.push({ fromMs: moment, toMs: moment, promptTokens: held, steps: 0, atMs: [moment], made: [0] });
    } else {
      open.steps += counts[i]!;
      open.toMs = moment;
      open.atMs.push(moment);
      open.made.push(open.steps);
    }
    total += counts[i]!;
  });
  return parts;
}

/** Stretches one after the other, each along an answer, so that no step is counted twice. */
function chainOf(parts: readonly TimedStay[]): Stretch[] {
  const order = parts.toSorted((a, b) => a.fromMs - b.fromMs);
  const stretches: Stretch[] = [];
  let nowMs = -Infinity;
  let next = 0;
  while (next < order.length) {
    // Of those that are in the batch now, the one that stays longest; else the next to come.
    let best = order[next]!;
    nowMs = Math.max(nowMs, best.fromMs);
    for (; next < order.length && order[next]!.fromMs <= nowMs + 1e-9; next++) {
      if (order[next]!.toMs > best.toMs) best = order[next]!;
    }
    for (const part of parts) if (part.fromMs <= nowMs && part.toMs > best.toMs) best = part;
    if (best.toMs <= nowMs) continue;
    let from = best.atMs.findIndex((moment) => moment >= nowMs - 1e-9);
    while (from < best.atMs.length - 1) {
      const enough = best.made.findIndex((made, i) => i > from && made >= best.made[from]! + stretchSteps);
      const to = enough === -1 ? best.atMs.length - 1 : enough;
      stretches.push({ fromMs: best.atMs[from]!, toMs: best.atMs[to]!, steps: best.made[to]! - best.made[from]! });
      from = to;
    }
    nowMs = best.toMs;
    while (next < order.length && order[next]!.toMs <= nowMs) next++;
  }
  return stretches;
}
