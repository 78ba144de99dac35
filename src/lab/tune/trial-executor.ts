import { say, userError, UserError } from '../../core/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { createRun } from '../../results/store/index.ts';
import { schedulerSettings } from '../../advice/tune/index.ts';
import type { TrialExecutor, TrialRequest, TrialResult, TuneRequest } from '../../advice/tune/index.ts';
import type { ComputeQueue } from '../compute/compute-queue.ts';
import type { LiveFile } from '../live-file.ts';
import { measurePoint } from '../measure-point.ts';
import type { LabPoint, MeasuredPoint } from '../measure-point.ts';
import { planPoint, sliceLength } from '../prepare/prepare.ts';
import type { Prepared, ServerWords } from '../prepare/prepare.ts';
import type { RemoteWorkers } from '../runners/remote-workers.ts';
import type { RunnerSource } from '../runners/runner-source.ts';
import { serverRunners } from '../runners/server-runners.ts';
import { simulatedRunners } from '../runners/simulated-runners.ts';
import { silent } from '../world.ts';
import type { World } from '../world.ts';
import { refuseUnsent } from './tune-workers.ts';

/** Where the trials of one tune are measured. */
export interface TrialPlace {
  /** The workload of every trial. */
  words: ServerWords;
  world: World;
  live: LiveFile;
}

/** Measures trials on a server that is up; `workers` = the machines that send the load, null = this one. */
export function serverTrials(place: TrialPlace, workers: RemoteWorkers | null): TrialExecutor {
  const { words } = place;
  const runners = serverRunners(words, silent(place.world), null, workers);
  let model = words.model;
  // Trials ask no test request of their own; what the server said of itself when it came up stands in their plans and summaries.
  let server: string | undefined;
  let models: Prepared['models'] = null;
  return {
    async probe() {
      try {
        const up = await runners.prepare({ ...words, ...(model !== undefined && { model }), requests: 1 }, 1);
        model ??= up.target.model;
        server = up.target.server;
        models = up.models;
        return null;
      } catch (error) {
        if (!(error instanceof UserError) || error.exitCode !== 3) throw error;
        return say(error.mistakes[0]?.message ?? error.message, 'en');
      }
    },
    async measure(trial) {
      const asked = { ...words, ...(model !== undefined && { model }), noPreflight: true };
      const prepared = await runners.prepare(wordsFor(asked, trial), 1);
      if (server !== undefined) prepared.target = { ...prepared.target, server };
      prepared.models = models;
      const { summary } = await measureTrial(trial, prepared, place, runners);
      if (workers !== null && !place.world.stops.drain.aborted) refuseUnsent(summary);
      return { summary, runId: summary.runId };
    },
  };
}

/** Plays trials in virtual time, each against a profile with the trial's settings. */
export function simulatedTrials(
  { problem: { family } }: TuneRequest,
  profile: EngineProfile,
  queue: ComputeQueue | null,
  place: TrialPlace,
): (trial: TrialRequest) => Promise<TrialResult> {
  if (family === null)
    throw userError(
      'cannot-simulate',
      'the simulator knows none of these settings',
      '模拟器不认识这些设置',
      'Say engine: mindie, vllm or sglang in the file, or give a setting role: batch.',
      '请在文件中写 engine: mindie、vllm 或 sglang，或为某项设置写 role: batch。',
      '--simulate',
    );
  return async (trial) => {
    const scheduler = { name: family.scheduler, settings: schedulerSettings(family, trial.point.settings) };
    const runners = simulatedRunners({ profile: { ...profile, scheduler }, faults: [] }, queue);
    const prepared = await runners.prepare(wordsFor(place.words, trial), 1);
    const { summary } = await measureTrial(trial, prepared, place, runners);
    const outcome = place.world.stops.drain.aborted ? 'interrupted' : 'ok';
    return { outcome, cause: null, summary, runId: summary.runId, restarted: true };
  };
}

/** A run's prompts are its own: trial n takes the n-th slice, as long as this one. */
async function measureTrial(
  trial: TrialRequest,
  prepared: Prepared,
  { world, live }: TrialPlace,
  runners: RunnerSource,
): Promise<MeasuredPoint> {
  const offset = (trial.number - 1) * (await sliceLength(prepared, trial.point.load, 0));
  const { settings } = trial.point;
  const asked = {
    settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
  };
  const plan = { ...planPoint(prepared, trial.point.load, offset), asked };
  const point: LabPoint = { prepared, plan, name: { en: trial.title, zh: trial.title } };
  return measurePoint(point, {
    world,
    runners,
    live,
    // Each trial is an experiment of its own: its server was started for it.
    number: 0,
    of: null,
    issuedBefore: 0,
    create: (run) => createRun(trial.dir, run),
    begun: null,
  });
}

function wordsFor(words: ServerWords, { point, requests, seed, title }: TrialRequest): ServerWords {
  const { concurrency, ratePerSec } = point.load;
  return {
    ...words,
    requests,
    seed,
    label: words.label ?? title.slice(0, 100),
    ...(concurrency !== null && { concurrency: [concurrency] }),
    ...(ratePerSec !== null && { rate: [ratePerSec] }),
  };
}
