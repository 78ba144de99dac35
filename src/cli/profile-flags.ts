import { readFileSync } from 'node:fs';
import { UserError } from '../core/index.ts';
import { builtinProfile, defaultProfileName, parseSetting, readProfile, schedulerNames } from '../sim/index.ts';
import type { EngineProfile, SchedulerName, SettingValue } from '../sim/index.ts';
import { last } from './command.ts';
import type { Flag, Given } from './command.ts';

/** Flags that say which engine is simulated; the same for `dyno engine` and `dyno sim`. */
export const profileFlags: readonly Flag[] = [
  {
    name: 'profile',
    value: 'NAME|FILE',
    help: {
      en: `engine profile (default: ${defaultProfileName}); dyno engine --profiles lists them`,
      zh: `引擎配置（默认：${defaultProfileName}）；dyno engine --profiles 可列出`,
    },
  },
  {
    name: 'scheduler',
    value: 'NAME',
    help: {
      en: `who forms the steps: ${schedulerNames.join(', ')} (default: the profile's)`,
      zh: `调度器：${schedulerNames.join('、')}（默认：由引擎配置决定）`,
    },
  },
  {
    name: 'set',
    value: 'NAME=VALUE',
    repeat: true,
    help: {
      en: "a setting of the scheduler under its server's name (maxBatchSize=200, enable_prefix_caching=false), or blocks, blockSize",
      zh: '调度器的设置，使用服务器自身的名称（maxBatchSize=200、enable_prefix_caching=false），或 blocks、blockSize',
    },
  },
];

/** The profile that the flags ask for, with its scheduler and settings as told. */
export function profileOf(given: Given): EngineProfile {
  const profile = profileNamed(last(given, 'profile') ?? defaultProfileName);
  const asked = last(given, 'scheduler');
  const name = asked === undefined ? (profile.scheduler?.name ?? 'continuous') : schedulerNamed(asked);
  const kept = profile.scheduler?.name === name ? profile.scheduler.settings : {};
  const sets = given.flags.get('set') ?? [];
  const cache: Record<string, number> = {};
  const settings: Record<string, SettingValue> = { ...kept };
  for (const text of sets) {
    const [key = '', value = ''] = text.split('=');
    if (key === 'blocks' || key === 'blockSize') cache[key] = countOf(text, value);
    else {
      const [setting, told] = parseSetting(name, text);
      settings[setting] = told;
    }
  }
  if (asked === undefined && sets.length === 0) return profile;
  return { ...profile, scheduler: { name, settings }, kv: kvOf(profile, cache) };
}

/** The scheduler of that name; a UserError that lists them when there is none. */
export function schedulerNamed(name: string): SchedulerName {
  const found = schedulerNames.find((known) => known === name);
  if (found !== undefined) return found;
  const shown = name.slice(0, 50);
  throw new UserError({
    code: 'unknown-scheduler',
    message: { en: `there is no scheduler "${shown}"`, zh: `没有名为 "${shown}" 的调度器` },
    hint: { en: `Schedulers: ${schedulerNames.join(', ')}.`, zh: `可用的调度器：${schedulerNames.join('、')}。` },
    place: { flag: '--scheduler' },
  });
}

function kvOf({ kv }: EngineProfile, { blocks, blockSize }: Record<string, number>): EngineProfile['kv'] {
  if (blocks === undefined && (blockSize === undefined || kv === null)) return kv;
  return { blocks: blocks ?? kv!.blocks, blockSize: blockSize ?? kv?.blockSize ?? 16 };
}

function countOf(text: string, value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new UserError({
    code: 'bad-setting',
    message: { en: `"${text.slice(0, 80)}" is not NAME=COUNT`, zh: `"${text.slice(0, 80)}" 不是 名称=数量 的形式` },
    hint: { en: 'For example --set blocks=2000.', zh: '例如 --set blocks=2000。' },
    place: { flag: '--set' },
  });
}

/** The profile of a built-in name or of a file. */
export function profileNamed(word: string): EngineProfile {
  if (!/[/\\]|\.json$/.test(word)) return builtinProfile(word);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(word, 'utf8'));
  } catch (error) {
    const why = (error as Error).message;
    throw new UserError({
      code: 'bad-value',
      message: { en: `cannot read ${word}: ${why}`, zh: `无法读取 ${word}：${why}` },
      hint: {
        en: 'Give a profile file as in data/engines, or a name from dyno engine --profiles.',
        zh: '请给出 data/engines 格式的文件，或 dyno engine --profiles 中的名称。',
      },
      place: { flag: '--profile' },
    });
  }
  return readProfile(value, word);
}
