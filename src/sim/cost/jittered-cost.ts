import type { RandomStream } from '../../core/index.ts';
import type { CostModel } from './cost-model.ts';

/**
 * The same cost times a log-normal factor drawn afresh for each step. The factor's mean is 1
 * (its median is exp(−σ²/2)), so that jitter widens the times and leaves the throughput where it was.
 */
export function jitteredCost(cost: CostModel, stepSigma: number, random: RandomStream): CostModel {
  if (stepSigma === 0) return cost;
  const shift = (stepSigma * stepSigma) / 2;
  return { stepMs: (load) => cost.stepMs(load) * Math.exp(stepSigma * random.normal() - shift) };
}

/** The same cost times one factor for the whole run: machines are a little quicker or slower from day to day. */
export function scaledCost(cost: CostModel, runSigma: number, random: RandomStream): CostModel {
  if (runSigma === 0) return cost;
  const factor = Math.exp(runSigma * random.normal() - (runSigma * runSigma) / 2);
  return { stepMs: (load) => cost.stepMs(load) * factor };
}
