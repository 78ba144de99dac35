import type { EngineProfile, SchedulerName, SettingValue } from '../../../engine/sim/index.ts';
import { aheadSetting, schedulers } from '../../../engine/sim/index.ts';
import type { MeasuredRun, RunEngine } from './measured-run.ts';
import { playRun } from './play-run.ts';
import { sightOfRun } from './run-sight.ts';
import { constantsOf } from './server-constants.ts';
import type { ServerConstant } from './server-constants.ts';

/** What is known of the server besides its runs. */
export interface RunsFitOptions {
  scheduler: SchedulerName;
  settings: Readonly<Record<string, SettingValue>>;
  kv: EngineProfile['kv'];
  /** So many of a run's requests, from the first on, are fitted; absent = 2000. */
  fittedRequests?: (run: MeasuredRun) => number;
}

/** How far a server with given constants is from what was seen; each constant stands as its logarithm, and behind them the front's pace in each run. */
export interface Misfit {
  constants: readonly ServerConstant[];
  /** What is thought of them before anything is seen. */
  usual: readonly number[];
  at(x: readonly number[]): EngineProfile;
  /** What is shown, each in units of how far a right engine may be off, and how far each constant is from the usual. */
  residuals(x: readonly number[]): number[];
  /** How they change with one of these numbers. */
  slope(x: readonly number[], j: number, h: number): number[];
}

/** Requests of a run that are fitted where nobody says how many. */
const mostPlayed = 2000;
/** A front's cost of a token in a run is this far (of its logarithm) from its mean: it changes by itself. */
export const paceSpread = 0.12;
/** Headers that come later than this were waited for in a front. */
const promptHeadersMs = 1.5;

/** The misfit of these runs. */
export function misfitOf(runs: readonly MeasuredRun[], options: RunsFitOptions): Misfit {
  const { fittedRequests = () => mostPlayed } = options;
  const shown = runs.map((run) => sightOfRun(beginningOf(run, fittedRequests(run))));
  const stepMs = Math.min(...shown.map((sight) => sight.get('gap p50')?.value ?? Infinity));
  const { bare, constants } = modelFor(runs, options);
  const at = (x: readonly number[]): EngineProfile =>
    constants.reduce((profile, { put }, i) => put(profile, Math.exp(x[i]!)), bare);
  const usual = constants.map(({ usual: of }) => Math.log(of(stepMs)));
  const spreads = constants.map(({ spread }) => spread);
  if (at(usual).front !== undefined) {
    usual.push(...runs.map(() => 0));
    spreads.push(...runs.map(() => paceSpread));
  }
  const ofRun = (x: readonly number[], i: number): number[] => {
    const profile = withEngine(withPace(at(x), Math.exp(x[constants.length + i] ?? 0)), runs[i]!.engine);
    const wanted = fittedRequests(runs[i]!);
    const guess = sightOfRun(beginningOf(playRun(profile, runs[i]!, { wanted }), wanted));
    return [...shown[i]!].map(([name, { value, spread }]) => {
      const guessed = guess.get(name)?.value ?? null;
      return guessed === null ? 0 : damped(Math.log(guessed / value) / spread);
    });
  };
  const priors = (x: readonly number[]): number[] => x.map((value, i) => (value - usual[i]!) / spreads[i]!);
  const residuals = (x: readonly number[]): number[] => [...runs.flatMap((_, i) => ofRun(x, i)), ...priors(x)];
  const slope = (x: readonly number[], j: number, h: number): number[] => {
    const [up, down] = [h, -h].map((away) => x.map((value, i) => (i === j ? value + away : value)));
    const [above, below] = [up!, down!].map((moved) => [
      ...runs.flatMap((_, i) =>
        j < constants.length || j === constants.length + i ? ofRun(moved, i) : Array.from(shown[i]!, () => 0),
      ),
      ...priors(moved),
    ]);
    return above!.map((value, i) => (value - below![i]!) / (2 * h));
  };
  return { constants, usual, at, residuals, slope };
}

/** The same server with a front whose tokens take so much of the time. */
export function withPace(profile: EngineProfile, share: number): EngineProfile {
  const { front } = profile;
  return front === undefined ? profile : { ...profile, front: { ...front, tokenMs: share * front.tokenMs } };
}

/**
 * Whether most answers' headers come only once their prompt has passed a front; null = the client kept no times of headers. Read off the
 * runs with the fewest in flight, because many that ask at once wait for each other before any server.
 */
export function waitsInFront(runs: readonly Pick<MeasuredRun, 'requests' | 'concurrency'>[]): boolean | null {
  const fewest = Math.min(...runs.map(({ concurrency }) => concurrency ?? Infinity));
  const quietest = runs.filter(({ concurrency }) => (concurrency ?? Infinity) === fewest);
  const headers = quietest.flatMap(({ requests }) => requests.flatMap(({ headersMs }) => headersMs ?? []));
  return headers.length === 0 ? null : headers.filter((ms) => ms > promptHeadersMs).length > headers.length / 2;
}

/** The same machine with its server started as that of a run was. */
export function withEngine(profile: EngineProfile, engine: RunEngine | undefined): EngineProfile {
  if (engine === undefined || profile.scheduler === undefined) return profile;
  const { name, settings } = profile.scheduler;
  return { ...profile, kv: engine.kv, scheduler: { name, settings: { ...settings, ...engine.settings } } };
}

/** The parts that this server has: a front where headers come after tokenising, launches where steps are formed ahead. */
function modelFor(
  runs: readonly MeasuredRun[],
  { scheduler, settings, kv }: RunsFitOptions,
): { bare: EngineProfile; constants: ServerConstant[] } {
  // Where a client kept no headers' times, the server is taken to be as those with its scheduler are.
  const hasFront = waitsInFront(runs) ?? scheduler === 'vllm-v1';
  const knowsAhead = Object.hasOwn(schedulers[scheduler].settings, aheadSetting);
  const ahead = knowsAhead && (settings[aheadSetting] ?? hasFront) === true;
  const { batchSetting } = schedulers[scheduler];
  const asked = [settings, ...runs.flatMap(({ engine }) => (engine === undefined ? [] : [engine.settings]))];
  const batches = asked.flatMap((one) => one[batchSetting] ?? []).map(Number);
  const everAhead = knowsAhead && (ahead || asked.some((one) => one[aheadSetting] === true));
  const bare: EngineProfile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'fitted',
    title: 'fitted',
    model: 'fitted',
    source: 'dyno fit',
    date: '2026',
    cost: { aMs: 1, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
    jitter: { stepSigma: 0 },
    // Where the cost of a step bends belongs to the machine, so that it may not move with the settings of a run.
    maxBatchSize: batches.length === 0 ? 256 : Math.max(...batches),
    maxPrefillTokens: null,
    kv,
    scheduler: { name: scheduler, settings: { ...settings, ...(ahead && { [aheadSetting]: true }) } },
    notes: [],
  };
  return { bare, constants: constantsOf({ hasFront, ahead: everAhead }) };
}

/** The first requests of a run; the server's counters, where they are of more, are left out. */
function beginningOf(run: MeasuredRun, count: number): MeasuredRun {
  return run.requests.length <= count ? run : { ...run, requests: run.requests.slice(0, count), server: null };
}

/** Large misfits count less than their square: one that a model cannot explain must not bend it. */
function damped(z: number): number {
  return Math.sign(z) * Math.sqrt(2 * (Math.sqrt(1 + z * z) - 1));
}
