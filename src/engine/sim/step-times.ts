/** When each decode step of the engine ended. Kept from the oldest step that a running sequence still needs. */
export class StepTimes {
  #times = new Float64Array(4096);
  #length = 0;
  #first = 0;

  /** The end of the next decode step. */
  push(endMs: number): void {
    if (this.#length === this.#times.length) {
      const larger = new Float64Array(this.#length * 2);
      larger.set(this.#times);
      this.#times = larger;
    }
    this.#times[this.#length++] = endMs;
  }

  /** The latest step's time is another. */
  mendLast(endMs: number): void {
    this.#times[this.#length - 1] = endMs;
  }

  /** Whether it holds so much that old steps are worth forgetting. */
  get isLarge(): boolean {
    return this.#length > 1 << 20;
  }

  /** Forgets every step before number `step`. */
  forgetBefore(step: number): void {
    const gone = step - this.#first;
    if (gone < this.#length / 2) return;
    this.#times.copyWithin(0, gone, this.#length);
    this.#length -= gone;
    this.#first = step;
  }

  at(step: number): number {
    return this.#times[step - this.#first]!;
  }

  /** Ends of the steps from number `from` up to, not including, number `to`, put behind what `into` holds. */
  append(into: number[], from: number, to: number): void {
    const times = this.#times;
    const end = to - this.#first;
    for (let i = from - this.#first; i < end; i++) into.push(times[i]!);
  }
}
