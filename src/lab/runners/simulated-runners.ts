import type { RunPlan } from '../../core/index.ts';
import { engineStory, makeSimRunner, saturationOf, schedulers } from '../../engine/sim/index.ts';
import type { EngineProfile, SimFault, SimRunnerKit } from '../../engine/sim/index.ts';
import type { RunTelemetry } from '../../client/telemetry/index.ts';
import type { ComputeQueue } from '../compute/compute-queue.ts';
import { simElsewhere } from '../compute/sim-job.ts';
import type { SimJob } from '../compute/sim-job.ts';
import { openOwn } from '../own-parts.ts';
import type { OwnParts } from '../own-parts.ts';
import { datasetOptionsOf, offsetsOf, prepareSimulated } from '../prepare/prepare.ts';
import type { PointAsk, RunnerSource } from './runner-source.ts';

/** An engine that exists in virtual time only, and what goes wrong in it. */
export interface SimulatedEngine {
  profile: EngineProfile;
  faults: readonly SimFault[];
}

/**
 * Virtual time instead of a server. `queue` = other machines that compute; null = this one. One engine serves the whole experiment:
 * what befalls one request befalls it once, and it is cold once.
 */
export function simulatedRunners(
  { profile, faults }: SimulatedEngine,
  queue: ComputeQueue | null,
  own: OwnParts = {},
): RunnerSource {
  const begun = new Map<RunPlan, Promise<unknown>>();
  const elsewhere = (
    at: ComputeQueue,
    { prepared, plan, number, issuedBefore }: Pick<PointAsk, 'prepared' | 'plan' | 'number' | 'issuedBefore'>,
  ): Promise<unknown> => {
    const about = { profile, injectedFaults: faults, already: issuedBefore, run: number };
    const answer = offsetsOf(prepared.dataset, plan).then((offsets) => {
      const prompts = { spec: prepared.words.dataset, options: datasetOptionsOf(prepared.words), offsets };
      return at.ask({ do: 'simulate', work: { ...about, plan, prompts } satisfies SimJob });
    });
    // Points are asked for ahead of their turn: one may fail while another is waited for.
    answer.catch(() => {});
    return answer;
  };
  return {
    goesOnAlone: false,
    prepare: (words, slices, open = openOwn(own, true)) => prepareSimulated(words, slices, profile.model, open),
    async runnerFor(point) {
      const { prepared, plan, number, issuedBefore } = point;
      const offsets = await offsetsOf(prepared.dataset, plan);
      const kit =
        queue === null
          ? makeSimRunner({
              profile,
              workload: (phase) => prepared.dataset.workload(offsets[phase]),
              simFaults: { injectedFaults: faults, already: issuedBefore },
              run: number,
              breathe: () => new Promise((resolve) => void setImmediate(resolve)),
            })
          : simElsewhere(begun.get(plan) ?? elsewhere(queue, point));
      return { kit, telemetry: watchEngine(kit, plan, profile) };
    },
    ahead(points) {
      // What befalls a point may depend on those before it.
      if (queue === null || faults.length > 0) return;
      for (const [number, { prepared, plan }] of points.entries())
        begun.set(plan, elsewhere(queue, { prepared, plan, number, issuedBefore: 0 }));
    },
    close: () => Promise.resolve(),
  };
}

/** What a real server's metrics would have told of the run goes into the summary from the engine itself. */
function watchEngine(kit: SimRunnerKit, plan: RunPlan, profile: EngineProfile): RunTelemetry {
  const { name, settings } = profile.scheduler ?? { name: 'continuous' as const, settings: {} };
  const maxBatchSize = Number(settings[schedulers[name].batchSetting] ?? profile.maxBatchSize);
  const { kind, concurrency } = plan.load;
  return {
    start: () => {},
    saw: () => {},
    stop: () => Promise.resolve(),
    collect({ flow }) {
      const counters = kit.counters();
      const load = { isOpen: kind !== 'closed', concurrency, maxBatchSize };
      const saturation = saturationOf(flow?.state ?? 'unknown', load, counters);
      const facts = { profile: profile.name, scheduler: name, saturation, ...counters };
      if (counters === null) return { server: facts, devices: null };
      const { en: story, zh } = engineStory(counters, saturation);
      return { server: { ...facts, story, zh: { story: zh } }, devices: null };
    },
  };
}
