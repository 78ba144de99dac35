import type { Runner, RunState, Workload } from '../../core/index.ts';
import { invariant } from '../../core/index.ts';
import type { CostModel } from './cost/cost-model.ts';
import { EngineCore } from './engine-core.ts';
import type { EngineCounters } from './engine-events.ts';
import type { EngineProfile } from './engine-profile.ts';
import { FlightFaults } from './flight-faults.ts';
import type { SimFault } from './sim-fault.ts';
import { starvedProfile } from './sim-fault.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import { VirtualRun } from './virtual-run.ts';

/** What a simulated run needs besides its plan. */
export interface SimRunnerOptions {
  profile: EngineProfile;
  /** A fresh stream of prompts for each phase. */
  workload(phase: 'warmup' | 'measure'): Workload;
  /** Takes the place of the profile's own scheduler. */
  scheduler?: Scheduler;
  /** Takes the place of the profile's own cost model, jitter included. */
  cost?: CostModel;
  /** false = the scheduler is asked before every step; the results are the same. Default true. */
  skipSteady?: boolean;
  /** What goes wrong; `already` = requests that this engine has had before this run. */
  simFaults?: { injectedFaults: readonly SimFault[]; already: number };
  /** Which run of a sweep it is, from 0: no two have the same jitter. Default 0. */
  run?: number;
  /** Awaited now and then: a long run would otherwise never let the process hear a signal. */
  breathe?: () => Promise<void>;
}

/** A runner that can also be asked what its engine looks like. */
export interface SimRunner extends Runner {
  /** null = the run has not begun. */
  counters(): EngineCounters | null;
}

/** The seed of the engine's chance in the n-th run of a sweep, from 0. */
export function engineSeed(seed: number, run: number): number {
  return seed + 1_000_003 * run;
}

const idle: RunState = { nowMs: 0, due: 0, sent: 0, inFlight: 0, ok: 0, failed: 0 };

/** A runner in virtual time: the same plan, the same exchanges, no sockets and no waiting. One runner makes one run. */
export function makeSimRunner(options: SimRunnerOptions): SimRunner {
  let run: VirtualRun | null = null;
  let core: EngineCore | null = null;
  return {
    simulated: true,
    monotonicOriginNs: null,
    run(plan, stops, rules) {
      invariant(run === null, 'a sim runner makes one run');
      const { injectedFaults, already } = options.simFaults ?? { injectedFaults: [], already: 0 };
      core = new EngineCore({
        profile: starvedProfile(options.profile, injectedFaults),
        seed: engineSeed(plan.seed, options.run ?? 0),
        cold: already === 0 && injectedFaults.some((fault) => fault.name === 'cold-start'),
        ...(options.scheduler === undefined ? {} : { scheduler: options.scheduler }),
        ...(options.skipSteady === undefined ? {} : { skipSteady: options.skipSteady }),
        ...(options.cost === undefined ? {} : { cost: options.cost }),
      });
      run = new VirtualRun(
        plan,
        stops,
        rules,
        core,
        options.workload.bind(options),
        options.breathe ?? null,
        options.profile.overheadMs ?? 0,
        new FlightFaults(injectedFaults, already),
      );
      return run.exchanges();
    },
    health: () => null,
    state: () => run?.state() ?? { ...idle },
    counters: () => core?.counters() ?? null,
  };
}
