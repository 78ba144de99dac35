import type { LinearCost } from './cost/linear-cost.ts';
import type { FrontCost } from './front/front.ts';
import type { LaunchCost } from './launch.ts';
import type { SchedulerName, SettingValue } from './scheduler/schedulers.ts';

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
  /** Standard deviation of the logarithm of a step's time, and of a whole run's (absent = 0). */
  jitter: { stepSigma: number; runSigma?: number };
  maxBatchSize: number;
  /** Prompt tokens prefilled in one step; null = no limit. */
  maxPrefillTokens: number | null;
  /** null = the KV cache is never the limit. */
  kv: { blocks: number; blockSize: number } | null;
  /** What a token keeps in the KV cache of each card; absent = not known. */
  kvBytesPerTokenPerCard?: number;
  /** Which policy forms the steps, and its server's settings; absent = plain continuous batching. */
  scheduler?: { name: SchedulerName; settings: Readonly<Record<string, SettingValue>> };
  /** Shared prompt beginnings are kept in the KV cache; absent = the default of the scheduler's server. */
  prefixCaching?: boolean;
  /** What each request takes outside the steps: tokenising, HTTP, detokenising; absent = 0. */
  overheadMs?: number;
  /** What holds the engine's thread while a step with prompts is launched; absent = nothing. */
  launch?: LaunchCost;
  /** The process between clients and engine, where it is one that they wait for; absent = nobody does. */
  front?: FrontCost;
  /** How good the fit was that made it. */
  fit?: FitQuality;
  /** What was assumed, and anything else a reader should know. */
  notes: readonly string[];
}

/** How a profile was fitted, and what it got right. */
export interface FitQuality {
  /** The load points, or the share of the requests, that it was fitted to. */
  fittedTo: string;
  /** Mean relative error on what it was not fitted to, by metric; null = nothing was held out. */
  heldOutError: Readonly<Record<string, number>> | null;
  /** 90 % intervals of the parameters, by name. */
  intervals: Readonly<Record<string, readonly [number, number]>>;
  /** What it was fitted to; absent = not told. */
  reach?: FittedReach;
  /** How far a prediction may be off; absent = not told. */
  doubt?: FittedDoubt;
}

/** What the intervals of a prediction are made of. */
export interface FittedDoubt {
  /** Standard deviation of the logarithm of a figure's error over the fitted runs, by figure. */
  errors: Readonly<Record<string, number>>;
  /** Servers that explain the runs about as well, by what they have of their own. */
  others: readonly Pick<EngineProfile, 'cost' | 'overheadMs' | 'launch' | 'front'>[];
  /** What a prompt token costs was told by the runs. */
  p1Known: boolean;
}

/** The loads that a profile was fitted to. */
export interface FittedReach {
  promptTokens: [number, number];
  outputTokens: [number, number];
  /** Most requests that were in the server at once. */
  inFlight: number;
  /** Largest share of a run's prompt tokens that came from the prefix cache. */
  cachedShare: number;
  promptsAlike: boolean;
  /** Some of them sent requests at times of their own; absent = not told. */
  openLoop?: boolean;
}
