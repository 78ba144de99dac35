import type { Exchange } from '../core/index.ts';
import { distributionOf, quantile } from '../core/index.ts';

/** How wrong a set of times is; null = nothing was measured. binP99 is the median of the p99s of 100 ms bins. */
export interface ErrorFigures {
  p50: number | null;
  p99: number | null;
  max: number | null;
  binP99: number | null;
  n: number;
}

const binMs = 100;

/** One value and when it was measured. */
export interface Timed {
  atMs: number;
  valueMs: number;
}

/** The client's receive errors: its stamp of each read minus the server's stamp of the first output in it. */
export function receiveErrors(exchanges: readonly Exchange[]): Timed[] {
  const errors: Timed[] = [];
  for (const { chunks } of exchanges) {
    const { atMs, emittedMs } = chunks;
    if (emittedMs === undefined || emittedMs.length !== atMs.length) continue;
    for (const [i, at] of atMs.entries()) errors.push({ atMs: at, valueMs: at - emittedMs[i]! });
  }
  return errors;
}

/** How late asks left, against the schedule. */
export function slips(exchanges: readonly Exchange[]): Timed[] {
  return exchanges.flatMap(({ dueMs, sentMs }) => (sentMs === null ? [] : [{ atMs: dueMs, valueMs: sentMs - dueMs }]));
}

/** The figures of a set of errors. */
export function errorFigures(errors: readonly Timed[]): ErrorFigures {
  const all = distributionOf(errors.map(({ valueMs }) => valueMs));
  return {
    p50: all?.p50 ?? null,
    p99: all?.p99 ?? null,
    max: all?.max ?? null,
    binP99: typicalTail(errors),
    n: errors.length,
  };
}

/** Stalls of a shared host show in the p99 of a whole run; the median bin tells what a quiet moment is like. */
function typicalTail(errors: readonly Timed[]): number | null {
  const bins = new Map<number, number[]>();
  for (const { atMs, valueMs } of errors) {
    const bin = Math.floor(atMs / binMs);
    const values = bins.get(bin);
    if (values === undefined) bins.set(bin, [valueMs]);
    else values.push(valueMs);
  }
  const tails = [...bins.values()].map((values) =>
    quantile(
      values.toSorted((a, b) => a - b),
      0.99,
    )!,
  );
  return quantile(
    tails.toSorted((a, b) => a - b),
    0.5,
  );
}
