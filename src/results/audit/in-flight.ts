import type { Summary } from '../../core/index.ts';
import { known, relativeRoom } from './printed-room.ts';

/** Share that sloppy starts and ends may take beyond the arithmetic of ramp and drain. */
const slack = 0.05;

/** Requests in flight on average by Little's law, beside what the client was told to hold. */
export interface InFlight {
  /** ok × mean latency / duration, or rate × latency where only those are known. */
  held: number;
  asked: number;
  share: number;
  /** Lowest share that start and drain of so many requests explain; null = the number of requests is not known. */
  lowest: number | null;
  /** What the printed digits leave open, as a share. */
  room: number;
  /** A client that kept every slot filled can have taken this long, by its latencies alone; a low share then means a long drain. */
  longDrain: boolean;
}

/**
 * In-flight requests of a closed loop, null where it cannot be told. With N requests at concurrency C the load ramps down
 * over about the last C requests, which costs C/2N of the average; `durationMs` may be given where the printed one is wrong.
 */
export function inFlightOf(point: Summary, durationMs: number | null = point.durationMs): InFlight | null {
  const asked = point.load.concurrency;
  const latency = point.latencyMs?.mean ?? null;
  if (point.load.kind !== 'closed' || !known(asked) || asked <= 0 || !known(latency)) return null;
  const { ok, planned } = point.counts;
  let held: number;
  let room = relativeRoom(point, 'latencyMs.mean', latency);
  if (known(ok) && known(durationMs) && durationMs > 0) {
    held = (ok * latency) / durationMs;
    room += relativeRoom(point, 'durationMs', durationMs);
  } else if (known(point.requestsPerSec)) {
    held = (point.requestsPerSec * latency) / 1000;
    room += relativeRoom(point, 'requestsPerSec', point.requestsPerSec);
  } else return null;
  const requests = known(planned) ? planned : known(ok) ? ok : null;
  const lowest = requests === null ? null : lowestShare(requests, asked);
  // evalscope looks for results once a second, so its clock may stop up to a second late.
  if (point.source.tool === 'evalscope' && known(durationMs) && durationMs > 0)
    room += Math.min(0.05, 1000 / durationMs);
  return { held, asked, share: held / asked, lowest, room, longDrain: drainExplains(point, asked, durationMs) };
}

/** The slowest request is about this much slower than the highest percentile that is printed. */
const slowestOver = { p99: 1.5, p95: 1.75, p90: 2 } as const;

/**
 * Graham's bound: with all C slots busy until the last request is sent, the run takes at most Σ latency / C plus the
 * latency of the request that ends last. Holds for the latencies as measured, whatever the server does; not applied where
 * 1 % or more of the requests are lost, because their time is in no sum.
 */
function drainExplains(point: Summary, asked: number, durationMs: number | null): boolean {
  // A table that counts once counts those that were asked and answered.
  const ok = known(point.counts.ok) ? point.counts.ok : point.counts.failed ? null : point.counts.planned;
  const planned = known(point.counts.planned) ? point.counts.planned : ok;
  const { mean, max, p99, p95, p90 } = point.latencyMs!;
  const beyond = [max, scaled(p99, slowestOver.p99), scaled(p95, slowestOver.p95), scaled(p90, slowestOver.p90)];
  const slowest = beyond.find(known) ?? null;
  const tookMs = durationMs ?? (known(ok) && point.requestsPerSec ? (1000 * ok) / point.requestsPerSec : null);
  if (!known(ok) || !known(planned) || !known(mean) || !known(tookMs) || slowest === null) return false;
  return planned - ok < 0.01 * planned && tookMs <= (ok * mean) / asked + slowest;
}

/** What start and drain leave of the nominal concurrency; fewer requests than slots can fill only some of them. */
function lowestShare(requests: number, asked: number): number {
  return (requests >= asked ? 1 - asked / (2 * requests) : requests / (2 * asked)) - slack;
}

function scaled(value: number | null, by: number): number | null {
  return value === null ? null : value * by;
}
