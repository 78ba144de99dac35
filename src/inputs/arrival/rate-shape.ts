import { invariant } from '../../core/index.ts';
import type { RateShape, RateStage } from '../../core/index.ts';

/**
 * When so many asks have come due under a changing rate: the inverse of the rate's integral. Fed with the sums of unit
 * gaps it turns a process of rate 1 into one that follows the shape (time rescaling: exact for Poisson, and what people
 * mean for the others). Rising in its argument.
 */
export function dueUnder(shape: RateShape): (asks: number) => number {
  if (shape.kind === 'sine') return underSine(shape);
  invariant(shape.stages.length > 0, 'a shape has a stage');
  const starts: { atMs: number; asks: number; stage: RateStage }[] = [];
  let [atMs, asks] = [0, 0];
  for (const stage of shape.stages) {
    starts.push({ atMs, asks, stage });
    atMs += stage.forMs;
    asks += asksOver(stage);
  }
  const last = shape.stages.at(-1)!;
  const end = { atMs, asks };
  return (wanted) => {
    if (wanted >= end.asks) return end.atMs + ((wanted - end.asks) / last.toPerSec) * 1000;
    // A stage at rate 0 begins where the next one does; the later of the two is meant.
    let found = starts[0]!;
    for (const start of starts) if (start.asks <= wanted) found = start;
    return found.atMs + within(found.stage, wanted - found.asks);
  };
}

/** The rate at a moment. */
export function rateAt(shape: RateShape, atMs: number): number {
  if (shape.kind === 'sine') {
    return shape.meanPerSec + shape.swingPerSec * Math.sin((2 * Math.PI * atMs) / shape.periodMs);
  }
  let left = atMs;
  for (const { fromPerSec, toPerSec, forMs, curve } of shape.stages) {
    if (left < forMs) {
      const part = left / forMs;
      return curve === 'linear'
        ? fromPerSec + (toPerSec - fromPerSec) * part
        : fromPerSec * (toPerSec / fromPerSec) ** part;
    }
    left -= forMs;
  }
  return shape.stages.at(-1)!.toPerSec;
}

/** Asks within one stage: the area under its rate. */
function asksOver({ fromPerSec, toPerSec, forMs, curve }: RateStage): number {
  const forSec = forMs / 1000;
  if (curve === 'linear' || fromPerSec === toPerSec) return ((fromPerSec + toPerSec) / 2) * forSec;
  return ((toPerSec - fromPerSec) / Math.log(toPerSec / fromPerSec)) * forSec;
}

/** Time into a stage after which so many asks have come due in it. */
function within({ fromPerSec: from, toPerSec: to, forMs, curve }: RateStage, asks: number): number {
  if (asks === 0) return 0;
  const forSec = forMs / 1000;
  if (from === to) return (asks / from) * 1000;
  if (curve === 'exponential') {
    const growth = Math.log(to / from) / forSec;
    return (Math.log1p((asks * growth) / from) / growth) * 1000;
  }
  // asks = from·t + slope·t²/2, solved in the form that loses no digits when the slope is small.
  const slope = (to - from) / forSec;
  const root = Math.sqrt(Math.max(0, from * from + 2 * slope * asks));
  return Math.min(forMs, ((2 * asks) / (from + root)) * 1000);
}

/** No closed form: the area to a time is mean·t + swing·period/2π·(1 − cos), inverted by bisection to a nanosecond. */
function underSine(shape: Extract<RateShape, { kind: 'sine' }>): (asks: number) => number {
  const { meanPerSec, swingPerSec, periodMs } = shape;
  invariant(meanPerSec > 0 && Math.abs(swingPerSec) <= meanPerSec, 'a sine rate is never below 0');
  const turn = (2 * Math.PI) / periodMs;
  const wave = (swingPerSec * periodMs) / (2 * Math.PI);
  const area = (atMs: number): number => (meanPerSec * atMs + wave * (1 - Math.cos(turn * atMs))) / 1000;
  return (asks) => {
    const straightMs = (asks / meanPerSec) * 1000;
    const reachMs = Math.abs((2 * wave) / meanPerSec) + 1;
    let [low, high] = [Math.max(0, straightMs - reachMs), straightMs + reachMs];
    while (high - low > 1e-6) {
      const middle = (low + high) / 2;
      if (middle === low || middle === high) break;
      if (area(middle) < asks) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
}
