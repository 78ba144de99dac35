import { UserError } from '../../core/index.ts';
import { planDocument } from '../plan/index.ts';
import type { KnownKv } from './engine-model.ts';
import type { Knob } from './space.ts';
import type { TuneFile } from './tune-file-schema.ts';
import type { Wrong } from './read-tune-file.ts';

/** What arithmetic says before anything is run. */
export interface PlanLimits {
  kv: KnownKv;
  /** More than this cannot be in the cache at once, even right after their prompts. */
  largestBatch: number;
}

/** KV blocks and the largest batch by the arithmetic of `dyno plan`; null where the file asks for none or it cannot be told. */
export function planLimits({ plan }: TuneFile, wrong: Wrong): PlanLimits | null {
  if (plan === undefined) return null;
  const { model, card, cardMemoryGib, idleGib, weightsGib, ...rest } = plan;
  try {
    const document = planDocument({
      ...rest,
      ...(model !== undefined && { modelName: model }),
      ...(card !== undefined && { cardName: card }),
      ...(cardMemoryGib !== undefined && { cardMemoryGiB: cardMemoryGib }),
      ...(idleGib !== undefined && { idleGiB: idleGib }),
      ...(weightsGib !== undefined && { weightsGiB: weightsGib }),
    });
    return {
      kv: { blocks: document.totalBlocks, blockSize: document.workload.blockSize, memory: document.npuMemSizeGiB },
      largestBatch: document.maxBatchSize.max,
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    for (const { code, message, hint } of error.mistakes) wrong(['plan'], message, hint, code);
    return null;
  }
}

/** Knobs without the batches that the cache cannot hold; a memory setting that is searched or raised moves the limit, so it is left alone. */
export function prunedByPlan(knobs: readonly Knob[], limits: PlanLimits | null): Knob[] {
  if (limits === null || knobs.some(({ role }) => role === 'memory')) return [...knobs];
  return knobs.map((knob) => {
    if (knob.role !== 'batch' || !knob.ordered) return knob;
    const values = knob.values.filter((value) => Number(value) <= limits.largestBatch);
    return { ...knob, values: values.length > 0 ? values : knob.values.slice(0, 1) };
  });
}
