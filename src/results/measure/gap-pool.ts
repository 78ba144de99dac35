import type { Distribution } from '../../core/index.ts';
import { makeColumn } from './column.ts';
import type { Column, Shelf } from './column.ts';
import { makeLogHistogram } from './log-histogram.ts';
import type { LogHistogram } from './log-histogram.ts';
import { weightedDistribution } from './weighted-distribution.ts';

/**
 * The gaps between tokens of all requests: exact, each with its end time, up to a cap; above it they are collapsed
 * into a histogram and their times are forgotten.
 */
export interface GapPool {
  add(gapMs: number, weight: number, endMs: number): void;
  merge(other: GapPool): void;
  /** null for no gaps. */
  distribution(): Distribution | null;
  /** Over the gaps that ended in [fromMs, toMs); null for none, and once collapsed. */
  between(fromMs: number, toMs: number): Distribution | null;
  readonly collapsed: boolean;
  contents(): { gaps: Column; weights: Column; ends: Column; histogram: LogHistogram | null };
}

/** Gaps that move into the histogram with each one that comes: all at once they would hold the client up for half a second. */
const movedTogether = 4;

/** An empty pool that collapses above `cap` reads. */
export function makeGapPool(cap: number, shelf: Shelf | null = null): GapPool {
  const gaps = makeColumn(shelf);
  const weights = makeColumn(shelf);
  const ends = makeColumn(shelf);
  let histogram: LogHistogram | null = null;
  let moved = 0;

  /** Moves exact gaps into the histogram; asked for all of them, none is left. */
  const move = (into: LogHistogram, count: number): void => {
    if (gaps.length === 0) return;
    const until = Math.min(gaps.length, moved + count);
    for (; moved < until; moved++) into.add(gaps.at(moved), weights.at(moved));
    if (moved < gaps.length) return;
    for (const column of [gaps, weights, ends]) column.clear();
    moved = 0;
  };
  const settled = (): LogHistogram | null => {
    if (histogram !== null) move(histogram, Infinity);
    return histogram;
  };

  return {
    add(gapMs, weight, endMs) {
      if (histogram !== null) {
        move(histogram, movedTogether);
        return histogram.add(gapMs, weight);
      }
      gaps.push(gapMs);
      weights.push(weight);
      ends.push(endMs);
      if (gaps.length > cap) histogram = makeLogHistogram();
    },
    merge(other) {
      const theirs = other.contents();
      settled();
      gaps.append(theirs.gaps);
      weights.append(theirs.weights);
      ends.append(theirs.ends);
      if (histogram === null && theirs.histogram === null && gaps.length <= cap) return;
      histogram ??= makeLogHistogram();
      settled();
      if (theirs.histogram !== null) histogram.merge(theirs.histogram);
    },
    distribution: () => settled()?.distribution() ?? distributionOfPairs(gaps.toArray(), weights.toArray()),
    between(fromMs, toMs) {
      if (histogram !== null) return null;
      const inside: number[] = [];
      for (let i = 0; i < ends.length; i++) {
        const end = ends.at(i);
        if (end >= fromMs && end < toMs) inside.push(i);
      }
      return distributionOfPairs(
        Float64Array.from(inside, (i) => gaps.at(i)),
        Float64Array.from(inside, (i) => weights.at(i)),
      );
    },
    get collapsed() {
      return histogram !== null;
    },
    contents: () => ({ histogram: settled(), gaps, weights, ends }),
  };
}

function distributionOfPairs(values: Float64Array, weights: Float64Array): Distribution | null {
  const order = sortOrder(values, weights);
  const ascending = new Float64Array(order.length);
  const beside = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) {
    ascending[i] = values[order[i]!]!;
    beside[i] = weights[order[i]!]!;
  }
  return weightedDistribution(ascending, beside);
}

const radix = 1 << 16;

/**
 * The order that sorts pairs of non-negative numbers by the first, then by the second (LSD radix sort on the bits of
 * the doubles, which sort like unsigned integers). Two million pairs take a fraction of what a comparing sort takes.
 */
function sortOrder(first: Float64Array, second: Float64Array): Uint32Array {
  let order = new Uint32Array(first.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  let spare = new Uint32Array(first.length);
  for (const values of [second, first]) {
    const words = new Uint16Array(values.buffer, values.byteOffset, values.length * 4);
    for (let digit = 0; digit < 4; digit++) {
      if (!countingPass(words, digit, order, spare)) continue;
      [order, spare] = [spare, order];
    }
  }
  return order;
}

/** One stable pass by one 16-bit digit; false when all digits are equal and nothing had to move. */
function countingPass(words: Uint16Array, digit: number, from: Uint32Array, to: Uint32Array): boolean {
  const starts = new Uint32Array(radix + 1);
  for (let i = digit; i < words.length; i += 4) starts[words[i]! + 1]! += 1;
  if (from.length > 0 && starts[words[digit]! + 1] === from.length) return false;
  for (let i = 0; i < radix; i++) starts[i + 1]! += starts[i]!;
  for (const index of from) to[starts[words[index * 4 + digit]!]!++] = index;
  return true;
}
