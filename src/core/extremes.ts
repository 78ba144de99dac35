/** The least of however many values there are (a call with a list of them spread out ends at a hundred thousand); Infinity of none. */
export function leastOf(values: Iterable<number>): number {
  let least = Infinity;
  for (const value of values) if (value < least) least = value;
  return least;
}

/** The greatest of however many values there are; -Infinity of none. */
export function mostOf(values: Iterable<number>): number {
  let most = -Infinity;
  for (const value of values) if (value > most) most = value;
  return most;
}
