import { access, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Summary } from '../core/index.ts';
import { newRunId, storeModes, writeJsonFile } from '../store/index.ts';
import { ConfigKeeper } from './config-keeper.ts';
import { figuresOf } from './goal-metrics.ts';
import { openJournal, readJournal } from './journal.ts';
import type { Journal } from './journal.ts';
import { nextStep } from './next-step.ts';
import type { NextStep, StopReason } from './next-step.ts';
import { identityOf } from './process-identity.ts';
import type { TuneRequest } from './read-tune-file.ts';
import { evaluateRunner, serverRunner } from './run-trial.ts';
import type { ServerHands, TrialAsk, TrialResult, TrialRunner } from './run-trial.ts';
import { Server } from './server.ts';
import { pointAt } from './space.ts';
import { tellTune } from './tell-tune.ts';
import type { TuneFacts } from './tell-tune.ts';
import { trialSize } from './trial-size.ts';
import type { Trial } from './trial.ts';
import type { TuneDocument } from './tune-document.ts';
import { nextArm } from './variants.ts';
import type { Arm } from './variants.ts';
import { pointWords } from './paragraph.ts';

/** What the caller brings: how a point is measured, when to stop, and who wants to know how it goes. */
export interface TuneHands {
  /** For a real server. */
  server: ServerHands;
  /** Measures without any server, in virtual time; null = it is for real. */
  simulate: ((ask: TrialAsk) => Promise<TrialResult>) | null;
  stop: AbortSignal;
  onTrial(step: TuneProgress): void;
}

/** How far a tune is. */
export interface TuneProgress {
  number: number;
  phase: string;
  title: string;
  /** null = it begins now. */
  trial: Trial | null;
  document: TuneDocument;
  leftMs: number | null;
}

/** Where a tune writes, and what it goes on from. */
export interface TunePlace {
  store: string;
  /** The tune file as typed, and a hash of what it says. */
  file: string;
  sha256: string;
  /** Folder of the tune to go on with; null = a new one. */
  resume: string | null;
  leastRequests: number | null;
}

/** Runs a whole tune: every trial journalled, tune.json current after each, everything put back at the end. */
export async function runTune(
  request: TuneRequest,
  hands: TuneHands,
  place: TunePlace,
): Promise<{ document: TuneDocument; dir: string }> {
  const startedAt = new Date().toISOString();
  const dir = place.resume ?? join(place.store, newRunId(startedAt, request.name ?? 'tune'));
  await mkdir(dir, { recursive: true, mode: storeModes().folder });
  const journalFile = join(dir, 'journal.ndjson');
  const before = await readJournal(journalFile);
  const trials: Trial[] = before.flatMap((line) => (line.kind === 'trial' ? [line.trial] : []));
  const journal = await openJournal(journalFile);
  const owner = await identityOf(process.pid);
  await journal.write(
    before.length > 0 ? { kind: 'resumed', owner } : { kind: 'begin', owner, file: place.file, sha256: place.sha256 },
  );
  const facts: TuneFacts = {
    tuneId: basename(dir),
    name: request.name,
    simulated: hands.simulate !== null,
    startedAt: before[0]?.at ?? startedAt,
    endedAt: null,
    budgetHours: request.budgetHours,
    server: request.server,
    arms: armsOf(request),
  };
  const runner = await runnerOf(request, hands, journal, dir);
  const atExit = (): void => runner.closeNow();
  process.once('exit', atExit);
  let because: StopReason | null = null;
  try {
    const loop = new TuneLoop(request, hands, place, facts, runner, journal, dir, trials);
    because = await loop.run();
  } finally {
    await runner.close();
    process.off('exit', atExit);
    facts.endedAt = new Date().toISOString();
    because ??= 'interrupted';
    await journal.write({ kind: 'end', because });
    await journal.close();
    await writeJsonFile(join(dir, 'tune.json'), tellTune(request.problem, facts, trials, because));
  }
  return { document: tellTune(request.problem, facts, trials, because), dir };
}

async function runnerOf(request: TuneRequest, hands: TuneHands, journal: Journal, dir: string): Promise<TrialRunner> {
  const { server: words } = request;
  if (hands.simulate !== null) {
    const { simulate } = hands;
    return { run: (ask) => simulate(ask), close: () => Promise.resolve(), closeNow: () => {} };
  }
  if (words.evaluate !== null) return evaluateRunner(words.evaluate);
  const keeper = new ConfigKeeper(words.configs, journal, dir);
  await keeper.save();
  return serverRunner(words, hands.server, keeper, new Server(words, journal, join(dir, 'server.log')), journal);
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

class TuneLoop {
  readonly #request: TuneRequest;
  readonly #hands: TuneHands;
  readonly #place: TunePlace;
  readonly #facts: TuneFacts;
  readonly #runner: TrialRunner;
  readonly #journal: Journal;
  readonly #dir: string;
  readonly #trials: Trial[];

  constructor(
    request: TuneRequest,
    hands: TuneHands,
    place: TunePlace,
    facts: TuneFacts,
    runner: TrialRunner,
    journal: Journal,
    dir: string,
    trials: Trial[],
  ) {
    this.#request = request;
    this.#hands = hands;
    this.#place = place;
    this.#facts = facts;
    this.#runner = runner;
    this.#journal = journal;
    this.#dir = dir;
    this.#trials = trials;
  }

  async run(): Promise<StopReason> {
    const begunMs = performance.now();
    const { budgetHours } = this.#request;
    await this.#write(null);
    for (;;) {
      await this.#whilePaused();
      if (this.#hands.stop.aborted) return 'interrupted';
      const step = this.#next();
      if (step.kind === 'stop') return step.because;
      const spentMs = performance.now() - begunMs;
      if (budgetHours !== null && spentMs > budgetHours * 3_600_000) return 'time-spent';
      const trial = await this.#measure(step);
      if (trial.outcome === 'interrupted') return 'interrupted';
    }
  }

  #next(): NextStep & { variant?: string } {
    const { arms } = this.#facts;
    const { problem, repeats } = this.#request;
    if (arms.length === 0) return nextStep(problem, this.#trials);
    const arm = nextArm(arms, repeats, this.#trials, problem.seed);
    if (arm === null) return { kind: 'stop', because: 'variants-done' };
    const seed = problem.seed * 1000 + this.#trials.length + 1;
    const point = { settings: arm.settings, load: arm.load };
    return { kind: 'measure', phase: 'variant', point, seed, predicted: null, variant: arm.name };
  }

  async #measure(step: Extract<NextStep, { kind: 'measure' }> & { variant?: string }): Promise<Trial> {
    const { problem } = this.#request;
    const number = this.#trials.length + 1;
    const { requests } = trialSize(step.point.load, this.#trials, this.#place.leastRequests);
    const title = pointWords(step.point.settings, step.point.load);
    const leftMs = this.#leftMs();
    const shown = { number, phase: step.phase, title, leftMs };
    this.#hands.onTrial({ ...shown, trial: null, document: this.#document(null) });
    const startedAt = new Date().toISOString();
    const fromMs = performance.now();
    const runId = `${this.#facts.tuneId}-${number}`;
    const result = await this.#runner.run(
      { number, point: step.point, seed: step.seed, requests, runId, dir: this.#dir, title },
      this.#hands.stop,
    );
    const figures = result.summary === null ? {} : figuresOf(problem.objective, problem.slos, result.summary);
    const known = result.outcome !== 'ok' || figures[problem.objective.word] != null;
    const trial: Trial = {
      number,
      phase: step.phase,
      variant: step.variant ?? null,
      settings: step.point.settings,
      load: step.point.load,
      seed: step.seed,
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
    await this.#journal.write({ kind: 'trial', trial });
    this.#trials.push(trial);
    await this.#write(null);
    this.#hands.onTrial({ ...shown, trial, document: this.#document(null) });
    return trial;
  }

  /** As long as the trials so far took on average, for each that may come; those before a resume count too. */
  #leftMs(): number | null {
    const tookMs = this.#trials.flatMap(({ outcome, durationMs }) =>
      outcome === 'interrupted' || durationMs === null ? [] : [durationMs],
    );
    if (tookMs.length === 0) return null;
    const { problem, repeats } = this.#request;
    const planned = this.#facts.arms.length > 0 ? repeats * this.#facts.arms.length : problem.budgetRuns;
    const meanMs = tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length;
    return meanMs * Math.max(0, planned - tookMs.length);
  }

  #document(because: StopReason | null): TuneDocument {
    return tellTune(this.#request.problem, this.#facts, this.#trials, because);
  }

  #write(because: StopReason | null): Promise<void> {
    return writeJsonFile(join(this.#dir, 'tune.json'), this.#document(because));
  }

  /** A file named `pause` in the folder holds the next trial back until it is gone. */
  async #whilePaused(): Promise<void> {
    const file = join(this.#dir, 'pause');
    const there = (): Promise<boolean> =>
      access(file).then(
        () => true,
        () => false,
      );
    if (!(await there())) return;
    await this.#journal.write({ kind: 'paused' });
    while (!this.#hands.stop.aborted && (await there())) {
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
    }
  }
}
