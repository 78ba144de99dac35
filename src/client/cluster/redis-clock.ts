import type { Redis } from './redis.ts';

/** How a machine's CLOCK_MONOTONIC stands to Redis's clock. */
export interface ClockReading {
  /** Redis time minus CLOCK_MONOTONIC of this host, nanoseconds. */
  offsetNs: bigint;
  rttMs: number;
}

const samples = 12;

/**
 * Reads Redis's clock several times and keeps the sample with the shortest round trip: its error is at most half of it.
 * The wall clock of this machine is never looked at, so it may be wrong by any amount.
 */
export async function readRedisClock(redis: Pick<Redis, 'time'>): Promise<ClockReading> {
  let best: ClockReading | null = null;
  for (let i = 0; i < samples; i++) {
    const before = process.hrtime.bigint();
    const [seconds, micros] = await redis.time();
    const after = process.hrtime.bigint();
    const rttMs = Number(after - before) / 1e6;
    if (best !== null && rttMs >= best.rttMs) continue;
    const redisNs = BigInt(seconds!) * 1_000_000_000n + BigInt(micros!) * 1000n;
    best = { offsetNs: redisNs - (before + after) / 2n, rttMs };
  }
  return best!;
}
