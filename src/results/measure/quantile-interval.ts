import { regularizedBeta } from './student.ts';

/**
 * A distribution-free interval for quantile q from independent values in ascending order: two order statistics between
 * which the quantile lies with at least the asked confidence, whatever the distribution (the number of values below the
 * quantile is binomial). Both tails get at most half of what is left. `alike` values each count as one where they are not
 * independent. null where n is too small for any such pair.
 */
export function quantileInterval(ascending: ArrayLike<number>, q: number, alike = 1): readonly [number, number] | null {
  const n = Math.floor(ascending.length / alike);
  const tail = 0.025;
  // Largest l with P(X ≤ l − 1) ≤ tail and smallest u with P(X ≥ u) ≤ tail, X binomial(n, q); ranks count from 1.
  const below = (k: number): number => (k < 0 ? 0 : k >= n ? 1 : 1 - regularizedBeta(q, k + 1, n - k));
  const lower = largest(0, n, (rank) => below(rank - 1) <= tail);
  const upper = n + 1 - largest(0, n, (back) => 1 - below(n - back) <= tail);
  if (lower < 1 || upper > n) return null;
  // Ranks of so many values, among all of them: outward, so that no interval gets narrower.
  const scale = ascending.length / n;
  return [ascending[Math.floor((lower - 1) * scale)]!, ascending[Math.ceil(upper * scale) - 1]!];
}

/** The largest whole number in [from, to] that passes a test which holds up to some number and not beyond. */
function largest(from: number, to: number, passes: (value: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
