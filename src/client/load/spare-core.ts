/** What was seen of the host in a fifth of a second. */
export interface HostLook {
  /** Tasks that were ready to run, this thread among them, on average. */
  readyTasks: number;
  /** Share of the time in which this thread itself was ready and had no core. */
  waitRatio: number;
}

/** More tasks than cores by so much, or so much waiting, and somebody goes without. */
const spareTasks = 0.25;
const mostWaitRatio = 0.2;
/** The thread polls after this many good looks in a row, and after twice as many each time that it had to stop soon. */
const fewestGood = 2;
const mostGood = 32;
/** It polled for so many looks: the host has changed, rather than the polling been a mistake. */
const longPolled = 10;

/** How the thread that reads waits for bytes: it sleeps until it is told otherwise. */
export type WaitingWay = 'sleeps' | 'polls' | 'naps';

/** Whether the host has a core to spare for a thread that never sleeps, as far as the last looks tell. */
export class SpareCore {
  #needed = fewestGood;
  #good = 0;
  way: WaitingWay = 'sleeps';

  constructor(private readonly cores: number) {}

  saw({ readyTasks, waitRatio }: HostLook): void {
    if (readyTasks <= this.cores + spareTasks && waitRatio <= mostWaitRatio) {
      this.#good++;
      if (this.#good >= this.#needed) this.way = 'polls';
      if (this.#good >= this.#needed + longPolled) this.#needed = fewestGood;
      return;
    }
    if (this.way === 'polls') this.#needed = Math.min(mostGood, 2 * this.#needed);
    this.#good = 0;
    this.way = 'naps';
  }
}
