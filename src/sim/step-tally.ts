/** How many steps there were, how long they took, and how many requests ran and waited meanwhile. */
export class StepTally {
  steps = 0;
  /** Time spent in steps. */
  busyMs = 0;
  #waitedMs = 0;
  #servedMs = 0;
  /** The step that was counted last. */
  #stepMs = 0;
  #waiting = 0;
  #running = 0;

  count(stepMs: number, waiting: number, running: number): void {
    this.steps++;
    this.#add(1, (this.#stepMs = stepMs), (this.#waiting = waiting), (this.#running = running));
  }

  /** The step that was counted last is to be counted anew. */
  takeBack(): void {
    this.steps--;
    this.#add(-1, this.#stepMs, this.#waiting, this.#running);
  }

  /** Requests that a step left waiting, in the mean over the time spent in steps. */
  get waitingMean(): number {
    return this.busyMs === 0 ? 0 : this.#waitedMs / this.busyMs;
  }

  get runningMean(): number {
    return this.busyMs === 0 ? 0 : this.#servedMs / this.busyMs;
  }

  #add(sign: 1 | -1, stepMs: number, waiting: number, running: number): void {
    this.busyMs += sign * stepMs;
    this.#waitedMs += sign * waiting * stepMs;
    this.#servedMs += sign * running * stepMs;
  }
}
