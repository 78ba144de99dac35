import { invariant } from '../core/index.ts';
import type { PacerMaker } from './pacer.ts';

/**
 * Closed loop: an ask is due at once whenever fewer than `concurrency` are in flight. With a ramp slot k of N opens after
 * k/N of its time, the first at once.
 */
export const closedPacer: PacerMaker = (load, limits) => {
  const { concurrency } = load;
  invariant(load.kind === 'closed', 'the closed pacer is given a closed load');
  invariant(
    concurrency !== null && Number.isInteger(concurrency) && concurrency >= 1,
    'a closed loop has a whole concurrency of at least 1',
  );
  const requests = limits.requests ?? Infinity;
  const durationMs = limits.durationMs ?? Infinity;
  const opensAtMs = (slot: number): number => (slot / concurrency) * (load.rampMs ?? 0);
  let open = 1;
  let handedOut = 0;
  let over = false;
  return {
    next({ inFlight, nowMs }) {
      over ||= handedOut >= requests || nowMs >= durationMs;
      if (over) return 'done';
      while (open < concurrency && opensAtMs(open) <= nowMs) open++;
      if (inFlight >= open) return open === concurrency ? 'wait' : { untilMs: opensAtMs(open) };
      // A slot that was never used is free since it opened, however late the client comes to fill it.
      const atMs = handedOut < concurrency ? Math.min(nowMs, opensAtMs(handedOut)) : nowMs;
      handedOut += 1;
      return { atMs };
    },
  };
};
