import { studentTail } from './student.ts';

/** How often a history in which nothing changed may be said to have changed. */
const mayErr = 0.05;
/** From so many runs on, what they differ by from one to the next says more than the ups and downs within each. */
const enoughRuns = 6;

/** A run on the scale on which runs are compared: `y` with its standard error (null = not known) and the error's degrees of freedom. */
export interface Scaled {
  y: number;
  error: number | null;
  freedom: number;
}

/**
 * Where the level of a history changes: the places of the first run of each level but the first, ascending. Every place is
 * tried, and every stretch that differs from what is around it; their probabilities are multiplied by their number
 * (Bonferroni), so that a history in which nothing changed is marked in 5 % at the most.
 */
export function levelsOf(runs: readonly Scaled[]): number[] {
  const edges: number[] = [];
  const split = (from: number, to: number): void => {
    const [a, b] = strongest(runs, from, to) ?? [];
    if (a === undefined || b === undefined) return;
    for (const edge of [a, b]) if (edge > from && edge < to) edges.push(edge);
    split(from, a);
    split(a, b);
    split(b, to);
  };
  split(0, runs.length);
  const kept = [...new Set(edges)].toSorted((a, b) => a - b);
  // An edge that its own two neighbours do not bear out is none; the weakest goes first.
  for (;;) {
    const weights = kept.map((edge, i) => between(runs, kept[i - 1] ?? 0, edge, kept[i + 1] ?? runs.length)?.p ?? 1);
    const worst = weights.indexOf(Math.max(...weights));
    if (worst === -1 || weights[worst]! < mayErr) return kept;
    kept.splice(worst, 1);
  }
}

/** The stretch of [from, to) that differs most surely from the rest, if one does. */
function strongest(runs: readonly Scaled[], from: number, to: number): [number, number] | null {
  const n = to - from;
  if (n < 2) return null;
  const sums = prefixSums(runs, from, to);
  const whole = sums(from, to);
  const inner = n >= enoughRuns;
  const best = { edge: { t: 0, at: [0, 0] as [number, number] }, stretch: { t: 0, at: [0, 0] as [number, number] } };
  for (let a = from; a < to; a++)
    for (let b = a + 1; b <= to; b++) {
      const touches = a === from || b === to;
      if ((a === from && b === to) || (!touches && !inner)) continue;
      const t = strength(sums(a, b), whole);
      const kind = touches ? best.edge : best.stretch;
      if (t > kind.t) Object.assign(kind, { t, at: [a, b] });
    }
  const freedom = freedomOf(runs, from, to);
  // Half of what may go wrong is for changes that last, half for stretches; each prefix is told once as its suffix.
  const share = inner ? 2 : 1;
  const tried = { edge: share * (n - 1), stretch: share * Math.max(1, ((n - 1) * (n - 2)) / 2) };
  const p = {
    edge: tried.edge * 2 * studentTail(best.edge.t, freedom),
    stretch: tried.stretch * 2 * studentTail(best.stretch.t, freedom),
  };
  const kind = p.edge <= p.stretch ? 'edge' : 'stretch';
  return best[kind].t > 0 && p[kind] < mayErr ? best[kind].at : null;
}

interface Sums {
  n: number;
  y: number;
  yy: number;
  /** Squared errors of the runs; NaN = one of them is not known. */
  errors: number;
}

function prefixSums(runs: readonly Scaled[], from: number, to: number): (a: number, b: number) => Sums {
  const middle = meanOf(runs, from, to);
  const y = [0];
  const yy = [0];
  const errors = [0];
  for (let i = from; i < to; i++) {
    const { y: value, error } = runs[i]!;
    y.push(y.at(-1)! + (value - middle));
    yy.push(yy.at(-1)! + (value - middle) ** 2);
    errors.push(errors.at(-1)! + (error === null ? NaN : error ** 2));
  }
  const known = !Number.isNaN(errors.at(-1));
  return (a, b) => ({
    n: b - a,
    y: y[b - from]! - y[a - from]!,
    yy: yy[b - from]! - yy[a - from]!,
    errors: known ? errors[b - from]! - errors[a - from]! : NaN,
  });
}

/** How many standard errors a stretch lies from the rest. */
function strength(part: Sums, whole: Sums): number {
  const rest = { n: whole.n - part.n, y: whole.y - part.y, yy: whole.yy - part.yy, errors: whole.errors - part.errors };
  const apart = part.y / part.n - rest.y / rest.n;
  const error = errorBetween(part, rest);
  return error === null || apart === 0 ? 0 : error === 0 ? Infinity : Math.abs(apart) / error;
}

/** Standard error of the difference of two means; null = nothing is known of it. */
function errorBetween(one: Sums, other: Sums): number | null {
  const n = one.n + other.n;
  const within = Number.isNaN(one.errors + other.errors) ? null : [one, other].map((side) => side.errors / side.n ** 2);
  if (n < enoughRuns) return within === null ? null : Math.sqrt(within[0]! + within[1]!);
  const squares = [one, other].reduce((sum, side) => sum + Math.max(0, side.yy - side.y ** 2 / side.n), 0) / (n - 2);
  return Math.sqrt([one, other].reduce((sum, side, i) => sum + Math.max(squares / side.n, within?.[i] ?? 0), 0));
}

function freedomOf(runs: readonly Scaled[], from: number, to: number): number {
  if (to - from >= enoughRuns) return to - from - 2;
  return Math.max(1, Math.min(...runs.slice(from, to).map(({ freedom }) => freedom)));
}

/** Two neighbouring levels, [from, at) and [at, to), against each other; null = nothing is known of the error. */
export function between(
  runs: readonly Scaled[],
  from: number,
  at: number,
  to: number,
): { error: number; freedom: number; p: number } | null {
  const sums = prefixSums(runs, from, to);
  const [one, other] = [sums(from, at), sums(at, to)];
  const error = errorBetween(one, other);
  if (error === null) return null;
  const apart = Math.abs(one.y / one.n - other.y / other.n);
  const freedom = freedomOf(runs, from, to);
  const p = error === 0 ? (apart === 0 ? 1 : 0) : 2 * studentTail(apart / error, freedom);
  return { error, freedom, p };
}

/** Mean of the runs in [from, to). */
export function meanOf(runs: readonly Scaled[], from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += runs[i]!.y;
  return sum / Math.max(1, to - from);
}
