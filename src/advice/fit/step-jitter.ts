import type { ClockPieces } from './clock-pieces.ts';
import type { ClockFit } from './step-clock.ts';

/** More than this is not jitter. */
const mostJitter = 0.1;
/** A piece whose length scatters by less than this share of a step leaves no doubt how many steps it holds. */
const surely = 0.2;
/** Fewer pieces than this say less than the stretches do. */
const leastPieces = 40;
/** How far, relative to it, the stretches' own spread may be from the truth: they overlap, so that few are independent. */
const stretchDoubt = 1.5;

/**
 * How much steps scatter, as a share of each. Answers begin and end where steps end, so that a short piece of time holds a whole number of steps: what it
 * is away from one is jitter, and there are hundreds of such pieces. Moments that a client read late, and a cost that is a little
 * off, would be taken for jitter too, but they do not grow with a stretch: its spread bounds what is found.
 */
export function stepJitter({ clear }: ClockPieces, { sigma, pieceSteps, pieceVariance }: ClockFit): number {
  const apart: number[] = [];
  for (let j = 0; j < clear.length; j++) {
    const whole = Math.round(pieceSteps[j]!);
    const deviation = Math.sqrt(pieceVariance[j]!);
    if (clear[j] === 1 && whole >= 1 && sigma * deviation <= surely) {
      apart.push(Math.abs(pieceSteps[j]! - whole) / deviation);
    }
  }
  if (apart.length < leastPieces) return Math.min(mostJitter, sigma);
  const middle = apart.toSorted((a, b) => a - b)[apart.length >> 1]!;
  return Math.min(mostJitter, stretchDoubt * sigma, 1.4826 * middle);
}
