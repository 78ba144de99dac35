import { UserError } from '../../../core/index.ts';
import type { Summary } from '../../../core/index.ts';
import { emitProfile, planDocument } from '../../../advice/plan/index.ts';
import {
  builtinProfile,
  builtinProfiles,
  schedulerNames,
  schedulers,
  settingMistakes,
} from '../../../engine/sim/index.ts';
import type { EngineProfile, SchedulerName, SettingValue } from '../../../engine/sim/index.ts';
import { ApiError } from '../state/ask.ts';
import { askedOf } from '../state/plan-asked.ts';

/** The engines that come with llmdyno. */
export const engineNames: readonly string[] = [...builtinProfiles.keys()];

const usualLoads = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const mostLoads = 24;

/** The settings of the scheduler that an address asks for, by their server's names. */
export function settingsIn(query: URLSearchParams): Record<string, SettingValue> {
  const settings: Record<string, SettingValue> = {};
  for (const [name, text] of query)
    if (name.startsWith('set.'))
      settings[name.slice(4)] =
        text === 'true' || text === 'false' ? text === 'true' : Number.isNaN(Number(text)) ? text : Number(text);
  return settings;
}

/** The engine that an address asks for, or what is wrong with it. */
export function chosenProfile(
  query: URLSearchParams,
  fitted: EngineProfile | null,
): { profile: EngineProfile } | { trouble: ApiError } | Record<string, never> {
  const engine = query.get('engine') ?? engineNames[0]!;
  try {
    if (engine === 'fit') return fitted === null ? {} : { profile: withSettings(fitted, query) };
    const base: EngineProfile =
      engine === 'plan' ? emitProfile(planDocument(askedOf(query)), 'now') : builtinProfile(engine);
    return { profile: withSettings(base, query) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { trouble: new ApiError(400, error.mistakes) };
  }
}

function withSettings(profile: EngineProfile, query: URLSearchParams): EngineProfile {
  const asked = query.get('scheduler');
  const name: SchedulerName =
    schedulerNames.find((known) => known === asked) ?? profile.scheduler?.name ?? 'continuous';
  const kept = profile.scheduler?.name === name ? profile.scheduler.settings : {};
  const known = new Set(Object.keys(schedulers[name].settings));
  const given = Object.fromEntries(Object.entries(settingsIn(query)).filter(([key]) => known.has(key)));
  const mistakes = settingMistakes(name, given);
  if (mistakes.length > 0) throw new UserError(mistakes);
  return { ...profile, scheduler: { name, settings: { ...kept, ...given } } };
}

/** The loads to play: those asked for, else those that were measured, else the usual powers of two. */
export function loadsOf(query: URLSearchParams, measured: readonly Summary[]): number[] {
  const asked = (query.get('loads') ?? '')
    .split(',')
    .map(Number)
    .filter((load) => Number.isInteger(load) && load >= 1 && load <= 4096);
  const known = measured.map(({ load }) => load.concurrency).filter((load) => load !== null);
  const loads = asked.length > 0 ? asked : known.length > 0 ? known : usualLoads;
  return [...new Set(loads)].toSorted((a, b) => a - b).slice(0, mostLoads);
}

/** Mean lengths of prompts and answers: those asked for, else those of the measured sweep, else the tutorial's. */
export function lengthsOf(query: URLSearchParams, measured: readonly Summary[]): [number, number] {
  const known = (of: (point: Summary) => number | null | undefined): number | null =>
    measured.map(of).find((mean) => typeof mean === 'number') ?? null;
  const lengthOf = (name: string, mean: number | null, usual: number): number =>
    Math.max(1, Math.round(query.has(name) ? Number(query.get(name)) : (mean ?? usual)));
  return [
    lengthOf(
      'input',
      known((point) => point.inputTokens?.mean),
      186,
    ),
    lengthOf(
      'output',
      known((point) => point.outputTokens?.mean),
      346,
    ),
  ];
}

/** The command that plays the same on the command line. */
export function simCommand(
  engine: string,
  query: URLSearchParams,
  loads: readonly number[],
  [input, output]: readonly [number, number],
): string {
  const scheduler = query.get('scheduler');
  const sets = Object.entries(settingsIn(query)).map(([name, value]) => `--set ${name}=${String(value)}`);
  return [
    `dyno sim --profile ${engine}`,
    ...(scheduler === null ? [] : [`--scheduler ${scheduler}`]),
    ...sets,
    `--concurrency ${loads.join(',')}`,
    `--input-tokens ${input} --output-tokens ${output} -n 1000`,
  ].join(' ');
}
