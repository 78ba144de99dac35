import { shown } from './stop-watch.ts';
import type { StopReason, StopWatch } from './stop-watch.ts';

/** Points of the line that is laid through the window; memory does not grow with the run. */
const points = 50;
/** A queue that grows by this share of what arrives never empties again at this rate. */
const harmfulShare = 0.1;
/** The queue of a server that keeps up swings by the root of its length; a rise must stand out of that. */
const swings = 4;
/** A server fills up first: nothing is judged before so many of the shortest latencies have passed. */
const fillLatencies = 3;

interface Sample {
  atMs: number;
  /** Asks that came due and have not ended. */
  open: number;
  due: number;
}

/**
 * Over-saturation: ends the run when what came due and has not ended grows steadily over the last `windowMs`. The slope
 * is that of the least-squares line; in a closed loop nothing queues, so the rule never speaks.
 */
export function saturationWatch(windowMs: number): StopWatch {
  let samples: Sample[] = [];
  let ended = 0;
  let shortestMs = Infinity;
  let begunMs = Infinity;
  const sample = (nowMs: number, due: number): StopReason | null => {
    if (shortestMs === Infinity || nowMs - begunMs < fillLatencies * shortestMs) return null;
    const before = samples.at(-1);
    if (before !== undefined && nowMs - before.atMs < windowMs / points) return null;
    samples.push({ atMs: nowMs, open: due - ended, due });
    const oldest = nowMs - windowMs;
    const whole = samples[0]!.atMs <= oldest;
    if (whole) samples = samples.filter(({ atMs }) => atMs >= oldest);
    return whole && samples.length >= points / 4 ? judged(samples) : null;
  };
  return {
    look({ nowMs, due }, last) {
      ended++;
      begunMs = Math.min(begunMs, last.dueMs);
      if (last.outcome === 'ok' && last.sentMs !== null) shortestMs = Math.min(shortestMs, last.endMs - last.sentMs);
      return sample(nowMs, due);
    },
    // A server that answers nothing any more is the most saturated of all.
    tick: ({ nowMs, due }) => sample(nowMs, due),
  };
}

function judged(samples: readonly Sample[]): StopReason | null {
  const first = samples[0]!;
  const last = samples.at(-1)!;
  const spanSec = (last.atMs - first.atMs) / 1000;
  const mean = (of: (sample: Sample) => number): number => samples.reduce((sum, s) => sum + of(s), 0) / samples.length;
  const middle = mean(({ atMs }) => atMs);
  const open = mean((sample) => sample.open);
  const above = samples.reduce((sum, s) => sum + (s.atMs - middle) * (s.open - open), 0);
  const below = samples.reduce((sum, s) => sum + (s.atMs - middle) ** 2, 0);
  const perSec = (1000 * above) / below;
  const arrivalsPerSec = (last.due - first.due) / spanSec;
  if (!(perSec >= harmfulShare * arrivalsPerSec) || perSec * spanSec < swings * Math.sqrt(Math.max(1, open)))
    return null;
  return {
    says: {
      en: `the queue grows by ${shown(perSec)} requests a second (${shown(arrivalsPerSec)} come due): the server is past saturation`,
      zh: `队列每秒增长 ${shown(perSec)} 个请求（每秒到期 ${shown(arrivalsPerSec)} 个）：服务器已过饱和`,
    },
    evidence: { queueGrowthPerSec: perSec, arrivalsPerSec, open: last.open, windowSec: spanSec },
  };
}
