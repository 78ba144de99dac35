import { coresToPoll, readyTasks, threadCpu } from './host-limits.ts';
import { letPass, nap } from './let-pass.ts';
import { currentRead, readAt } from './current-read.ts';
import type { RunClock } from './run-clock.ts';
import { SpareCore } from './spare-core.ts';

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
