import { performance } from 'node:perf_hooks';

/** The run's clock: float ms since its origin, never going back; the origin is known on CLOCK_MONOTONIC. */
export interface RunClock {
  nowMs(): number;
  originNs: bigint;
}

/**
 * A clock whose zero is now, or a moment given on CLOCK_MONOTONIC (so that threads share one clock). `performance.now` and `hrtime` read the same monotonic clock with different zeros;
 * the offset is taken from the tightest of a few tries, so that stamps of other processes on this host line up.
 */
export function startClock(zeroNs?: bigint): RunClock {
  let originNs = 0n;
  let zero = 0;
  let tightest = Infinity;
  for (let i = 0; i < 20; i++) {
    const before = performance.now();
    const ns = process.hrtime.bigint();
    const after = performance.now();
    if (after - before >= tightest) continue;
    tightest = after - before;
    zero = (before + after) / 2;
    originNs = ns;
  }
  if (zeroNs !== undefined) {
    zero -= Number(originNs - zeroNs) / 1e6;
    originNs = zeroNs;
  }
  return { nowMs: () => performance.now() - zero, originNs };
}

/** A clock that shows `nowMs` now and goes on from there. */
export function clockFrom(nowMs: number): RunClock {
  return startClock(process.hrtime.bigint() - BigInt(Math.round(nowMs * 1e6)));
}

/** The zero of a clock in wall time, ns since 1970; to the microsecond, as far as nobody has set the time meanwhile. */
export function wallOriginNs(clock: RunClock): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now() - clock.nowMs()) * 1000)) * 1000n;
}
