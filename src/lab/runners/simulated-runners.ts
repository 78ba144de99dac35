import { beyond } from '../../advice/fit/index.ts';
import type { Phrase, RunPlan } from '../../core/index.ts';
import { engineStory, makeSimRunner, mostRunningOf, saturationOf } from '../../engine/sim/index.ts';
import type { EngineCounters, EngineProfile, SimFault, SimRunner } from '../../engine/sim/index.ts';
import type { RunTelemetry } from '../../client/telemetry/index.ts';
import type { ComputeQueue } from '../compute/compute-queue.ts';
import { simElsewhere } from '../compute/sim-job.ts';
import type { SimJob } from '../compute/sim-job.ts';
import { openOwn } from '../own-parts.ts';
import type { OwnParts } from '../own-parts.ts';
import { datasetOptionsOf, offsetsOf, prepareSimulated } from '../prepare/prepare.ts';
import { PredictionWatch } from './prediction-watch.ts';
import type { PointAsk, RunnerSource } from './runner-source.ts';

/** An engine that exists in virtual time only, and what goes wrong in it. */
export interface SimulatedEngine {
  profile: EngineProfile;
  faults: readonly SimFault[];
}

/**
 * Virtual time instead of a server. `queue` = other machines that compute; null = this one. One engine serves the whole experiment:
 * a fault strikes once, and the engine is cold once.
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
      const prompts = { spec: prepared.settings.dataset, options: datasetOptionsOf(prepared.settings), offsets };
      return at.ask({ do: 'simulate', work: { ...about, plan, prompts } satisfies SimJob });
    });
    // Points are asked for ahead of their turn: one may fail while another is waited for.
    answer.catch(() => {});
    return answer;
  };
  return {
    goesOnAlone: false,
    prepare: (settings, slices, open = openOwn(own, true)) => prepareSimulated(settings, slices, profile.model, open),
    async runnerFor(point) {
      const { prepared, plan, number, issuedBefore } = point;
      const offsets = await offsetsOf(prepared.dataset, plan);
      const runner =
        queue === null
          ? makeSimRunner({
              profile,
              workload: (phase) => prepared.dataset.workload(offsets[phase]),
              simFaults: { injectedFaults: faults, already: issuedBefore },
              run: number,
              breathe: () => new Promise((resolve) => void setImmediate(resolve)),
            })
          : simElsewhere(begun.get(plan) ?? elsewhere(queue, point));
      return { runner, telemetry: watchEngine(runner, plan, profile), models: null };
    },
    ahead(points) {
      // With faults points are not computed ahead, because a fault may depend on the requests of earlier points.
      if (queue === null || faults.length > 0) return;
      for (const [number, { prepared, plan }] of points.entries())
        begun.set(plan, elsewhere(queue, { prepared, plan, number, issuedBefore: 0 }));
    },
    close: () => Promise.resolve(),
  };
}

/** In what a run goes beyond what its profile was fitted to, as far as its plan says. */
function beyondFit({ load, lengths }: RunPlan, { fit }: EngineProfile, counters: EngineCounters): Phrase[] {
  if (fit?.reach === undefined) return [];
  const { input, output } = lengths ?? {};
  const [promptTokens, outputTokens] = [input, output].map((law, i) =>
    law?.law === 'fixed' ? law.tokens : [fit.reach!.promptTokens, fit.reach!.outputTokens][i]![0],
  ) as [number, number];
  const inFlight = load.concurrency ?? counters.runningMean + counters.waitingMean;
  const requests = [{ sentMs: 0, cachedTokens: 0, promptTokens, outputTokens }];
  return beyond(fit.reach, { concurrency: load.concurrency, requests, warmup: [] }, inFlight);
}

/** What a real server's metrics would have told of the run goes into the summary from the engine itself. */
function watchEngine(runner: SimRunner, plan: RunPlan, profile: EngineProfile): RunTelemetry {
  const { name } = profile.scheduler ?? { name: 'continuous' as const };
  const maxBatchSize = mostRunningOf(profile);
  const { kind, concurrency } = plan.load;
  const watch = new PredictionWatch(profile, plan);
  return {
    start: () => {},
    saw: (exchange) => watch.saw(exchange),
    stop: () => Promise.resolve(),
    collect(summary) {
      const counters = runner.counters();
      const load = { isOpen: kind !== 'closed', concurrency, maxBatchSize };
      const saturation = saturationOf(summary.flow?.state ?? 'unknown', load, counters);
      const facts = { profile: profile.name, scheduler: name, saturation, ...counters };
      if (counters === null) return { server: facts, devices: null };
      const prediction = watch.read(summary);
      const phrases = [
        engineStory(counters, saturation),
        ...(prediction === null ? beyondFit(plan, profile, counters) : prediction.warnings),
      ];
      const story = phrases.map(({ en }) => en).join('; ');
      const zh = phrases.map((phrase) => phrase.zh).join('；');
      return {
        server: { ...facts, story, zh: { story: zh }, ...(prediction !== null && { prediction }) },
        devices: null,
      };
    },
  };
}
