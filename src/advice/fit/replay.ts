import { EngineCore } from '../../engine/sim/index.ts';
import type { EngineProfile, PromptKeys } from '../../engine/sim/index.ts';
import type { TracedRequest } from './request-trace.ts';

/** What a replayed trace came out as, one entry per request in its order. */
export interface Replayed {
  ttftMs: Float64Array;
  /** NaN for answers of one token. */
  tpotMs: Float64Array;
  latencyMs: Float64Array;
  /** Times of each request's tokens on the clock of the arrivals; empty where they were not asked for. */
  tokenAtMs: number[][];
}

/**
 * Plays the arrivals and lengths of a trace against a profile in virtual time. A request that never fits counts as instant. No two prompts are taken to begin alike, but one
 * that was preempted finds what is left of its own in the prefix cache.
 */
export function replay(
  profile: EngineProfile,
  requests: readonly TracedRequest[],
  seed = 1,
  keepTimes = false,
): Replayed {
  return replayFirst(profile, requests, requests.length, { seed, keepTimes });
}

/** The same until the first so many requests are answered; what else is not over by then has no times. */
export function replayFirst(
  profile: EngineProfile,
  requests: readonly TracedRequest[],
  wanted: number,
  dice: Dice = { seed: 1, keepTimes: false },
): Replayed {
  // Looking prompts up takes time, and changes nothing where nobody is preempted.
  return play(profile, requests, wanted, dice, false) ?? play(profile, requests, wanted, dice, true)!;
}

interface Dice {
  seed: number;
  keepTimes: boolean;
}

/** With keys of the prompts or without; null = without them somebody was preempted who would have found his. */
function play(
  profile: EngineProfile,
  requests: readonly TracedRequest[],
  wanted: number,
  { seed, keepTimes }: Dice,
  keyed: boolean,
): Replayed | null {
  const core = new EngineCore({ profile, seed, keepTimes });
  const { keyBlockSize } = core;
  const mayLack = !keyed && keyBlockSize !== null && profile.kv !== null;
  const overheadMs = profile.overheadMs ?? 0;
  const count = requests.length;
  const out: Replayed = {
    ttftMs: new Float64Array(count),
    tpotMs: new Float64Array(count).fill(NaN),
    latencyMs: new Float64Array(count),
    tokenAtMs: [],
  };
  let next = 0;
  let keysGiven = 0;
  let missing = wanted;
  while (missing > 0 && (next < count || core.step !== null)) {
    const nextMs = requests[next]?.arrivalMs ?? Infinity;
    const finishes = core.step === null ? [] : core.advance(nextMs);
    if (mayLack && core.counters().preemptionsTotal > 0) return null;
    for (const { id, firstTokenMs, endMs, tokenAtMs } of finishes) {
      const { arrivalMs, outputTokens } = requests[id]!;
      if (id < wanted) missing--;
      out.ttftMs[id] = firstTokenMs - arrivalMs + overheadMs;
      out.latencyMs[id] = endMs - arrivalMs + overheadMs;
      if (keepTimes) out.tokenAtMs[id] = tokenAtMs.map((atMs) => atMs + overheadMs);
      if (outputTokens > 1) out.tpotMs[id] = (endMs - firstTokenMs) / (outputTokens - 1);
    }
    if (finishes.length > 0) continue;
    for (; next < count && requests[next]!.arrivalMs <= nextMs; next++) {
      const { arrivalMs, promptTokens, outputTokens } = requests[next]!;
      if (!core.fits(promptTokens, outputTokens)) {
        if (next < wanted) missing--;
        continue;
      }
      const keys = keyed ? newKeys(keysGiven, Math.floor(promptTokens / keyBlockSize!)) : null;
      keysGiven += keys?.prompt.length ?? 0;
      core.submit({ id: next, inputTokens: promptTokens, outputTokens, arrivalMs, ...(keys && { keys }) });
      if (core.step === null) core.beginStep(arrivalMs);
    }
  }
  return out;
}

/** Keys that no other prompt has: the numbers from `from` on. */
function newKeys(from: number, count: number): PromptKeys {
  const prompt = new Float64Array(count);
  for (let i = 0; i < count; i++) prompt[i] = from + i;
  return { prompt };
}
