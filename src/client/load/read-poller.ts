import { coresToPoll, readyTasks, threadCpu } from './host-limits.ts';
import { letPass, nap } from './let-pass.ts';
import { currentRead, readAt } from './current-read.ts';
import type { RunClock } from './run-clock.ts';

/** What was seen of the host in a fifth of a second. */
interface HostLook {
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
type WaitingWay = 'sleeps' | 'polls' | 'naps';

/** Whether the host has a core to spare for a thread that never sleeps, as far as the last looks tell. */
export class SpareCore {
  #needed = fewestGood;
  #good = 0;
  way: WaitingWay = 'sleeps';

  constructor(private readonly cores: number) {}

  saw(look: HostLook): void {
    if (look.readyTasks <= this.cores + spareTasks && look.waitRatio <= mostWaitRatio) {
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

/** After a read the thread does not poll for this long where other threads need its core. */
const napMs = 0.1;
/** Between two looks for bytes. Looking twice as often made stamps no truer, and what it left behind made the collector stop the client five times as often. */
const betweenReadsMs = 0.01;
/** A pass that took longer had no core for a part of it. */
const mostSpunMs = 0.1;
/** How often the host is judged, and from how many looks. */
const windowLooks = 10;

/** What is looked at on a host. */
export interface PolledHost {
  /** null = nothing may poll here. */
  cores: number | null;
  /** Tasks that run or are ready to; null = not told any more. */
  readyTasks(): number | null;
  /** How long this thread has been ready without a core so far; null = not told any more. */
  waitMs(): number | null;
}

function thisHost(): PolledHost {
  return { cores: coresToPoll(), readyTasks, waitMs: () => threadCpu()?.waitMs ?? null };
}

/**
 * Waits for bytes on behalf of the thread that reads. One that sleeps until bytes come costs the server the time to wake it, at every write. So while
 * streams are open and the host has a core to spare, it polls; where others need the core, it naps for a moment after each read, so that
 * what is written meanwhile wakes nobody, and sleeps when nothing came. Where the system does not tell, or the process may use one core only, it sleeps.
 */
export class ReadPoller {
  readonly #core: SpareCore | null;
  #turning = false;
  #seenMs = NaN;
  #looks = 0;
  #ready = 0;
  #waitMs = 0;
  #windowMs = 0;
  #counts = { polled: 0, napped: 0, open: 0 };
  /** Time spent only looking for bytes. */
  spunMs = 0;

  constructor(
    private readonly clock: RunClock,
    private readonly open: () => boolean,
    private readonly host = thisHost(),
  ) {
    this.#core = host.cores === null ? null : new SpareCore(host.cores);
  }

  /** A stream was opened, or bytes came. */
  wake(): void {
    if (this.#turning || this.#core === null || this.#core.way === 'sleeps') return;
    this.#turning = true;
    setImmediate(this.#turn);
  }

  /** Looks at the host; called all the time, a few dozen times a second. */
  look(): void {
    const core = this.#core;
    if (!this.open()) return;
    this.#counts.open++;
    if (core === null) return;
    if (core.way === 'polls') this.#counts.polled++;
    if (core.way === 'naps') this.#counts.napped++;
    this.#ready += this.host.readyTasks() ?? Infinity;
    this.#looks++;
    if (this.#looks < windowLooks) return;
    const nowMs = this.clock.nowMs();
    const waitMs = this.host.waitMs() ?? Infinity;
    const waitRatio = (waitMs - this.#waitMs) / (nowMs - this.#windowMs);
    // The first window may have begun long ago.
    if (this.#windowMs > 0) core.saw({ readyTasks: this.#ready / this.#looks, waitRatio });
    this.#windowMs = nowMs;
    this.#waitMs = waitMs;
    this.#looks = 0;
    this.#ready = 0;
    this.wake();
  }

  /** From now on health is counted. */
  start(): void {
    this.spunMs = 0;
    this.#counts = { polled: 0, napped: 0, open: 0 };
  }

  /** Shares of the time with open streams; null = there were none. */
  get ratios(): { pollRatio: number; napRatio: number } | null {
    const { polled, napped, open } = this.#counts;
    return open === 0 ? null : { pollRatio: polled / open, napRatio: napped / open };
  }

  readonly #turn = (): void => {
    const isIdle = currentRead[readAt] === this.#seenMs;
    this.#seenMs = currentRead[readAt]!;
    const way = this.#core!.way;
    if (way === 'sleeps' || !this.open() || (isIdle && way === 'naps')) {
      this.#turning = false;
      return;
    }
    if (way === 'naps') nap(napMs);
    else if (isIdle) {
      const tookMs = letPass(this.clock, betweenReadsMs);
      if (tookMs < mostSpunMs) this.spunMs += tookMs;
    }
    setImmediate(this.#turn);
  };
}
