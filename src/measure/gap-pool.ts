import type { Distribution } from '../core/index.ts';
import { makeColumn } from './column.ts';
import type { Column } from './column.ts';
import { makeLogHistogram } from './log-histogram.ts';
import type { LogHistogram } from './log-histogram.ts';
import { sortOrder } from './sort-order.ts';
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

/** An empty pool that collapses above `cap` reads. */
export function makeGapPool(cap: number): GapPool {
  let gaps = makeColumn();
  let weights = makeColumn();
  let ends = makeColumn();
  let histogram: LogHistogram | null = null;

  const collapse = (): LogHistogram => {
    const into = histogram ?? makeLogHistogram();
    for (let i = 0; i < gaps.length; i++) into.add(gaps.at(i), weights.at(i));
    [gaps, weights, ends] = [makeColumn(), makeColumn(), makeColumn()];
    histogram = into;
    return into;
  };

  return {
    add(gapMs, weight, endMs) {
      if (histogram !== null) return histogram.add(gapMs, weight);
      gaps.push(gapMs);
      weights.push(weight);
      ends.push(endMs);
      if (gaps.length > cap) collapse();
    },
    merge(other) {
      const theirs = other.contents();
      gaps.append(theirs.gaps);
      weights.append(theirs.weights);
      ends.append(theirs.ends);
      if (histogram !== null || theirs.histogram !== null || gaps.length > cap) {
        const into = collapse();
        if (theirs.histogram !== null) into.merge(theirs.histogram);
      }
    },
    distribution: () => histogram?.distribution() ?? distributionOfPairs(gaps.toArray(), weights.toArray()),
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
    contents: () => ({ gaps, weights, ends, histogram }),
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
