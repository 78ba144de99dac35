import { dimensionsOf } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';

/** The lengths by which a point of a grid is named; null = not said. */
export function askedOf(point: Summary): { input: string | null; output: string | null } {
  const values = dimensionsOf(point);
  const text = (name: string): string | null => (values.has(name) ? String(values.get(name)) : null);
  return { input: text('input'), output: text('output') };
}

/** Less of a rectangle than this is a list: a heat table of it would be holes. */
const leastFilled = 0.6;

/** Whether most pairs of an input and an output length were measured, so that they make a table of rows and columns. */
export function isFilled(points: readonly Summary[]): boolean {
  const asked = points.map(askedOf);
  const size = (of: (one: { input: string | null; output: string | null }) => string | null): number =>
    new Set(asked.map(of)).size;
  const cells = size(({ input, output }) => `${input} ${output}`);
  return cells >= leastFilled * size(({ input }) => input) * size(({ output }) => output);
}

/** Points by their input length, in its order; within one by the length that came out. */
export function byInput(points: readonly Summary[]): [input: string | null, points: Summary[]][] {
  const inputs = [...new Set(points.map((point) => askedOf(point).input))].toSorted((a, b) => Number(a) - Number(b));
  return inputs.map((input) => [
    input,
    points
      .filter((point) => askedOf(point).input === input)
      .toSorted((a, b) => (a.outputTokens?.mean ?? 0) - (b.outputTokens?.mean ?? 0)),
  ]);
}
