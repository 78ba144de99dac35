import { access, mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Summary } from '../../core/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { identityOf, newRunId, storeModes, writeJsonFile } from '../../results/store/index.ts';
import {
  ConfigKeeper,
  evaluateRunner,
  figuresOf,
  nextArm,
  openJournal,
  pointAt,
  pointWords,
  readJournal,
  Server,
  serverRunner,
  tuneDocument,
  trialSize,
} from '../../advice/tune/index.ts';
import type {
  Arm,
  Journal,
  NextStep,
  StopReason,
  Trial,
  TrialRunner,
  TuneDocument,
  TuneFacts,
  TuneRequest,
} from '../../advice/tune/index.ts';
import { openComputeQueue } from '../compute/compute-queue.ts';
import type { ComputeQueue } from '../compute/compute-queue.ts';
import type { TuneProgress } from '../events.ts';
import { openLiveFile } from '../live-file.ts';
import { measurePoints } from '../point-loop.ts';
import type { PointSource } from '../point-loop.ts';
import type { ServerWords } from '../prepare/prepare.ts';
import type { RemoteWorkers } from '../runners/remote-workers.ts';
import { withStop } from '../world.ts';
import type { World } from '../world.ts';
import { openStepThread } from './step-thread.ts';
import type { StepThread } from './step-thread.ts';
import { serverTrials, simulatedTrials } from './trial-executor.ts';
import type { TrialPlace } from './trial-executor.ts';
import { tuneWorkers } from './tune-workers.ts';

/** A tune to carry out. */
export interface TuneExperiment {
  request: TuneRequest;
  /** The workload of every trial. */
  words: ServerWords;
  /** The engine whose trials are played in virtual time; null = a real server. */
  simulate: EngineProfile | null;
  /** The tune file as typed, and a hash of what it says. */
  file: string;
  sha256: string;
  /** Folder of the tune to go on with; null = a new one. */
  resume: string | null;
}

/** Carries out a whole tune: every trial journalled, tune.json current after each, everything put back at the end. */
export async function runTune(
  experiment: TuneExperiment,
  outside: World,
): Promise<{ document: TuneDocument; dir: string }> {
  const { request, words, simulate } = experiment;
  const startedAt = new Date().toISOString();
  const dir = experiment.resume ?? join(resolve(outside.store), newRunId(startedAt, request.name ?? 'tune'));
  const { stops, stop } = withStop(outside.stops);
  const world: World = { ...outside, stops };
  world.notify({ event: 'planned', id: basename(dir), kind: 'tune' });
  const workers = simulate === null ? await tuneWorkers(request, words, world) : null;
  const queue = simulate === null ? null : await openComputeQueue(words, world);
  world.notify({ event: 'prepared', of: null });
  await mkdir(dir, { recursive: true, mode: storeModes().folder });
  const live = openLiveFile(dir, stops, (how) => {
    world.notify({ event: 'stopping', how });
    stop(how);
  });
  try {
    const place = { words, world, live };
    const document = await carryOutTune(experiment, dir, startedAt, place, { workers, queue });
    const whole = document.stoppedBecause !== 'interrupted';
    world.notify({ event: 'ended', how: whole ? 'whole' : 'interrupted', dir, mistakes: [] });
    return { document, dir };
  } finally {
    await live.end();
    await workers?.close();
    await queue?.close();
  }
}

async function carryOutTune(
  { request, words, simulate, file, sha256 }: TuneExperiment,
  dir: string,
  startedAt: string,
  place: TrialPlace,
  { workers, queue }: { workers: RemoteWorkers | null; queue: ComputeQueue | null },
): Promise<TuneDocument> {
  const { world } = place;
  const journalFile = join(dir, 'journal.ndjson');
  const before = await readJournal(journalFile);
  const trials: Trial[] = before.flatMap((line) => (line.kind === 'trial' ? [line.trial] : []));
  const journal = await openJournal(journalFile);
  const owner = await identityOf(process.pid);
  await journal.write(before.length > 0 ? { kind: 'resumed', owner } : { kind: 'begin', owner, file, sha256 });
  const facts: TuneFacts = {
    tuneId: basename(dir),
    name: request.name,
    simulated: simulate !== null,
    startedAt: before[0]?.at ?? startedAt,
    endedAt: null,
    budgetHours: request.budgetHours,
    server: request.server,
    arms: armsOf(request),
  };
  const runner: TrialRunner =
    simulate === null
      ? await realRunner(request, place, workers, journal, dir)
      : { run: simulatedTrials(request, simulate, queue, place), close: () => Promise.resolve(), closeNow: () => {} };
  const atExit = (): void => runner.closeNow();
  process.once('exit', atExit);
  const steps = openStepThread(request, dir, simulate !== null, world.stops.drain);
  let because: StopReason | null = null;
  try {
    const loop = new TrialLoop(request, facts, { runner, steps }, journal, dir, words.requests ?? null, world);
    because = await loop.run(trials);
  } finally {
    await runner.close();
    await steps.close();
    process.off('exit', atExit);
    facts.endedAt = new Date().toISOString();
    because ??= 'interrupted';
    await journal.write({ kind: 'end', because });
    await journal.close();
    await writeJsonFile(join(dir, 'tune.json'), tuneDocument(request.problem, facts, trials, because));
  }
  return tuneDocument(request.problem, facts, trials, because);
}

async function realRunner(
  { server: words }: TuneRequest,
  place: TrialPlace,
  workers: RemoteWorkers | null,
  journal: Journal,
  dir: string,
): Promise<TrialRunner> {
  if (words.evaluate !== null) return evaluateRunner(words.evaluate);
  const keeper = new ConfigKeeper(words.configs, journal, dir);
  await keeper.save();
  const server = new Server(words, journal, join(dir, 'server.log'));
  return serverRunner(words, serverTrials(place, workers), keeper, server, journal);
}

/** The arms of an experiment, each laid over the first point of the space. */
function armsOf({ variants, problem }: TuneRequest): Arm[] {
  const base = pointAt(
    problem.space,
    problem.space.knobs.map(() => 0),
  );
  return variants.map(({ name, settings }) => ({
    name,
    settings: { ...base?.settings, ...settings },
    load: base?.load ?? { concurrency: null, ratePerSec: null },
  }));
}

/** Why the figures of a run that ended well must not be used as they stand; null = they may. */
function doubtOf(summary: Summary | null): string | null {
  if (summary === null || summary.verdict.valid) return null;
  const codes = summary.verdict.findings.filter(({ severity }) => severity === 'invalid').map(({ code }) => code);
  return `not valid: ${codes.join(', ')}`;
}

/** A step that is a trial, with the arm where there is no search. */
type TrialStep = Extract<NextStep, { kind: 'measure' }> & { variant?: string };

/** The search, or the arms one after the other, as the source of the trials. */
class TrialLoop implements PointSource<TrialStep, Trial> {
  readonly #begunMs = performance.now();
  #because: StopReason = 'interrupted';
  /** Trials that an earlier part of the tune made. */
  #before = 0;

  constructor(
    private readonly request: TuneRequest,
    private readonly facts: TuneFacts,
    private readonly hands: { runner: TrialRunner; steps: StepThread },
    private readonly journal: Journal,
    private readonly dir: string,
    private readonly leastRequests: number | null,
    private readonly world: World,
  ) {}

  /** Goes on from `trials`, which it adds to. */
  async run(trials: Trial[]): Promise<StopReason> {
    this.#before = trials.length;
    await this.#write(trials);
    const measure = async (step: TrialStep): Promise<Trial> => {
      const trial = await this.#measure(step, trials);
      trials.push(trial);
      await this.#write(trials);
      const shown = { number: trial.number, phase: trial.phase, title: pointWords(trial.settings, trial.load) };
      this.#tell({ ...shown, leftMs: this.#leftMs(trials), trial, document: this.#document(trials) });
      return trial;
    };
    const { whole } = await measurePoints(this, measure, this.world.stops.drain, trials);
    return whole ? this.#because : 'interrupted';
  }

  async next(done: readonly Trial[]): Promise<TrialStep | null> {
    await this.#whilePaused();
    const isBrokenOff = done.length > this.#before && done.at(-1)!.outcome === 'interrupted';
    if (this.world.stops.drain.aborted || isBrokenOff) return null;
    const step = await this.#step(done);
    if (step === null) return null;
    const { budgetHours } = this.request;
    const spentMs = performance.now() - this.#begunMs;
    if (step.kind === 'measure' && (budgetHours === null || spentMs <= budgetHours * 3_600_000)) return step;
    this.#because = step.kind === 'stop' ? step.because : 'time-spent';
    return null;
  }

  /** null = somebody said stop meanwhile. */
  async #step(done: readonly Trial[]): Promise<NextStep | TrialStep | null> {
    const { arms } = this.facts;
    const { problem, repeats } = this.request;
    if (arms.length === 0) return this.hands.steps.next(done);
    const arm = nextArm(arms, repeats, done, problem.seed);
    if (arm === null) return { kind: 'stop', because: 'variants-done' };
    const seed = problem.seed * 1000 + done.length + 1;
    const point = { settings: arm.settings, load: arm.load };
    return { kind: 'measure', phase: 'variant', point, seed, predicted: null, variant: arm.name };
  }

  async #measure(step: TrialStep, done: readonly Trial[]): Promise<Trial> {
    const { problem } = this.request;
    const number = done.length + 1;
    const { requests } = trialSize(step.point.load, done, this.leastRequests);
    const title = pointWords(step.point.settings, step.point.load);
    const leftMs = this.#leftMs(done);
    this.#tell({ number, phase: step.phase, title, leftMs, trial: null, document: this.#document(done) });
    const startedAt = new Date().toISOString();
    const fromMs = performance.now();
    const runId = `${this.facts.tuneId}-${number}`;
    const { point, seed } = step;
    const asked = { number, point, seed, requests, runId, dir: this.dir, title };
    const result = await this.hands.runner.run(asked, this.world.stops.drain);
    const figures = result.summary === null ? {} : figuresOf(problem.objective, problem.slos, result.summary);
    const known = result.outcome !== 'ok' || figures[problem.objective.word] != null;
    const trial: Trial = {
      number,
      phase: step.phase,
      variant: step.variant ?? null,
      settings: point.settings,
      load: point.load,
      seed,
      outcome: known ? result.outcome : 'error',
      cause: known ? (result.cause ?? doubtOf(result.summary)) : `the summary does not tell ${problem.objective.word}`,
      figures,
      predicted: step.predicted,
      summary: result.summary,
      runId: result.runId,
      restarted: result.restarted,
      startedAt,
      durationMs: performance.now() - fromMs,
    };
    await this.journal.write({ kind: 'trial', trial });
    return trial;
  }

  /** Time left: the mean time of the trials so far, those before a resume included, for each that may come. */
  #leftMs(done: readonly Trial[]): number | null {
    const tookMs = done.flatMap(({ outcome, durationMs }) =>
      outcome === 'interrupted' || durationMs === null ? [] : [durationMs],
    );
    if (tookMs.length === 0) return null;
    const { problem, repeats } = this.request;
    const planned = this.facts.arms.length > 0 ? repeats * this.facts.arms.length : problem.budgetRuns;
    const meanMs = tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length;
    return meanMs * Math.max(0, planned - tookMs.length);
  }

  #tell(progress: TuneProgress): void {
    this.world.notify({ event: 'trial', progress });
  }

  #document(trials: readonly Trial[]): TuneDocument {
    return tuneDocument(this.request.problem, this.facts, trials, null);
  }

  #write(trials: readonly Trial[]): Promise<void> {
    return writeJsonFile(join(this.dir, 'tune.json'), this.#document(trials));
  }

  /** A file named `pause` in the folder holds the next trial back until it is gone. */
  async #whilePaused(): Promise<void> {
    const file = join(this.dir, 'pause');
    const there = (): Promise<boolean> =>
      access(file).then(
        () => true,
        () => false,
      );
    if (!(await there())) return;
    await this.journal.write({ kind: 'paused' });
    while (!this.world.stops.drain.aborted && (await there())) {
      await new Promise((resolved) => {
        setTimeout(resolved, 200);
      });
    }
  }
}
