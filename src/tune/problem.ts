import type { Slo } from '../measure/index.ts';
import type { EngineFamily } from './engine-family.ts';
import type { KnownKv } from './engine-model.ts';
import type { Objective } from './goal-metrics.ts';
import type { RequestLengths } from './simulate-point.ts';
import type { Space } from './space.ts';

/** What a search is asked: pure data, the same for a real server, an evaluate command and a simulated engine. */
export interface TuneProblem {
  space: Space;
  objective: Objective;
  slos: readonly Slo[];
  /** Runs in all, confirmations among them. */
  budgetRuns: number;
  /** Fresh seeds that a winner has to stand. */
  confirmRuns: number;
  /** null = the names say nothing about scheduling: only the trials guide the search. */
  family: EngineFamily | null;
  /** null = taken from what the trials measure. */
  lengths: RequestLengths | null;
  kv: KnownKv | null;
  /** The load may be changed alone, so that a calibration needs fewer restarts. */
  freeLoad: boolean;
  seed: number;
}
