import { userError } from '../../core/index.ts';
import type { StepCostLine } from './estimates.ts';
import type { PlanDocument } from './plan-schema.ts';

/** An engine profile as data/engines holds them, estimated instead of measured. */
export interface EstimatedProfile {
  schema: 'llmdyno.engine-profile/1';
  name: string;
  title: string;
  model: string;
  source: string;
  date: string;
  cost: StepCostLine;
  jitter: { stepSigma: number };
  maxBatchSize: number;
  maxPrefillTokens: number;
  kv: { blocks: number; blockSize: number };
  notes: string[];
}

/** What step times scatter by in published runs, as the shipped profiles assume. */
const usualStepSigma = 0.03;

/** A profile for the simulator out of a plan, for rigs that nobody has measured. `date` is today, ISO 8601. */
export function emitProfile(plan: PlanDocument, date: string): EstimatedProfile {
  if (plan.stepCostPrior === null) {
    throw userError(
      'no-rates-for-profile',
      'a profile needs the card’s bandwidth and compute',
      '生成引擎配置需要卡的带宽与算力',
      'give the card by name: --card (dyno plan --list cards)',
      '请用 --card 指定卡名（dyno plan --list cards）',
      '--card',
    );
  }
  const { model, cards, advice, workload } = plan;
  return {
    schema: 'llmdyno.engine-profile/1',
    name: `${model.name}-${cards.count}x${cards.name}-estimate`.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-'),
    title: `${model.name} on ${cards.count} × ${cards.name}, estimated from data sheets`,
    model: model.name,
    source: 'dyno plan --emit profile: roofline of the data sheets, nothing measured',
    date,
    cost: plan.stepCostPrior,
    jitter: { stepSigma: usualStepSigma },
    maxBatchSize: plan.server.maxBatchSize ?? advice.maxBatchSize,
    maxPrefillTokens: plan.server.maxPrefillTokens ?? advice.maxPrefillTokens,
    kv: { blocks: plan.totalBlocks, blockSize: workload.blockSize },
    notes: [
      'Every number is an estimate; published measurements differ from it by up to a factor of 2 (docs/validation/plan.md).',
      `The blocks are ${plan.totalBlocksFrom === 'server-log' ? 'what a server’s log said' : 'by formula'}, of one replica.`,
    ],
  };
}
