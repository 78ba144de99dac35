import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cholesky, solve, solveLower, solveTransposed } from './linear-algebra.ts';

const entry = fc.integer({ min: -9, max: 9 });
/** A square matrix that is certainly solvable: the diagonal outweighs its row. */
const system = fc
  .integer({ min: 1, max: 6 })
  .chain((n) =>
    fc.record({
      rows: fc.array(fc.array(entry, { minLength: n, maxLength: n }), { minLength: n, maxLength: n }),
      right: fc.array(entry, { minLength: n, maxLength: n }),
    }),
  )
  .map(({ rows, right }) => ({
    matrix: rows.map((row, i) => row.map((value, j) => (i === j ? value + 10 * row.length : value))),
    right,
  }));
const times = (matrix: readonly (readonly number[])[], x: readonly number[]): number[] =>
  matrix.map((row) => row.reduce((sum, value, j) => sum + value * x[j]!, 0));

function expectClose(found: readonly number[], wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length);
  for (const [i, value] of wanted.entries()) expect(found[i]).toBeCloseTo(value, 8);
}

test('what solves a system, put into it, gives its right side, in whatever order its rows stand', () => {
  fc.assert(
    fc.property(system, ({ matrix, right }) => {
      expectClose(times(matrix, solve(matrix, right)), right);
      expectClose(times(matrix, solve(matrix.toReversed(), right.toReversed())), right);
    }),
  );
});

test('the root of M·Mᵀ solves it in two steps', () => {
  fc.assert(
    fc.property(system, ({ matrix, right }) => {
      const square = matrix.map((row) => times(matrix, row));
      const lower = cholesky(square);
      expectClose(times(square, solveTransposed(lower, solveLower(lower, right))), right);
    }),
  );
});
