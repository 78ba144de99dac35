import { EngineCore } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { fitRuns, playRun, withEngine } from '../fit/index.ts';
import type { MeasuredRun, RunRequest } from '../fit/index.ts';
import { kvAt } from './engine-model.ts';
import type { EngineModel } from './engine-model.ts';
import { schedulerSettings } from './engine-family.ts';
import type { EngineFamily } from './engine-family.ts';
import type { TuneProblem } from './problem.ts';
import { pointKey } from './setting.ts';
import type { Settings, TrialLoad } from './setting.ts';
import { closedWindow, inFlightOf, openArrivals, openWindow } from './simulate-point.ts';
import type { Done, SimulatedFigures } from './simulate-point.ts';
import { fewest, residences } from './trial-size.ts';
import type { Trial } from './trial.ts';

/** The requests of a trial, as its run folder has them. */
export interface TrialRun {
  /** Number of the trial. */
  trial: number;
  run: MeasuredRun;
}

/** The newest so many points are fitted: a fit has to take less time than a trial. */
const mostRuns = 5;
/** Of each so many requests: what it costs to play them hangs on how often the whole batch is answered, which tells nothing new after the third time. */
const leastFitted = 120;
const cohorts = 3;

function fittedRequests({ concurrency }: MeasuredRun): number {
  return Math.max(leastFitted, cohorts * (concurrency ?? 0));
}

/** Servers with other costs than the model's were predicted so closely at settings that no run had. */
const elsewhere = 0.03;
/** Answers whose lengths differ by less than this are of one length. */
const alikeRatio = 1.04;

/** What a fit reads of a trial's run: of the requests beyond those that it explains only what they asked. */
export function requestsOfTrial(trial: number, run: MeasuredRun): TrialRun {
  const bare = (request: RunRequest): RunRequest => ({ ...request, gapsMs: [] });
  const fitted = fittedRequests(run);
  return {
    trial,
    run: {
      ...run,
      requests: run.requests.map((request, i) => (i < fitted ? request : bare(request))),
      warmup: run.warmup.map(bare),
    },
  };
}

/** Steps of this share of a list never come to the same place. */
const golden = (Math.sqrt(5) - 1) / 2;

type Asked = Pick<RunRequest, 'promptTokens' | 'cachedTokens' | 'outputTokens'>;

/** What every place is asked: requests spread over all runs. */
interface Sample {
  at(i: number): Asked;
  inputTokens: number;
  mostInputTokens: number;
  mostOutputTokens: number;
  /** Answers are of one length. */
  alike: boolean;
}

function sampleOf(asked: readonly Asked[]): Sample {
  let [inputTokens, mostInputTokens, mostOutputTokens, leastOutputTokens] = [0, 0, 0, Infinity];
  for (const { promptTokens, outputTokens } of asked) {
    inputTokens += promptTokens / asked.length;
    mostInputTokens = Math.max(mostInputTokens, promptTokens);
    mostOutputTokens = Math.max(mostOutputTokens, outputTokens);
    leastOutputTokens = Math.min(leastOutputTokens, outputTokens);
  }
  return {
    at: (i) => asked[Math.floor(i * golden * asked.length) % asked.length]!,
    inputTokens,
    mostInputTokens,
    mostOutputTokens,
    alike: mostOutputTokens <= alikeRatio * leastOutputTokens,
  };
}

/** The simulator fitted to every request of the trials that kept them; null where fewer than two points did. */
export function engineOfRuns(
  { kv: known }: TuneProblem,
  family: EngineFamily,
  trials: readonly Trial[],
  runs: readonly TrialRun[],
): EngineModel | null {
  const engineAt = (settings: Settings): NonNullable<MeasuredRun['engine']> => ({
    settings: schedulerSettings(family, settings),
    kv: known === null ? null : kvAt(family, known, settings),
  });
  const byNumber = new Map(runs.map(({ trial, run }) => [trial, run]));
  const points = new Map<string, { trial: Trial; run: MeasuredRun }>();
  for (const trial of trials) {
    const run = byNumber.get(trial.number);
    if (trial.outcome !== 'ok' || run === undefined) continue;
    const engine = engineAt(trial.settings);
    if (!holds(engine.kv, run)) continue;
    points.delete(pointKey(trial));
    points.set(pointKey(trial), { trial, run: { ...run, engine } });
  }
  const told = [...points.values()].slice(-mostRuns);
  if (told.length < 2) return null;
  const fit = fitRuns(
    told.map(({ run }) => run),
    { scheduler: family.scheduler, settings: {}, kv: null, fittedRequests },
  );
  const asked = sampleOf(told.flatMap(({ run }) => run.requests));
  const { outputTokensPerSec, tpotMeanMs } = fit.doubt.errors;
  return {
    predict: ({ settings, load }) => played(withEngine(fit.profile, engineAt(settings)), load, asked),
    elsewhere,
    misfit: Math.sqrt((outputTokensPerSec ** 2 + tpotMeanMs ** 2) / 2),
  };
}

/** Whether a KV cache of this size can have answered all that was answered. */
function holds(kv: EngineProfile['kv'], { requests }: MeasuredRun): boolean {
  if (kv === null) return true;
  const most = kv.blocks * kv.blockSize;
  return requests.every(({ promptTokens, outputTokens }) => promptTokens + outputTokens <= most);
}

/** The figures of a sample under a load, where the server is steady; null = it never holds the largest of the requests. */
function played(
  profile: EngineProfile,
  { concurrency, ratePerSec }: TrialLoad,
  asked: Sample,
): SimulatedFigures | null {
  const core = new EngineCore({ profile, seed: 1, keepTimes: false });
  if (!core.fits(asked.mostInputTokens, asked.mostOutputTokens)) return null;
  // The times of a played run hold what passes outside of the engine.
  const seen = { inputTokens: asked.inputTokens, overheadMs: 0 };
  if (ratePerSec !== null) {
    const arrivals = openArrivals(ratePerSec);
    const requests = arrivals.map((sentMs, i) => ({ ...asked.at(i), sentMs }));
    return openWindow(doneOf(profile, null, requests), arrivals, seen);
  }
  const inFlight = inFlightOf(profile, concurrency ?? 1, asked.alike);
  // What all ask at once to begin with is felt as long as a trial lasts.
  const count = Math.max(fewest.closed, residences * inFlight);
  const requests = Array.from({ length: count }, (_, i) => ({ ...asked.at(i), sentMs: 0 }));
  // From the last sending on, fewer are in flight than were asked.
  const done = doneOf(profile, inFlight, requests).slice(0, count - inFlight);
  return closedWindow(done, inFlight, { ...seen, concurrency: concurrency ?? 1 });
}

/** What was answered, in the order of the ends. */
function doneOf(
  profile: EngineProfile,
  concurrency: number | null,
  requests: readonly (Asked & { sentMs: number })[],
): Done[] {
  return playRun(profile, { concurrency, requests, warmup: [] }, { gaps: false })
    .requests.map(({ sentMs, ttftMs, latencyMs, outputTokens }) => ({
      sentMs,
      firstMs: sentMs + ttftMs,
      endMs: sentMs + latencyMs,
      tokens: outputTokens,
    }))
    .toSorted((a, b) => a.endMs - b.endMs);
}
