import { performance } from 'node:perf_hooks';

/** What a pacer goes by. */
export interface PacerClock {
  /** Monotonic. */
  nowMs(): number;
  /** Calls back at that time, a little earlier or later; what it returns takes that back. */
  wake(atMs: number, act: () => void): () => void;
}

/** Timers fire a millisecond or more late, so the last stretch is waited out in turns of the event loop, which serve the sockets. */
const spinMs = 1.5;

export const wallClock: PacerClock = {
  nowMs: () => performance.now(),
  wake(atMs, act) {
    const leftMs = atMs - performance.now();
    if (leftMs > spinMs + 1) {
      const timer = setTimeout(act, Math.floor(leftMs - spinMs));
      return () => clearTimeout(timer);
    }
    const immediate = setImmediate(act);
    return () => clearImmediate(immediate);
  },
};
