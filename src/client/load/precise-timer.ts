import { letPass } from './let-pass.ts';
import type { RunClock } from './run-clock.ts';

/**
 * Node's timers fire early or more than a millisecond late, so the last stretch of a wait is spent looking at the clock between
 * rounds of the event loop, in which sockets are served. It is 1 % of the wait, between 1.5 and 6 ms, because a busy host
 * wakes a thread that slept up to 4 ms late.
 */
const shortSpinMs = 1.5;
const longSpinMs = 6;
const spinShare = 0.01;
/** Time let pass between two looks at the clock. */
const betweenLooksMs = 0.005;

/** Wakes a function at an absolute time, as exactly as Node allows; one time at once. */
export class PreciseTimer {
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #atMs: number | null = null;
  /** Time spent only looking at the clock: CPU that a busier client would have free. */
  spunMs = 0;

  constructor(
    private readonly clock: RunClock,
    private readonly ring: () => void,
  ) {}

  set(atMs: number): void {
    if (this.#atMs === atMs) return;
    this.clear();
    this.#atMs = atMs;
    const left = atMs - this.clock.nowMs();
    const spinMs = Math.min(longSpinMs, Math.max(shortSpinMs, spinShare * left));
    if (left > spinMs + 1) this.#timer = setTimeout(() => this.#spin(), Math.floor(left - spinMs));
    else this.#spin();
  }

  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
    this.#atMs = null;
  }

  #spin(): void {
    this.#timer = null;
    let before = this.clock.nowMs();
    const look = (): void => {
      const now = this.clock.nowMs();
      // A round that took longer did other work in between.
      if (now - before < 0.05) this.spunMs += now - before;
      before = now;
      if (this.#atMs === null) return;
      if (now < this.#atMs) {
        if (this.#atMs - now > 2 * betweenLooksMs) letPass(this.clock, betweenLooksMs);
        this.#immediate = setImmediate(look);
        return;
      }
      this.#immediate = null;
      this.#atMs = null;
      this.ring();
    };
    this.#immediate = setImmediate(look);
  }
}
