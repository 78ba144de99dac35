import { mistake, UserError } from '../../../core/index.ts';
import type { Mistake } from '../../../core/index.ts';
import type { EngineProfile } from '../engine-profile.ts';
import { continuousFcfs } from './continuous-fcfs.ts';
import { mindie } from './mindie.ts';
import type { Scheduler } from './scheduler.ts';
import { sglang } from './sglang.ts';
import { staticBatch } from './static-batch.ts';
import { vllmV0 } from './vllm-v0.ts';
import { vllmV1 } from './vllm-v1.ts';

/** A value of a server's setting. */
export type SettingValue = number | boolean | string;

/** What a setting may be; `default` may hang on the profile's own limits. */
export interface SettingRule {
  least?: number;
  most?: number;
  whole?: boolean;
  /** Only these of the range. */
  among?: readonly number[];
  oneOf?: readonly string[];
  default(profile: EngineProfile): SettingValue;
}

/** A policy with the settings it knows, under the names its server gives them. */
export interface SchedulerKind {
  settings: Readonly<Record<string, SettingRule>>;
  /** The setting that caps the sequences running at once. */
  batchSetting: string;
  /** The setting that keeps prompt beginnings in the KV cache, and the value that does. */
  prefixSetting: { name: string; on: SettingValue };
  make(settings: Readonly<Record<string, SettingValue>>): Scheduler;
}

const whole = (least: number, most: number, value: (profile: EngineProfile) => number): SettingRule => ({
  least,
  most,
  whole: true,
  default: value,
});
const ratio = (value: number): SettingRule => ({ least: 0, most: 1, default: () => value });
const yesNo = (value: boolean): SettingRule => ({ default: () => value });
const word = (first: string, ...others: string[]): SettingRule => ({ oneOf: [first, ...others], default: () => first });
const batch = (profile: EngineProfile): number => profile.maxBatchSize;
const prefillTokens = (profile: EngineProfile): number => profile.maxPrefillTokens ?? 8192;
const many = 2 ** 31 - 1;
/** vLLM's swap_space where nobody says: 4 GiB a card; none where it is not known how many blocks that is. */
const usualSwapBlocks = ({ kv, kvBytesPerTokenPerCard }: EngineProfile): number =>
  kv === null || kvBytesPerTokenPerCard === undefined
    ? 0
    : Math.floor((4 * 2 ** 30) / (kvBytesPerTokenPerCard * kv.blockSize));

/** How a server names its prefix cache, and whether it has it where nobody says. */
interface PrefixSwitch {
  name: string;
  on: SettingValue;
  rule: SettingRule;
}

const cacheSwitch = (name: string, on: boolean, byDefault: boolean): PrefixSwitch => ({
  name,
  on,
  rule: { default: ({ prefixCaching = byDefault }) => (prefixCaching ? on : !on) },
});
/** MindIE has it as a plug-in. */
const pluginSwitch: PrefixSwitch = {
  name: 'plugin_type',
  on: 'prefix_cache',
  rule: {
    oneOf: ['none', 'prefix_cache'],
    default: ({ prefixCaching }) => (prefixCaching === true ? 'prefix_cache' : 'none'),
  },
};

function kind<T>(
  settings: Record<keyof T & string, SettingRule>,
  batchSetting: keyof T & string,
  { name, on, rule }: PrefixSwitch,
  make: (settings: T) => Scheduler,
): SchedulerKind {
  return {
    settings: { ...settings, [name]: rule },
    batchSetting,
    prefixSetting: { name, on },
    make: (given) => make(given as T),
  };
}

/** Every policy: adding one is a file and an entry. Ranges are those that the servers' own validators accept. */
export const schedulers = {
  continuous: kind<{ maxBatchSize: number; maxPrefillTokens: number }>(
    { maxBatchSize: whole(1, many, batch), maxPrefillTokens: whole(1, many, (p) => p.maxPrefillTokens ?? many) },
    'maxBatchSize',
    cacheSwitch('prefixCaching', true, false),
    continuousFcfs,
  ),
  'vllm-v1': kind<Parameters<typeof vllmV1>[0]>(
    {
      max_num_seqs: whole(1, many, batch),
      max_num_batched_tokens: whole(1, many, prefillTokens),
      enable_chunked_prefill: yesNo(true),
      long_prefill_token_threshold: whole(0, many, () => 0),
      // V1 itself has no such limit: more than ever are in the middle at once.
      max_num_partial_prefills: whole(1, many, () => 1024),
      async_scheduling: yesNo(false),
    },
    'max_num_seqs',
    cacheSwitch('enable_prefix_caching', true, true),
    vllmV1,
  ),
  'vllm-v0': kind<Parameters<typeof vllmV0>[0]>(
    {
      max_num_seqs: whole(1, many, batch),
      max_num_batched_tokens: whole(1, many, prefillTokens),
      watermark: ratio(0.01),
      preemption_mode: word('recompute', 'swap'),
      num_cpu_blocks: whole(0, many, usualSwapBlocks),
    },
    'max_num_seqs',
    cacheSwitch('enable_prefix_caching', true, false),
    vllmV0,
  ),
  mindie: kind<Parameters<typeof mindie>[0]>(
    {
      maxBatchSize: whole(1, 819_200, batch),
      maxPrefillBatchSize: whole(0, 819_200, () => 50),
      maxPrefillTokens: whole(1, 4_194_304, prefillTokens),
      maxQueueDelayMicroseconds: whole(500, 1_000_000, () => 5000),
      prefillTimeMsPerReq: whole(0, 1000, () => 150),
      decodeTimeMsPerReq: whole(0, 1000, () => 50),
      supportSelectBatch: yesNo(false),
      stageSelectPolicy: whole(0, 2, () => 0),
      prefillExpectedTime: whole(1, 10_000, () => 1500),
      decodeExpectedTime: whole(1, 10_000, () => 50),
      maxPreemptCount: whole(0, 819_200, () => 0),
      cpuBlocks: whole(0, many, () => 0),
      recomputeThreshold: ratio(0.5),
      backendType: word('atb', 'ms'),
    },
    'maxBatchSize',
    pluginSwitch,
    mindie,
  ),
  sglang: kind<Parameters<typeof sglang>[0]>(
    {
      max_running_requests: whole(1, many, batch),
      max_prefill_tokens: whole(1, many, () => 16_384),
      chunked_prefill_size: whole(-1, many, prefillTokens),
      new_token_ratio: ratio(0.1),
    },
    'max_running_requests',
    cacheSwitch('disable_radix_cache', false, true),
    sglang,
  ),
  static: kind<Parameters<typeof staticBatch>[0]>(
    { maxBatchSize: whole(1, many, batch) },
    'maxBatchSize',
    cacheSwitch('prefixCaching', true, false),
    staticBatch,
  ),
} as const satisfies Record<string, SchedulerKind>;

export type SchedulerName = keyof typeof schedulers;

/** The scheduler that a profile asks for, with every setting it does not name at its default. */
export function schedulerOf(profile: EngineProfile): Scheduler {
  const name = profile.scheduler?.name ?? 'continuous';
  return schedulers[name].make(filledSettings(profile, name, profile.scheduler?.settings ?? {}));
}

/** All settings of a scheduler: those given, the others at their defaults. */
export function filledSettings(
  profile: EngineProfile,
  name: SchedulerName,
  given: Readonly<Record<string, SettingValue>>,
): Record<string, SettingValue> {
  const rules: Readonly<Record<string, SettingRule>> = schedulers[name].settings;
  return Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, given[key] ?? rule.default(profile)]));
}

/** Whether a profile's engine keeps prompt beginnings: by its server's own setting, else by what that server does unasked. */
export function prefixCachingOf(profile: EngineProfile): boolean {
  const { name, settings } = profile.scheduler ?? { name: 'continuous', settings: {} };
  const { prefixSetting, settings: rules }: SchedulerKind = schedulers[name];
  return (settings[prefixSetting.name] ?? rules[prefixSetting.name]!.default(profile)) === prefixSetting.on;
}

/** How many sequences the engine of a profile runs at once, at most. */
export function mostRunningOf(profile: EngineProfile): number {
  const { name, settings } = profile.scheduler ?? { name: 'continuous', settings: {} };
  return Number(settings[schedulers[name].batchSetting] ?? profile.maxBatchSize);
}

/** Whether steps are formed while the one before runs, under vLLM's name for it. */
export const aheadSetting = 'async_scheduling';

/** Whether an engine of this profile forms its steps ahead. */
export function formsAhead({ scheduler }: EngineProfile): boolean {
  return scheduler?.settings[aheadSetting] === true;
}

/** Names of all policies. */
export const schedulerNames = Object.keys(schedulers) as SchedulerName[];

/** What is wrong with a scheduler's settings; empty = nothing. */
export function settingMistakes(name: SchedulerName, settings: Readonly<Record<string, unknown>>): Mistake[] {
  const rules: Readonly<Record<string, SettingRule>> = schedulers[name].settings;
  return Object.entries(settings).flatMap(([key, value]): Mistake[] => {
    const rule = Object.hasOwn(rules, key) ? rules[key]! : null;
    const wrong = rule === null ? unknownSetting(name, key, Object.keys(rules)) : settingMistake(key, value, rule);
    return wrong === null ? [] : [wrong];
  });
}

/** MindIE's environment variables, under their old name and their new one. */
const otherNames: Readonly<Record<string, string>> = {
  MIES_RECOMPUTE_THRESHOLD: 'recomputeThreshold',
  MINDIE_LLM_RECOMPUTE_THRESHOLD: 'recomputeThreshold',
};

/** Reads `name=value` as the scheduler would take it; a UserError says what is wrong. */
export function parseSetting(name: SchedulerName, text: string): [string, SettingValue] {
  const [told = '', ...rest] = text.split('=');
  const key = (Object.hasOwn(otherNames, told.trim()) ? otherNames[told.trim()] : undefined) ?? told;
  const raw = rest.join('=').trim();
  const value: SettingValue =
    raw === 'true' || raw === 'false' ? raw === 'true' : raw !== '' && Number.isFinite(Number(raw)) ? Number(raw) : raw;
  const mistakes = settingMistakes(name, { [key.trim()]: value });
  if (mistakes.length > 0) throw new UserError(mistakes.map((one) => ({ ...one, place: { flag: '--set' } })));
  return [key.trim(), value];
}

function unknownSetting(name: SchedulerName, key: string, known: readonly string[]): Mistake {
  const shown = key.slice(0, 100);
  return mistake(
    'unknown-setting',
    `the scheduler ${name} has no setting "${shown}"`,
    `调度器 ${name} 没有设置项 "${shown}"`,
    `Its settings: ${known.join(', ')}.`,
    `可用的设置项：${known.join('、')}。`,
  );
}

/** What is wrong with a value of a setting; null = nothing. */
export function settingMistake(key: string, value: unknown, rule: SettingRule): Mistake | null {
  const must = (en: string, zh: string): Mistake =>
    mistake(
      'bad-setting',
      `${key} must be ${en}`,
      `${key} 必须为${zh}`,
      'For example --set maxBatchSize=200.',
      '例如 --set maxBatchSize=200。',
    );
  if (rule.oneOf !== undefined) {
    if (typeof value === 'string' && rule.oneOf.includes(value)) return null;
    return must(rule.oneOf.join(' / '), rule.oneOf.join(' / '));
  }
  if (rule.least === undefined) return typeof value === 'boolean' ? null : must('true or false', ' true 或 false');
  const inRange = typeof value === 'number' && value >= rule.least && value <= rule.most!;
  if (rule.among !== undefined) {
    const values = rule.among.join(', ');
    return inRange && rule.among.includes(value) ? null : must(`one of ${values}`, `以下之一：${values}`);
  }
  if (inRange && (rule.whole !== true || Number.isInteger(value))) return null;
  const range = `${rule.least} … ${rule.most}`;
  return rule.whole === true
    ? must(`a whole number, ${range}`, `整数，${range}`)
    : must(`a number, ${range}`, `数字，${range}`);
}
