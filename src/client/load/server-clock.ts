/**
 * How far the server's clock is from ours. A Date header is cut to the second, so one says little; each one bounds the
 * difference from both sides, and a run's worth of them narrows it.
 */
export class ServerClock {
  #last = '';
  #toldMs = Number.NaN;
  #least = -Infinity;
  #most = Infinity;

  /** A Date header that has just arrived. */
  saw(date: string | undefined): void {
    if (date === undefined) return;
    if (date !== this.#last) {
      this.#last = date;
      this.#toldMs = Date.parse(date);
    }
    if (Number.isNaN(this.#toldMs)) return;
    const aheadMs = this.#toldMs - Date.now();
    // The server wrote it a little before, within the second that begins at the time told.
    if (aheadMs > this.#least) this.#least = aheadMs;
    if (aheadMs + 1000 < this.#most) this.#most = aheadMs + 1000;
  }

  /** Server minus us, ms; null = the server told no date. */
  get skewMs(): number | null {
    return Number.isFinite(this.#least) ? (this.#least + this.#most) / 2 : null;
  }
}
