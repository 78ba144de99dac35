import {
  cardsOf,
  decodeWork,
  prefillWork,
  rooflineStep,
  stepCostPrior,
  usualEfficiency,
} from '../../inputs/hardware/index.ts';
import type { Rig } from '../../inputs/hardware/index.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';

/** A roofline of the whole rig: the assumptions, and a curve over batch sizes. */
type Estimates = NonNullable<PlanDocument['estimates']>;
/** What one batch size may bring: estimated from data sheets, never measured. */
type EstimatedPoint = Estimates['points'][number];
/** a + c·decodes + p1·prefill tokens + k·cached tokens / 1000, in ms. */
export type StepCostLine = NonNullable<PlanDocument['stepCostPrior']>;

/** The rig a request describes; null = the card's rates are not known. */
export function rigOf(request: PlanRequest): Rig | null {
  if (request.card === null) return null;
  return {
    shape: request.shape,
    card: request.card,
    parallel: request.parallel,
    weights: { format: request.weightFormat, withMtp: false },
    kv: { format: request.kvFormat, withMtp: false },
    efficiency: usualEfficiency,
  };
}

/** Estimates at powers of two up to the largest useful batch, and at that batch. null = the card's rates are not known. */
export function estimatesOf(request: PlanRequest, largestBatch: number): Estimates | null {
  const rig = rigOf(request);
  const { inputTokens, outputTokens } = request.workload;
  const contextTokens = Math.round(inputTokens + outputTokens / 2);
  if (rig === null || rooflineStep(rig, decodeWork(1, 1)) === null) return null;
  const batches = [...new Set([...powersBelow(largestBatch), largestBatch])].filter((batch) => batch >= 1);
  const points = batches.map((batch) => pointAt(request, rig, batch)).filter((point) => point !== null);
  return { kind: 'roofline-estimate', assumed: rig.efficiency, contextTokens, points };
}

/** The estimate for one batch size of one replica; rates are over all replicas. */
export function pointAt(request: PlanRequest, rig: Rig, batch: number): EstimatedPoint | null {
  const { inputTokens, outputTokens } = request.workload;
  // Pipeline stages each hold a part of the batch at a time.
  const together = Math.max(1, batch / request.parallel.pipeline);
  const decode = rooflineStep(rig, decodeWork(together, inputTokens + outputTokens / 2));
  const prefill = rooflineStep(rig, prefillWork(inputTokens));
  if (decode === null || prefill === null) return null;
  // Each request of the batch stops the others once, for its prefill.
  const tpotMs = decode.totalMs + ((batch - 1) * prefill.totalMs) / request.parallel.pipeline / outputTokens;
  const waitMs = batch > 1 ? decode.totalMs / 2 : 0;
  const cards = cardsOf(request.parallel);
  const residenceMs = prefill.totalMs + outputTokens * tpotMs;
  const outputTokensPerSec = ((batch * outputTokens) / residenceMs) * 1000 * request.parallel.data;
  const watts = rig.card.powerW === null ? null : rig.card.powerW * cards;
  return {
    batch,
    ttftMs: prefill.totalMs + waitMs,
    tpotMs,
    outputTokensPerSec,
    outputTokensPerSecPerCard: outputTokensPerSec / cards,
    bound: decode.bound,
    costPerMillionOutputTokens:
      request.pricePerHour === null ? null : request.pricePerHour / ((outputTokensPerSec * 3600) / 1e6),
    outputTokensPerJoule: watts === null ? null : outputTokensPerSec / watts,
  };
}

/** The largest batch up to `most` whose estimated TPOT keeps within the limit; null = not even one, or not known. */
export function largestBatchWithin(request: PlanRequest, most: number, limitMs: number): number | null {
  const rig = rigOf(request);
  if (rig === null) return null;
  const keeps = (batch: number): boolean => (pointAt(request, rig, batch)?.tpotMs ?? Infinity) <= limitMs;
  if (!keeps(1)) return null;
  let [low, high] = [1, Math.max(1, most) + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (keeps(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function powersBelow(limit: number): number[] {
  const powers: number[] = [];
  for (let power = 1; power < limit && powers.length < 20; power *= 2) powers.push(power);
  return powers;
}

/** The step cost of a rig as the simulator's line takes it; null = the card's rates are not known. */
export function priorOf(request: PlanRequest): StepCostLine | null {
  const rig = rigOf(request);
  const prior = rig === null ? null : stepCostPrior(rig);
  if (prior === null) return null;
  const { inputTokens } = request.workload;
  return {
    aMs: prior.baseMs,
    cMsPerDecode: prior.perSequenceMs,
    // The simulator's line has no term for prompts attending to themselves: their share at the mean length goes to the token.
    p1MsPerPrefillToken: prior.perPrefillTokenMs + (prior.perAttendedMegaTokenMs * inputTokens) / 2 / 1e6,
    kMsPer1000KvTokens: prior.perKvKiloTokenMs,
  };
}
