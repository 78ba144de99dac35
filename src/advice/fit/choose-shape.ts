import type { ClockPieces } from './clock-pieces.ts';
import { clockStart, fitClock, movedTo } from './step-clock.ts';
import type { ClockFit, ClockRules, GivenRules } from './step-clock.ts';

/** The shape of d(n) that was chosen, and how it was judged. */
export interface ChosenShape {
  fit: ClockFit;
  rules: ClockRules;
  /** Root mean square of the errors on what was left out, for the straight line and for the shape that was chosen. */
  leftOut: { straight: number; chosen: number };
}

const folds = 5;
/** A fold is left out in so many pieces over the run, so that what happens only at its end is still seen by the rest. */
const blocksPerFold = 4;
/** How freely a bent d(n) may bend. */
const bends = [0.1, 0.5, 2.5] as const;
/** A bent shape must be this much better on what it was not shown. */
const clearlyBetter = 0.95;
/** Fewer stretches than this say nothing about bends. */
const leastStretches = 60;

/** Whether d(n) is straight or bent, and how much, by leaving out a fifth of the run at a time. */
export function chooseShape(pieces: ClockPieces, leastStepMs: number, given: GivenRules): ChosenShape {
  const plain = { ...given, promptCost: true, bend: 1, beyond: 1 };
  const straight = fitClock(pieces, [], clockStart(leastStepMs, []), plain);
  const straightError = leftOutError(pieces, straight, plain);
  const knots = gridOf(pieces);
  let best = { fit: straight, rules: plain, error: straightError };
  if (knots.length > 0 && pieces.steps.length >= leastStretches) {
    for (const bend of bends) {
      const rules = { ...plain, bend };
      const fit = fitClock(pieces, knots, movedTo(straight, knots), rules);
      const error = leftOutError(pieces, fit, rules);
      if (error < clearlyBetter * best.error) best = { fit, rules, error };
    }
  }
  return { fit: best.fit, rules: best.rules, leftOut: { straight: straightError, chosen: best.error } };
}

/** Batch sizes over the busy time's range, a sixth apart. */
function gridOf({ decodes, lengthMs }: ClockPieces): number[] {
  const order = [...decodes.keys()].filter((j) => decodes[j]! > 0).toSorted((a, b) => decodes[a]! - decodes[b]!);
  const all = order.reduce((sum, j) => sum + lengthMs[j]!, 0);
  const grid: number[] = [];
  let passed = 0;
  for (const j of order) {
    passed += lengthMs[j]!;
    const n = decodes[j]!;
    if (passed < 0.03 * all || passed > 0.99 * all) continue;
    if (n >= (grid.at(-1) ?? 0) + Math.max(3, n / 7)) grid.push(n);
  }
  return grid;
}

function leftOutError(pieces: ClockPieces, { knots, x, sigma }: ClockFit, rules: ClockRules): number {
  const count = pieces.steps.length;
  const most = 5 * sigma;
  let sum = 0;
  for (let fold = 0; fold < folds; fold++) {
    const blockOf = (i: number): number => Math.floor((i * folds * blocksPerFold) / count);
    const out = (i: number): boolean => blockOf(i) % folds === fold;
    const counts = leftIn(pieces, out);
    const { errors } = fitClock(pieces, knots, x, rules, counts);
    for (let i = 0; i < count; i++) if (out(i)) sum += Math.min(Math.abs(errors[i]!), most) ** 2;
  }
  return Math.sqrt(sum / Math.max(1, count));
}

/** 1 for the stretches that share no step with those left out: else the jitter of those steps would be learnt by heart. */
function leftIn({ from, to, decodes }: ClockPieces, out: (i: number) => boolean): Float64Array {
  const covered = new Int32Array(decodes.length + 1);
  for (let i = 0; i < from.length; i++) {
    if (!out(i)) continue;
    covered[from[i]!]!++;
    covered[to[i]!]!--;
  }
  const until = new Int32Array(decodes.length + 1);
  let depth = 0;
  for (let j = 0; j < decodes.length; j++) {
    depth += covered[j]!;
    until[j + 1] = until[j]! + (depth > 0 ? 1 : 0);
  }
  return Float64Array.from(from, (first, i) => (until[to[i]!]! > until[first]! ? 0 : 1));
}
