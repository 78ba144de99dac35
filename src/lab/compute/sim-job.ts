import type { Ended, Runner, RunPlan, RunState } from '../../core/index.ts';
import { openDataset } from '../../inputs/dataset/index.ts';
import { makeSimRunner } from '../../engine/sim/index.ts';
import type { EngineCounters, EngineProfile, SimFault, SimRunner } from '../../engine/sim/index.ts';
import type { PromptSource } from '../prepare/prompt-source.ts';

/** A simulation as plain data, for whoever has CPU to spare. */
export interface SimJob {
  plan: RunPlan;
  profile: EngineProfile;
  prompts: PromptSource;
  injectedFaults: readonly SimFault[];
  already: number;
  /** Which run of the sweep it is. */
  run: number;
}

/** What came of it. */
interface SimDone {
  ended: Ended[];
  counters: EngineCounters | null;
}

/** Does a simulation that came over the queue. */
export async function doSimJob(work: SimJob): Promise<SimDone> {
  const { plan, profile, prompts, injectedFaults, already, run } = work;
  const dataset = await openDataset(prompts.spec, prompts.options);
  const runner = makeSimRunner({
    profile,
    workload: (phase) => dataset.workload(prompts.offsets[phase]),
    simFaults: { injectedFaults, already },
    run,
    breathe: () => new Promise((resolve) => void setImmediate(resolve)),
  });
  const never = new AbortController().signal;
  const ended: Ended[] = [];
  for await (const one of runner.run(plan, { drain: never, cancel: never }, [])) ended.push(one);
  return { ended, counters: runner.counters() };
}

/** The runner whose exchanges another machine computes: the same ones, since the seed is the same. */
export function simElsewhere(answer: Promise<unknown>): SimRunner {
  let done: SimDone | null = null;
  const state: RunState = { nowMs: 0, due: 0, sent: 0, inFlight: 0, ok: 0, failed: 0 };
  const run: Runner['run'] = async function* hand(_plan, stops) {
    done = (await answer) as SimDone;
    for (const one of done.ended) {
      if (stops.cancel.aborted) return;
      const { outcome, endMs } = one.exchange;
      state.nowMs = endMs;
      state.due++;
      state.sent++;
      if (outcome === 'ok') state.ok++;
      if (outcome === 'failed') state.failed++;
      yield one;
    }
  };
  return {
    simulated: true,
    run,
    monotonicOriginNs: null,
    health: () => null,
    state: () => ({ ...state }),
    counters: () => done?.counters ?? null,
  };
}
