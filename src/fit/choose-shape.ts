import type { ClockPieces } from './clock-pieces.ts';
import { clockStart, fitClock, movedTo } from './step-clock.ts';
import type { ClockFit, ClockRules } from './step-clock.ts';

/** The shape of d(n) that was chosen, and how it was judged. */
export interface ChosenShape {
  fit: ClockFit;
  rules: ClockRules;
  /** Root mean square of the errors on what was left out, for the straight line and for the shape that was chosen. */
  leftOut: { straight: number; chosen: number };
}

const folds = 5;
/** How freely a bent d(n) may bend. */
const bends = [0.1, 0.5, 2.5] as const;
/** A bent shape must be this much better on what it was not shown. */
const clearlyBetter = 0.95;
/** Fewer stretches than this say nothing about bends. */
const leastStretches = 60;

/** Whether d(n) is straight or bent, and how much, by leaving out a fifth of the time at a time. */
export function chooseShape(pieces: ClockPieces, leastStepMs: number, given: Omit<ClockRules, 'bend'>): ChosenShape {
  const plain = { ...given, bend: 1 };
  const straight = fitClock(pieces, [], clockStart(leastStepMs, []), plain);
  const straightError = leftOutError(pieces, straight, plain);
  const knots = gridOf(pieces);
  let best = { fit: straight, rules: plain, error: straightError };
  if (knots.length > 0 && pieces.steps.length >= leastStretches) {
    for (const bend of bends) {
      const rules = { ...given, bend };
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
    // A fifth of the time, and what shares steps with it: else the jitter of those steps would be learnt by heart.
    const [first, end] = [Math.floor((fold * count) / folds), Math.floor(((fold + 1) * count) / folds)];
    const out = (i: number): boolean => i >= first && i < end;
    const [begins, ends] = [Math.min(...pieces.from.subarray(first, end)), Math.max(...pieces.to.subarray(first, end))];
    const shares = (i: number): boolean => pieces.to[i]! > begins && pieces.from[i]! < ends;
    const counts = Float64Array.from({ length: count }, (_, i) => (shares(i) ? 0 : 1));
    const { errors } = fitClock(pieces, knots, x, rules, counts);
    for (let i = 0; i < count; i++) if (out(i)) sum += Math.min(Math.abs(errors[i]!), most) ** 2;
  }
  return Math.sqrt(sum / Math.max(1, count));
}
