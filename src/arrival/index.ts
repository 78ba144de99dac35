/**
 * When things are asked: pacers, one file per arrival process.
 *
 * A pacer only says when the next ask is due, on a clock that starts at 0 when its phase (warm-up or measuring)
 * begins. It never sleeps, sends, counts slots in an open loop or looks at a clock: the runner does, real or simulated,
 * and both get the same due times from the same seed.
 *
 * Start reading at pacer.ts (the seam), then pacers.ts (the list; a new process is one file and one line there).
 * Open loops share scheduled-pacer.ts and differ only in their unit gaps; rate-shape.ts bends any of them to ramps,
 * steps, spikes and sines.
 */
export { makePacer, pacers } from './pacers.ts';
export { dueUnder, rateAt } from './rate-shape.ts';
export { isDue } from './pacer.ts';
export type { Pacer, PacerLimits, PacerMaker, PacerView, Pacing, WaitUntil } from './pacer.ts';
