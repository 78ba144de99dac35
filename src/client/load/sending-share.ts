import { partOfRoundMs, RoundShare } from './round-share.ts';
import type { RunClock } from './run-clock.ts';

/** Requests are sent for so long in any round of the event loop: a slot that waits is load that was asked for and not made. */
const leastMs = 0.5;
/** And for so long while a closed loop opens its slots: the first tokens come back in the midst of that. */
const openingMs = 0.2;

/** How much of each round of the event loop goes into sending; `opens` = slots are being used for the first time. */
export function sendingShare(clock: Pick<RunClock, 'nowMs'>, opens: () => boolean): RoundShare {
  return new RoundShare(clock, (tookMs) => (opens() ? openingMs : Math.max(leastMs, partOfRoundMs(tookMs))));
}
