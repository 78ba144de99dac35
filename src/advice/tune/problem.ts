import type { Slo } from '../../results/measure/index.ts';
import type { EngineFamily } from './engine-family.ts';
import type { KnownKv } from './engine-model.ts';
import type { Objective } from './goal-metrics.ts';
import type { RequestLengths } from './simulate-point.ts';
import type { Settings } from './setting.ts';
import type { Space } from './space.ts';

/** What a search is asked: plain data that another thread can be told, the same for a real server, an evaluate command and a simulated engine. */
export interface TuneProblem {
  space: Space;
  objective: Objective;
  slos: readonly Slo[];
  /** Runs in all, confirmations among them. */
  budgetRuns: number;
  /** Fresh seeds that a winner has to stand. */
  confirmRuns: number;
  /** Expected gain (a ratio) below which nothing more is tried; 0.01 unless told. */
  leastGain?: number;
  /** The knob whose largest value is asked for, as the guide does under a decode limit; the objective decides between equals. */
  largest?: string;
  /** null = the names say nothing about scheduling: only the trials guide the search. */
  family: EngineFamily | null;
  /** null = taken from what the trials measure. */
  lengths: RequestLengths | null;
  kv: KnownKv | null;
  /** The load may be changed alone, so that a calibration needs fewer restarts. */
  freeLoad: boolean;
  seed: number;
}

/** Weight of the objective (a logarithm) beside the setting that is to be as large as possible. */
const besideLargest = 0.1;

/** What a point is worth: the objective as a logarithm, or the setting that is to be largest with the objective beside it. */
export function worthOf({ largest, objective }: TuneProblem, settings: Settings, logObjective: number): number {
  const gained = (objective.direction === 'most' ? 1 : -1) * logObjective;
  const size = largest === undefined ? null : settings[largest];
  return typeof size === 'number' && size > 0 ? Math.log(size) + besideLargest * gained : gained;
}
