import { invariant } from '../../core/index.ts';
import type { PacerMaker } from './pacer.ts';

/**
 * Closed loop: an ask is due at once whenever fewer than `concurrency` are in flight. With a ramp slot k of N opens after
 * k/N of its time, the first at once.
 */
export const closedPacer: PacerMaker = (load, limits, _seed, part) => {
  const { concurrency } = load;
  invariant(load.kind === 'closed', 'the closed pacer is given a closed load');
  invariant(
    concurrency !== null && Number.isInteger(concurrency) && concurrency >= 1,
    'a closed loop has a whole concurrency of at least 1',
  );
  const requests = limits.requests ?? Infinity;
  const durationMs = limits.durationMs ?? Infinity;
  const whole = { index: 0, of: 1, slots: concurrency };
  const perSlotMs = (load.rampMs ?? 0) / concurrency;
  let handedOut = 0;
  let over = false;
  return {
    next({ inFlight, nowMs }) {
      over ||= handedOut >= requests || nowMs >= durationMs;
      if (over) return 'done';
      const { index, of, slots } = part?.() ?? whole;
      if (inFlight >= slots) return 'wait';
      const opensMs = (index + inFlight * of) * perSlotMs;
      if (opensMs > nowMs) return { untilMs: opensMs };
      // A slot that was never used is free since it opened, however late the client comes to fill it.
      const atMs =
        limits.inStride !== true && handedOut < slots ? Math.min(nowMs, (index + handedOut * of) * perSlotMs) : nowMs;
      handedOut += 1;
      return { atMs };
    },
  };
};
