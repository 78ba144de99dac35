/** Width of the buckets that arrivals are counted in; the steady window's edges lie on them. */
export const bucketMs = 100;

/** Amounts are kept in whole 2^-24ths, so that sums are exact and do not depend on their order. */
const grain = 2 ** 24;

/** Amounts (tokens, requests) by the 100 ms of the run's clock in which they arrived. */
export interface TimeBuckets {
  add(atMs: number, amount: number): void;
  merge(other: TimeBuckets): void;
  /** What arrived in [fromMs, toMs), both on bucket edges. */
  between(fromMs: number, toMs: number): number;
  /** The raw contents, for merging. */
  contents(): Float64Array;
}

/** Buckets with nothing in them. Times before the clock's zero fall into the first bucket. */
export function makeTimeBuckets(): TimeBuckets {
  let grains = new Float64Array(256);
  let used = 0;
  const reserve = (length: number): void => {
    if (length > grains.length) {
      const wider = new Float64Array(Math.max(length, grains.length * 2));
      wider.set(grains.subarray(0, used));
      grains = wider;
    }
    used = Math.max(used, length);
  };
  return {
    add(atMs, amount) {
      const index = Math.max(0, Math.floor(atMs / bucketMs));
      reserve(index + 1);
      grains[index]! += Math.round(amount * grain);
    },
    merge(other) {
      const theirs = other.contents();
      reserve(theirs.length);
      for (let i = 0; i < theirs.length; i++) grains[i]! += theirs[i]!;
    },
    between(fromMs, toMs) {
      let sum = 0;
      const last = Math.min(used, Math.round(toMs / bucketMs));
      for (let i = Math.max(0, Math.round(fromMs / bucketMs)); i < last; i++) sum += grains[i]!;
      return sum / grain;
    },
    contents: () => grains.subarray(0, used),
  };
}
