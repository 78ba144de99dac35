import type { ResumePoint, Runner, RunPlan } from '../../core/index.ts';
import type { RunTelemetry } from '../../client/telemetry/index.ts';
import type { OpenPrompts, Prepared, ServerWords } from '../prepare/prepare.ts';

/** A point that is about to be measured, as far as a runner must know it. */
export interface PointAsk {
  prepared: Prepared;
  plan: RunPlan;
  /** Its place in the experiment, from 0. */
  number: number;
  /** Requests that the points before it have issued. */
  issuedBefore: number;
  /** The part of this plan that an interrupted run has done; null = none. */
  behind: ResumePoint | null;
}

/** What carries out one point: traffic or virtual time, and what watches the server beside it. */
export interface PointRunner {
  runner: Runner;
  /** null = nothing is watched. */
  telemetry: RunTelemetry | null;
  /** What the server lists as its models right before the load; null = it was not asked, or lists none. */
  models: readonly string[] | null;
}

/** What answers the points of an experiment: a server, loaded from here or from many machines, or an engine in virtual time. */
export interface RunnerSource {
  /** Looks at everything that can be wrong before load; `slices` = how many slices of the dataset will be asked. */
  prepare(settings: ServerWords, slices: number, open?: OpenPrompts): Promise<Prepared>;
  /** The runner of one point; each makes one run. */
  runnerFor(point: PointAsk): Promise<PointRunner>;
  /** Points that are sure to come and do not wait for each other, told so that other machines can begin with them. */
  ahead?(points: readonly Pick<PointAsk, 'prepared' | 'plan'>[]): void;
  /** Whether parts of one run were carried out by machines that went on while nobody was here. */
  readonly goesOnAlone: boolean;
  close(): Promise<void>;
}
