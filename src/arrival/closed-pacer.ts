import { invariant } from '../core/index.ts';
import type { PacerMaker } from './pacer.ts';

/** Closed loop: an ask is due at once whenever fewer than `concurrency` are in flight. */
export const closedPacer: PacerMaker = (load, limits) => {
  const { concurrency } = load;
  invariant(load.kind === 'closed', 'the closed pacer is given a closed load');
  invariant(
    concurrency !== null && Number.isInteger(concurrency) && concurrency >= 1,
    'a closed loop has a whole concurrency of at least 1',
  );
  const requests = limits.requests ?? Infinity;
  const durationMs = limits.durationMs ?? Infinity;
  let handedOut = 0;
  let over = false;
  return {
    next({ inFlight, nowMs }) {
      over ||= handedOut >= requests || nowMs >= durationMs;
      if (over) return 'done';
      if (inFlight >= concurrency) return 'wait';
      handedOut += 1;
      return { atMs: nowMs };
    },
  };
};
