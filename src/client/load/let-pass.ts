import type { RunClock } from './run-clock.ts';

const nothing = new Int32Array(new SharedArrayBuffer(4));
const fewestTurns = 16;
const mostTurns = 4096;
/** Turns of the loop in a microsecond; adapted after each call, because the loop takes a hundred times as long while V8 runs it uncompiled. */
let turnsPerUs = fewestTurns;

/**
 * Waits some microseconds between two looks at the clock or at the sockets; returns the milliseconds it took. It makes no garbage, because
 * a million rounds of the event loop a second make so much that the collector stops the client forty times a second.
 */
export function letPass(clock: RunClock, ms: number): number {
  const fromMs = clock.nowMs();
  for (let i = Math.ceil(turnsPerUs * 1000 * ms); i > 0; i--) Atomics.load(nothing, 0);
  const tookMs = clock.nowMs() - fromMs;
  if (tookMs < ms) turnsPerUs = Math.min(mostTurns, 1.25 * turnsPerUs);
  else if (tookMs > 1.5 * ms) turnsPerUs = Math.max(fewestTurns, (tookMs > 4 * ms ? 0.125 : 0.9) * turnsPerUs);
  return tookMs;
}

/** Leaves the processor to others for so long, and some 0.06 ms more. */
export function nap(ms: number): void {
  Atomics.wait(nothing, 0, 0, ms);
}
