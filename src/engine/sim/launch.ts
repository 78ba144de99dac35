import type { StepLoad } from './cost/cost-model.ts';

/** What holds an engine's thread while it launches a step with prompts; nothing else happens there meanwhile. */
export interface LaunchCost {
  ms: number;
  /** A step of no more tokens than this, which runs as recorded graphs, takes the other time; absent = 0. */
  graphTokens?: number;
  graphMs?: number;
}

/** How long a step with this load takes to launch. */
export function launchMs(cost: LaunchCost, { decodes, prefillTokens }: StepLoad): number {
  if (prefillTokens === 0) return 0;
  return decodes + prefillTokens <= (cost.graphTokens ?? 0) ? (cost.graphMs ?? 0) : cost.ms;
}
