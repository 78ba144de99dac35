import { EngineCore } from '../sim/index.ts';
import type { EngineProfile } from '../sim/index.ts';
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

/** Plays the arrivals and lengths of a trace against a profile in virtual time. A request that never fits counts as instant. */
export function replay(
  profile: EngineProfile,
  requests: readonly TracedRequest[],
  seed = 1,
  keepTimes = false,
): Replayed {
  const core = new EngineCore({ profile, seed, keepTimes });
  const overheadMs = profile.overheadMs ?? 0;
  const count = requests.length;
  const out: Replayed = {
    ttftMs: new Float64Array(count),
    tpotMs: new Float64Array(count).fill(NaN),
    latencyMs: new Float64Array(count),
    tokenAtMs: [],
  };
  let next = 0;
  while (next < count || core.step !== null) {
    const nextMs = requests[next]?.arrivalMs ?? Infinity;
    const finishes = core.step === null ? [] : core.advance(nextMs);
    for (const { id, firstTokenMs, endMs, tokenAtMs } of finishes) {
      const { arrivalMs, outputTokens } = requests[id]!;
      out.ttftMs[id] = firstTokenMs - arrivalMs + overheadMs;
      out.latencyMs[id] = endMs - arrivalMs + overheadMs;
      if (keepTimes) out.tokenAtMs[id] = tokenAtMs.map((atMs) => atMs + overheadMs);
      if (outputTokens > 1) out.tpotMs[id] = (endMs - firstTokenMs) / (outputTokens - 1);
    }
    if (finishes.length > 0) continue;
    for (; next < count && requests[next]!.arrivalMs <= nextMs; next++) {
      const { arrivalMs, promptTokens, outputTokens } = requests[next]!;
      if (!core.fits(promptTokens, outputTokens)) continue;
      core.submit({ id: next, inputTokens: promptTokens, outputTokens, arrivalMs });
      if (core.step === null) core.beginStep(arrivalMs);
    }
  }
  return out;
}
