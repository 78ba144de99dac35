import type { Exchange, RunPlan, Summary } from '../core/index.ts';

/** What one point came to, with every measured exchange in the order they ended. */
export interface AsMeasured {
  plan: RunPlan;
  summary: Summary;
  exchanges: Exchange[];
  dir: string;
}
