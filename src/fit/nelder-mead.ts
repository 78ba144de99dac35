/** Where a search for the least value ended. */
export interface Minimum {
  at: number[];
  value: number;
  evaluations: number;
}

/**
 * Looks for the least value of a function of a few numbers without derivatives (Nelder and Mead 1965), from a start and with a
 * first step for each number. Ends when the simplex's values differ by less than `tolerance`, or after so many evaluations.
 */
export function nelderMead(
  f: (x: readonly number[]) => number,
  start: readonly number[],
  steps: readonly number[],
  options: { evaluations: number; tolerance: number },
): Minimum {
  let evaluations = 0;
  const corner = (at: number[]): { at: number[]; value: number } => {
    evaluations++;
    return { at, value: f(at) };
  };
  let simplex = [
    corner([...start]),
    ...start.map((_, i) => corner(start.map((x, j) => (i === j ? x + steps[j]! : x)))),
  ];
  const n = start.length;
  const along = (from: readonly number[], to: readonly number[], factor: number): number[] =>
    from.map((x, i) => x + factor * (to[i]! - x));
  while (evaluations < options.evaluations) {
    simplex = simplex.toSorted((a, b) => a.value - b.value);
    const [best, worst, second] = [simplex[0]!, simplex[n]!, simplex[n - 1]!];
    if (worst.value - best.value < options.tolerance) break;
    const centre = start.map((_, i) => simplex.slice(0, n).reduce((sum, c) => sum + c.at[i]!, 0) / n);
    const reflected = corner(along(centre, worst.at, -1));
    if (reflected.value < best.value) {
      const expanded = corner(along(centre, worst.at, -2));
      simplex[n] = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < second.value) simplex[n] = reflected;
    else {
      const nearer = reflected.value < worst.value ? reflected : worst;
      const contracted = corner(along(centre, nearer.at, 0.5));
      if (contracted.value < nearer.value) simplex[n] = contracted;
      else simplex = [best, ...simplex.slice(1).map((c) => corner(along(best.at, c.at, 0.5)))];
    }
  }
  const [best] = simplex.toSorted((a, b) => a.value - b.value);
  return { ...best!, evaluations };
}
