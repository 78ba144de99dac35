import { randomStream } from '../../core/index.ts';
import type { Ended, Exchange, Problem, Timeouts } from '../../core/index.ts';

const firstWaitMs = 500;
const longestWaitMs = 30_000;

/** Node's timers fire at once when asked for more. */
export const longestTimerMs = 2 ** 31 - 1;

/** Whether an ask that ended so was only turned away: the server did no work on it, so asking again is the same ask. */
export function turnedAway({ outcome, problem, chunks }: Exchange): boolean {
  if (outcome !== 'failed' || problem === null || chunks.atMs.length > 0) return false;
  switch (problem.code) {
    case 'http-429':
    case 'connect-refused':
    case 'connect-timeout':
    case 'connect-failed':
    case 'dns':
    case 'stream-refused':
      return true;
    case 'http-5xx':
      return problem.status === 502 || problem.status === 503 || problem.status === 504;
    default:
      return false;
  }
}

/** How long to wait before each further attempt: as the server asks, else doubling from half a second, with some chance in it. */
export function retryWaits(seed: number): (problem: Problem, attemptsMade: number) => number {
  const chance = randomStream(seed, 'retry');
  return ({ retryAfterMs }, attemptsMade) => {
    if (retryAfterMs !== undefined) return retryAfterMs;
    // Clients that were turned away together must not come back together.
    return Math.min(longestWaitMs, firstWaitMs * 2 ** (attemptsMade - 1)) * (0.5 + chance.next() / 2);
  };
}

/** A Retry-After header in ms: seconds, or a date (`nowMs` is wall time); undefined = not given, or not understood. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  // A wait longer than any timer takes is kept as it is: no retry is made then, as with a date far away.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** All attempts at an ask as one: sent when the first was, answered by the last. */
export function joinedAttempts(before: Ended, { exchange, answer }: Ended): Ended {
  const { sentMs, attempts, connectMs } = before.exchange;
  return {
    exchange: {
      ...exchange,
      sentMs,
      attempts: attempts + exchange.attempts,
      connectMs: exchange.connectMs ?? connectMs,
    },
    answer,
  };
}

/** The timeouts of a further attempt: the limit on the whole ask goes on from its first send. */
export function timeoutsLeft(timeouts: Timeouts, { exchange }: Ended, nowMs: number): Timeouts {
  const { totalMs } = timeouts;
  return { ...timeouts, totalMs: totalMs === null ? null : totalMs - (nowMs - exchange.sentMs!) };
}
