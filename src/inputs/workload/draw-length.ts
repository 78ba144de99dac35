import { invariant } from '../../core/index.ts';
import type { LengthLaw, RandomStream } from '../../core/index.ts';

/** Redraws before a law that hardly ever lands between its bounds is cut to them. */
const mostRedraws = 1000;

/** Draws lengths by a law: whole numbers, at least 1. */
export function lengthDrawer(law: LengthLaw): (chance: RandomStream) => number {
  if (law.law === 'fixed') return () => law.tokens;
  if (law.law === 'uniform') return (chance) => law.min + chance.below(law.max - law.min + 1);
  if (law.law === 'zipf') return zipfDrawer(law);
  const { mean, deviation, min, max } = law;
  // A log-normal of this mean and deviation: σ² = ln(1 + (d/m)²), μ = ln m − σ²/2.
  const sigma = Math.sqrt(Math.log1p((deviation / mean) ** 2));
  const mu = Math.log(mean) - (sigma * sigma) / 2;
  const draw = (chance: RandomStream): number =>
    Math.round(law.law === 'normal' ? mean + deviation * chance.normal() : Math.exp(mu + sigma * chance.normal()));
  const [low, high] = [min ?? 1, max ?? Infinity];
  return (chance) => {
    for (let tries = 0; tries < mostRedraws; tries++) {
      const value = draw(chance);
      if (value >= low && value <= high) return value;
    }
    return Math.min(high, Math.max(low, Math.round(mean)));
  };
}

/** Which of `count` things comes up under Zipf's law: number 0 most often, number k with weight (k + 1)^−alpha. */
export function zipfPicker(count: number, alpha: number): (chance: RandomStream) => number {
  invariant(Number.isInteger(count) && count >= 1, 'there is something to pick');
  const sums = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) sums[i] = sum += (i + 1) ** -alpha;
  return (chance) => {
    const at = chance.next() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function zipfDrawer({ alpha, min, max }: Extract<LengthLaw, { law: 'zipf' }>): (chance: RandomStream) => number {
  const pick = zipfPicker(max - min + 1, alpha);
  return (chance) => min + pick(chance);
}

/** The mean of a law before its bounds cut it; what plans and memory estimates need. */
export function meanLength(law: LengthLaw): number {
  if (law.law === 'fixed') return law.tokens;
  if (law.law === 'uniform' || law.law === 'zipf') return (law.min + law.max) / 2;
  return law.mean;
}
