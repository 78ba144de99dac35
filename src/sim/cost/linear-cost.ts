import type { CostModel } from './cost-model.ts';

/** Parameters of a step: a + c·decodes + p1·prefillTokens + k·kvTokens/1000, all in ms. */
export interface LinearCost {
  aMs: number;
  cMsPerDecode: number;
  p1MsPerPrefillToken: number;
  kMsPer1000KvTokens: number;
}

/** The cost model that is linear in what the step holds. */
export function linearCost(cost: LinearCost): CostModel {
  return {
    stepMs: (load) =>
      cost.aMs +
      cost.cMsPerDecode * load.decodes +
      cost.p1MsPerPrefillToken * load.prefillTokens +
      (cost.kMsPer1000KvTokens * load.kvTokens) / 1000,
  };
}
