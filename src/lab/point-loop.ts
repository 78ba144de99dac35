/** Where the points of an experiment come from: a list, a grid, a search or a tuner, asked with everything that was measured so far. */
export interface PointSource<Point, Measured> {
  /** The next point to measure; null = there are no more. */
  next(done: readonly Measured[]): Point | null | Promise<Point | null>;
}

/** What came of a loop over points. */
export interface MeasuredPoints<Measured> {
  done: Measured[];
  /** The source had no more points; false = it was stopped before. */
  whole: boolean;
}

/**
 * The one loop of every experiment: asks the source for a point, has it measured, and asks again, until there are no more or
 * somebody says stop. `before` = what an earlier part of the same experiment measured.
 */
export async function measurePoints<Point, Measured>(
  source: PointSource<Point, Measured>,
  measure: (point: Point, done: readonly Measured[]) => Promise<Measured>,
  stop: AbortSignal,
  before: readonly Measured[] = [],
): Promise<MeasuredPoints<Measured>> {
  const done = [...before];
  while (!stop.aborted) {
    const point = await source.next(done);
    if (point === null) return { done, whole: !stop.aborted };
    done.push(await measure(point, done));
  }
  return { done, whole: false };
}
