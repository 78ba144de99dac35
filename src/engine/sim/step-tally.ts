/** How many steps there were, how long they took, and how many requests ran and waited meanwhile. */
export class StepTally {
  steps = 0;
  /** Time spent in steps. */
  busyMs = 0;
  #waitedMs = 0;
  #servedMs = 0;

  count(stepMs: number, waiting: number, running: number): void {
    this.steps++;
    this.busyMs += stepMs;
    this.#waitedMs += waiting * stepMs;
    this.#servedMs += running * stepMs;
  }

  /** Requests that a step left waiting, in the mean over the time spent in steps. */
  get waitingMean(): number {
    return this.busyMs === 0 ? 0 : this.#waitedMs / this.busyMs;
  }

  get runningMean(): number {
    return this.busyMs === 0 ? 0 : this.#servedMs / this.busyMs;
  }
}
