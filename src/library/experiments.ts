import { UserError } from '../core/index.ts';
import {
  findSettings,
  fitAll,
  kindOf,
  loadPoints,
  nowhere,
  plainSettings,
  planSettings,
  readPlanText,
  readSettings,
  refuseLists,
  runExperiment,
  runTune,
  sweepSettings,
  workloadWords,
} from '../lab/index.ts';
import type { ExperimentSettings, FitDocument, Outcome, OwnParts, Vocabulary } from '../lab/index.ts';
import { builtinProfile, defaultProfileName } from '../engine/sim/index.ts';
import type { EngineProfile } from '../engine/sim/index.ts';
import { configMistakes, readTuneFile, recover, sha256, unfinishedTunes } from '../advice/tune/index.ts';
import type { TuneDocument } from '../advice/tune/index.ts';
import { worldOf } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

/** What a setting may be: what stands after its flag, or a YAML value; several where the flag takes several. */
type SettingValue = string | number | boolean | readonly (string | number)[] | Readonly<Record<string, unknown>>;

type SettingsOf<V extends Vocabulary> = { readonly [Name in keyof V]?: SettingValue | undefined };

/** Settings of one load point: those of `dyno run --help`, `--max-tokens` as `maxTokens`. */
export type RunSettings = SettingsOf<typeof planSettings>;
/** Settings of several load points: those of `dyno sweep --help`. */
export type SweepSettings = SettingsOf<typeof planSettings & typeof sweepSettings>;
/** Settings of a search; `slo` and the range of `concurrency` or `rate` are what it looks for and where. */
export type FindSettings = Omit<SettingsOf<typeof planSettings & typeof findSettings>, 'find'>;

/** What a simulated experiment is given. */
interface SimulateOptions extends Surroundings, Omit<OwnParts, 'protocol'> {
  /** The engine that answers, or the name of one that comes with llmdyno; left out = the one that `dyno sim` takes. */
  engine?: EngineProfile | string;
}

/** What a tune is given. */
interface TuneOptions extends Surroundings {
  /** Trials are played in virtual time against this engine; left out = on the real server that the file names. */
  engine?: EngineProfile | string;
}

/** What a fit is given. */
interface FitOptions extends Surroundings {
  /** Fit three points and tell the error on all others; left out = fit all. */
  holdOut?: boolean;
}

/** Loads a server with one load point: what `dyno run` does. Rejects with a UserError that holds every mistake in the settings. */
export async function run(settings: RunSettings, around: Surroundings & OwnParts = {}): Promise<Outcome> {
  const asked = settingsFrom(timed(settings, around), {}, null);
  refuseLists(asked);
  return runExperiment({ kind: 'run', settings: asked, simulate: null, resume: null, own: around }, worldOf(around));
}

/** Loads a server with several load points, one after the other: what `dyno sweep` does. */
export async function sweep(settings: SweepSettings, around: Surroundings & OwnParts = {}): Promise<Outcome> {
  const asked = settingsFrom(timed(settings, around), sweepSettings, null);
  return runExperiment({ kind: 'sweep', settings: asked, simulate: null, resume: null, own: around }, worldOf(around));
}

/** Searches for the largest load that keeps every `slo`: what `dyno sweep --find max` does. */
export async function find(settings: FindSettings, around: Surroundings & OwnParts = {}): Promise<Outcome> {
  const asked = settingsFrom({ ...settings, find: 'max' }, findSettings, null);
  return runExperiment({ kind: 'find', settings: asked, simulate: null, resume: null, own: around }, worldOf(around));
}

/** Plays a run, a sweep or a search (`find: 'max'`) in virtual time: what `dyno sim` does. */
export async function simulate(
  settings: SweepSettings & { readonly find?: 'max' },
  around: SimulateOptions = {},
): Promise<Outcome> {
  const asked = settingsFrom(timed(settings, around), { ...sweepSettings, ...findSettings }, nowhere);
  const profile = engineOf(around.engine ?? defaultProfileName);
  const kind = kindOf(asked, loadPoints(asked).length);
  const simulated = { kind, settings: asked, simulate: { profile, faults: [] }, resume: null, own: around };
  return runExperiment(simulated, worldOf(around));
}

/** Searches server settings as a tune file says: what `dyno tune FILE` does. What killed tunes of the store left changed is put back first. */
export async function tune(file: string, around: TuneOptions = {}): Promise<{ document: TuneDocument; dir: string }> {
  const world = worldOf(around);
  for (const left of await unfinishedTunes(world.store)) if (!left.alive) await recover(left);
  const text = readPlanText(file);
  const request = readTuneFile(text, file, null);
  const profile = around.engine === undefined ? null : engineOf(around.engine);
  const workload = workloadWords(request, file, []);
  const mistakes = profile === null ? (await Promise.all(request.server.configs.map(configMistakes))).flat() : [];
  if (mistakes.length > 0) throw new UserError(mistakes);
  return runTune({ request, words: workload, simulate: profile, file, sha256: sha256(text), resume: null }, world);
}

/** Measured points (of the store, or of files that `importFiles` reads) → engine profiles: what `dyno fit` does. */
export async function fit(results: string | readonly string[], around: FitOptions = {}): Promise<FitDocument> {
  const told = { next: false, date: new Date().toISOString().slice(0, 10), lang: 'en', kv: null } as const;
  return fitAll(
    {
      names: [results].flat(),
      format: 'auto',
      sweep: { ...told, points: [], holdOut: around.holdOut === true, maxBatchSize: null, maxPrefillTokens: null },
      trace: { ...told, train: 0.25, scheduler: 'vllm-v1', settings: {} },
      probe: null,
      queue: {},
    },
    worldOf(around),
  );
}

/** Settings under which requests come due at times of a program's own. */
function timed<S extends object>(settings: S, { gapsMs }: OwnParts): S {
  return gapsMs === undefined ? settings : { ...settings, arrival: 'trace' };
}

function settingsFrom(settings: object, more: Vocabulary, otherwise: string | null): ExperimentSettings {
  return readSettings(
    plainSettings(settings, (field) => ({ field })),
    more,
    otherwise,
  );
}

function engineOf(engine: EngineProfile | string): EngineProfile {
  return typeof engine === 'string' ? builtinProfile(engine) : engine;
}
