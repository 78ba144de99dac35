import { invariant, randomStream } from '../../core/index.ts';

/** Which part of a weighted mix prompt number `index` comes from, and its number within that part. */
export interface MixPlace {
  part: number;
  index: number;
}

/** Deals prompt numbers out to parts by weight: the same seed gives the same deal, from any number on. */
export function mixPlaces(weights: readonly number[], seed: number): (offset: number) => () => MixPlace {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  invariant(weights.length > 0 && total > 0, 'a mix has weights');
  const partOf = (index: number): number => {
    let at = randomStream(seed, `mix ${index}`).next() * total;
    for (const [part, weight] of weights.entries()) if ((at -= weight) <= 0 && weight > 0) return part;
    return weights.length - 1;
  };
  return (offset) => {
    const taken = weights.map(() => 0);
    for (let index = 0; index < offset; index++) taken[partOf(index)]!++;
    let index = offset;
    return () => {
      const part = partOf(index++);
      return { part, index: taken[part]!++ };
    };
  };
}
