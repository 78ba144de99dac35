/** A promise of our own code that did not hold: a bug of llmdyno, never a mistake of the user. Exit code 70. */
export class BrokenPromise extends Error {
  override name = 'BrokenPromise';
}

/** Throws BrokenPromise when one of our own promises does not hold. */
export function invariant(holds: unknown, promise: string): asserts holds {
  if (!holds) throw new BrokenPromise(promise);
}
