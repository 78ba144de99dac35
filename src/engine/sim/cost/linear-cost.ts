import type { CostModel } from './cost-model.ts';

/**
 * Parameters of a step, in ms: a + d(decodes) + p1·prefillTokens + r·prompts + k·kvTokens/1000 + m·prefillAttention/10⁶,
 * where d(n) is c·n, or the line through the knots of `decodeCurve` where there is one.
 */
export interface LinearCost {
  aMs: number;
  cMsPerDecode: number;
  p1MsPerPrefillToken: number;
  kMsPer1000KvTokens: number;
  /** What a prompt costs in every step that computes some of it, however short; absent = 0. */
  rMsPerPrompt?: number;
  /** Absent = 0. */
  mMsPerMillionAttention?: number;
  /** Knots of d(n) with rising n; between them straight, before the first from (0, 0), after the last with slope c. */
  decodeCurve?: readonly DecodeKnot[];
}

/** d(decodes) = ms. */
export interface DecodeKnot {
  decodes: number;
  ms: number;
}

/** The cost model that is linear in what the step holds, but for an optional curve over the batch. */
export function linearCost(cost: LinearCost): CostModel {
  const { aMs, cMsPerDecode, p1MsPerPrefillToken } = cost;
  const kMs = cost.kMsPer1000KvTokens / 1000;
  const rMs = cost.rMsPerPrompt ?? 0;
  const mMs = (cost.mMsPerMillionAttention ?? 0) / 1e6;
  const curve = cost.decodeCurve ?? [];
  if (curve.length === 0) {
    return {
      stepMs: (load) =>
        aMs +
        cMsPerDecode * load.decodes +
        p1MsPerPrefillToken * load.prefillTokens +
        rMs * load.prompts +
        kMs * load.kvTokens +
        mMs * load.prefillAttention,
    };
  }
  const decodeMs = curveOf(curve, cMsPerDecode);
  return {
    stepMs: (load) =>
      aMs +
      decodeMs(load.decodes) +
      p1MsPerPrefillToken * load.prefillTokens +
      rMs * load.prompts +
      kMs * load.kvTokens +
      mMs * load.prefillAttention,
  };
}

function curveOf(knots: readonly DecodeKnot[], slopeAfter: number): (decodes: number) => number {
  return (decodes) => {
    let before: DecodeKnot = { decodes: 0, ms: 0 };
    for (const knot of knots) {
      if (decodes <= knot.decodes) {
        const part = (decodes - before.decodes) / (knot.decodes - before.decodes);
        return before.ms + part * (knot.ms - before.ms);
      }
      before = knot;
    }
    return before.ms + slopeAfter * (decodes - before.decodes);
  };
}
