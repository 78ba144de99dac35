import type { LinearCost } from './cost/linear-cost.ts';

/** One engine on one machine as a handful of numbers, with where they come from. The files are in data/engines. */
export interface EngineProfile {
  schema: 'llmdyno.engine-profile/1';
  /** kebab-case: model, engine, cards. */
  name: string;
  title: string;
  /** The model name that the simulated server gives itself. */
  model: string;
  /** Where the numbers come from. */
  source: string;
  /** When they were measured or published, ISO 8601 (year, month or day). */
  date: string;
  cost: LinearCost;
  /** Standard deviation of the logarithm of a step's time. */
  jitter: { stepSigma: number };
  maxBatchSize: number;
  /** Prompt tokens prefilled in one step; null = no limit. */
  maxPrefillTokens: number | null;
  /** null = the KV cache is never the limit. */
  kv: { blocks: number; blockSize: number } | null;
  /** What was assumed, and anything else a reader should know. */
  notes: readonly string[];
}
