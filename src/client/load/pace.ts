/** Of any stretch of time so much goes into the work. */
const workRatio = 1 / 4;
/** So much time that a timer came late may be made up for. */
const madeUpMs = 2;

/** Work that takes only a part of the time: each piece of it is followed by a rest, in which others have the event loop. */
export class Pace {
  #restsUntilMs = -Infinity;
  #fromMs = 0;

  begin(nowMs: number): void {
    this.#fromMs = nowMs;
  }

  end(nowMs: number): void {
    const from = Math.max(this.#restsUntilMs, this.#fromMs - madeUpMs);
    this.#restsUntilMs = from + (nowMs - this.#fromMs) / workRatio;
  }

  /** How long to rest before the next piece; 0 = it may begin. */
  restMs(nowMs: number): number {
    return Math.max(0, this.#restsUntilMs - nowMs);
  }
}
