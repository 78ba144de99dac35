import { userError, UserError } from '../core/index.ts';
import type { Mistake } from '../core/index.ts';
import {
  builtinProfile,
  defaultProfileName,
  filledSettings,
  isMemoryWord,
  memoryWords,
  parseSetting,
  readProfile,
  schedulerNames,
  settingConflicts,
  withMemory,
} from '../engine/sim/index.ts';
import type { EngineProfile, SchedulerName, SettingValue } from '../engine/sim/index.ts';
import { anyText, many, one, readDocument } from '../lab/index.ts';
import type { SettingsOf } from '../lab/index.ts';

/** Profiles that were fitted to long traces hold their points. */
const mostProfileBytes = 16 * 1024 * 1024;

/** Flags that say which engine is simulated; the same for `dyno engine` and `dyno sim`. */
export const profileFlags = {
  profile: one(
    'profile NAME|FILE',
    profileNamed,
    `engine profile (default: ${defaultProfileName}); dyno engine --profiles lists them`,
    `引擎配置（默认：${defaultProfileName}）；dyno engine --profiles 可列出`,
  ),
  scheduler: one(
    'scheduler NAME',
    schedulerNamed,
    `who forms the steps: ${schedulerNames.join(', ')} (default: the profile's)`,
    `调度器：${schedulerNames.join('、')}（默认：由引擎配置决定）`,
  ),
  set: many(
    'set NAME=VALUE',
    anyText,
    "a setting under its server's name (maxBatchSize=200, enable_prefix_caching=false; memory: npuMemSize, cpuMemSize, num_gpu_blocks_override, swap_space …), or blocks, blockSize",
    '以服务器自身名称给出的设置（maxBatchSize=200、enable_prefix_caching=false；内存：npuMemSize、cpuMemSize、num_gpu_blocks_override、swap_space 等），或 blocks、blockSize',
  ),
};

/** The profile that the flags ask for, with its scheduler and settings as typed. */
export function profileOf({
  profile = builtinProfile(defaultProfileName),
  scheduler,
  set: typed = [],
}: SettingsOf<typeof profileFlags>): EngineProfile {
  if (scheduler === undefined && typed.length === 0) return profile;
  const name = scheduler ?? profile.scheduler?.name ?? 'continuous';
  const kept = profile.scheduler?.name === name ? profile.scheduler.settings : {};
  const memory = new Map<string, number>();
  const own: Record<string, SettingValue> = {};
  const mistakes: Mistake[] = [];
  for (const text of typed) {
    const [word = '', value = ''] = text.split('=', 2).map((part) => part.trim());
    if (isMemoryWord(name, word)) memory.set(word, value === '' ? Number.NaN : Number(value));
    else
      mistakes.push(
        ...mistakesOf(() => {
          const [key, parsed] = parseSetting(name, text);
          own[key] = parsed;
        }).map((mistake) => withMemoryWords(mistake, name)),
      );
  }
  mistakes.push(...mistakesOf(() => withMemory(profile, name, memory)));
  if (mistakes.length > 0) throw new UserError(mistakes);
  const { profile: sized, host } = withMemory(profile, name, memory);
  const settings = { ...kept, ...host, ...own };
  const named = new Set([...Object.keys(own), ...Object.keys(host)]);
  const conflicts = settingConflicts(name, filledSettings(sized, name, settings), named);
  if (conflicts.length > 0) throw new UserError(conflicts);
  return { ...sized, scheduler: { name, settings } };
}

/** A name that no scheduler's setting has may have been meant for the memory. */
function withMemoryWords(mistake: Mistake, name: SchedulerName): Mistake {
  if (mistake.code !== 'unknown-setting') return mistake;
  const { en, zh } = mistake.hint;
  const names = memoryWords(name);
  return { ...mistake, hint: { en: `${en} Memory: ${names.join(', ')}.`, zh: `${zh}内存：${names.join('、')}。` } };
}

function mistakesOf(act: () => unknown): readonly Mistake[] {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof UserError) return error.mistakes;
    throw error;
  }
}

/** The scheduler of that name; a UserError that lists them when there is none. */
export function schedulerNamed(name: string): SchedulerName {
  const found = schedulerNames.find((known) => known === name);
  if (found !== undefined) return found;
  const shown = name.slice(0, 50);
  throw userError(
    'unknown-scheduler',
    `there is no scheduler "${shown}"`,
    `没有名为 "${shown}" 的调度器`,
    `Schedulers: ${schedulerNames.join(', ')}.`,
    `可用的调度器：${schedulerNames.join('、')}。`,
    '--scheduler',
  );
}

/** The profile of a built-in name or of a file. */
export function profileNamed(word: string): EngineProfile {
  if (!/[/\\]|\.json$/.test(word)) return builtinProfile(word);
  let value: unknown;
  try {
    value = JSON.parse(readDocument(word, {}, mostProfileBytes));
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = (error as Error).message;
    throw userError(
      'bad-value',
      `cannot read ${word}: ${why}`,
      `无法读取 ${word}：${why}`,
      'Give a profile file as in data/engines, or a name from dyno engine --profiles.',
      '请给出 data/engines 格式的文件，或 dyno engine --profiles 中的名称。',
      '--profile',
    );
  }
  return readProfile(value, word);
}
