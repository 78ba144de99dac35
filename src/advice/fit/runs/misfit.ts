import type { EngineProfile, SchedulerName, SettingValue } from '../../../engine/sim/index.ts';
import { aheadSetting, schedulers } from '../../../engine/sim/index.ts';
import type { MeasuredRun } from './measured-run.ts';
import { playRun } from './play-run.ts';
import { sightOfRun } from './run-sight.ts';
import { constantsOf } from './server-constants.ts';
import type { ServerConstant } from './server-constants.ts';

/** What is known of the server besides its runs. */
export interface RunsFitOptions {
  scheduler: SchedulerName;
  settings: Readonly<Record<string, SettingValue>>;
  kv: EngineProfile['kv'];
}

/** How far a server with given constants is from what was seen; each constant stands as its logarithm. */
export interface Misfit {
  constants: readonly ServerConstant[];
  /** What is thought of them before anything is seen. */
  usual: readonly number[];
  at(x: readonly number[]): EngineProfile;
  /** What is shown, each in units of how far a right engine may be off, and how far each constant is from the usual. */
  residuals(x: readonly number[]): number[];
}

/** Requests of a run that are played at most. */
const mostPlayed = 450;
/** A front with more of a backlog than this at its usual constants has a pace of its own from second to second, and says less of them. */
const busyFront = { from: 0.5, to: 2, factor: 3 };
/** Headers that come later than this were waited for in a front. */
const promptHeadersMs = 1.5;

/** The misfit of these runs. */
export function misfitOf(runs: readonly MeasuredRun[], options: RunsFitOptions): Misfit {
  const shown = runs.map((run) => sightOfRun(beginningOf(run)));
  const stepMs = Math.min(...shown.map((sight) => sight.get('gap p50')?.value ?? Infinity));
  const { bare, constants } = modelFor(runs, options);
  const usual = constants.map(({ usual: of }) => Math.log(of(stepMs)));
  const at = (x: readonly number[]): EngineProfile =>
    constants.reduce((profile, { put }, i) => put(profile, Math.exp(x[i]!)), bare);
  const played = (profile: EngineProfile, run: MeasuredRun): MeasuredRun =>
    beginningOf(playRun(profile, run, { wanted: mostPlayed }));
  const first = at(usual);
  const doubts = runs.map((run) => doubtOf(played(first, run).frontBacklogRatio ?? 0));
  const residuals = (x: readonly number[]): number[] => {
    const profile = at(x);
    const ofRuns = runs.flatMap((run, i) => {
      const guess = sightOfRun(played(profile, run));
      return [...shown[i]!].map(([name, { value, spread }]) => {
        const guessed = guess.get(name)?.value ?? null;
        return guessed === null ? 0 : damped(Math.log(guessed / value) / (spread * doubts[i]!));
      });
    });
    return [...ofRuns, ...x.map((value, i) => (value - usual[i]!) / constants[i]!.spread)];
  };
  return { constants, usual, at, residuals };
}

/** The parts that this server has: a front where headers come after tokenising, launches where steps are formed ahead. */
function modelFor(
  runs: readonly MeasuredRun[],
  { scheduler, settings, kv }: RunsFitOptions,
): { bare: EngineProfile; constants: ServerConstant[] } {
  const headers = runs.flatMap(({ requests }) => requests.flatMap(({ headersMs }) => headersMs ?? []));
  // Where a client kept no headers' times, the server is taken to be as those with its scheduler are.
  const hasFront =
    headers.length === 0
      ? scheduler === 'vllm-v1'
      : headers.filter((ms) => ms > promptHeadersMs).length > headers.length / 2;
  const knowsAhead = Object.hasOwn(schedulers[scheduler].settings, aheadSetting);
  const ahead = knowsAhead && (settings[aheadSetting] ?? hasFront) === true;
  const bare: EngineProfile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'fitted',
    title: 'fitted',
    model: 'fitted',
    source: 'dyno fit',
    date: '2026',
    cost: { aMs: 1, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
    jitter: { stepSigma: 0 },
    maxBatchSize: Number(settings[schedulers[scheduler].batchSetting] ?? 256),
    maxPrefillTokens: null,
    kv,
    scheduler: { name: scheduler, settings: { ...settings, ...(ahead && { [aheadSetting]: true }) } },
    notes: [],
  };
  return { bare, constants: constantsOf({ hasFront, ahead }) };
}

function doubtOf(backlog: number): number {
  const { from, to, factor } = busyFront;
  return 1 + (factor - 1) * Math.max(0, Math.min(1, (backlog - from) / (to - from)));
}

/** The first requests of a run; the server's counters, where they are of more, are left out. */
function beginningOf(run: MeasuredRun): MeasuredRun {
  return run.requests.length <= mostPlayed
    ? run
    : { ...run, requests: run.requests.slice(0, mostPlayed), server: null };
}

/** Large misfits count less than their square: one that a model cannot explain must not bend it. */
function damped(z: number): number {
  return Math.sign(z) * Math.sqrt(2 * (Math.sqrt(1 + z * z) - 1));
}
