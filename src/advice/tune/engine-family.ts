import { schedulers } from '../../engine/sim/index.ts';
import type { SchedulerName } from '../../engine/sim/index.ts';
import type { Settings, SettingValue } from './setting.ts';
import type { Knob, Role } from './space.ts';

/** A kind of server whose scheduling the simulator knows, and what its settings do. */
export interface EngineFamily {
  scheduler: SchedulerName;
  /** By the settings' names. */
  roles: Readonly<Record<string, Role>>;
}

/** The bare name of a setting: `ScheduleConfig.maxBatchSize` → maxBatchSize, `--max-num-seqs` → max_num_seqs. */
export function bareName(name: string): string {
  const end = name.replace(/^-+/, '').split('.').at(-1)!;
  return end.replace(/\[\d+\]$/, '').replaceAll('-', '_');
}

const memoryNames = new Set(['npuMemSize', 'gpu_memory_utilization', 'mem_fraction_static', 'memory_fraction']);

/** What a setting of this name does, as far as the name tells. */
export function roleOf(name: string): Role | null {
  const bare = bareName(name);
  if (bare === 'concurrency' || bare === 'rate') return bare;
  if (memoryNames.has(bare)) return 'memory';
  if (/prefill.*batch.*size/i.test(bare)) return 'prefill-batch';
  if (/prefill.*(tokens|size)|num_batched_tokens|token_budget/i.test(bare)) return 'prefill-tokens';
  if (/^(max)?_?batch(_?size)?$|max_?batch_?size|max_num_seqs|max_running_requests/i.test(bare)) return 'batch';
  return null;
}

const byWord: Readonly<Record<string, SchedulerName>> = { mindie: 'mindie', vllm: 'vllm-v1', sglang: 'sglang' };

/** The scheduler that most of the names belong to, or the one that was named; plain continuous batching where only roles are known. */
export function engineFamily(
  knobs: readonly Knob[],
  names: readonly string[],
  told: string | null,
): EngineFamily | null {
  const bare = names.map(bareName);
  const known = (['mindie', 'vllm-v1', 'sglang'] as const).map((scheduler) => ({
    scheduler,
    hits: bare.filter((name) => Object.hasOwn(schedulers[scheduler].settings, name)).length,
  }));
  const best = known.toSorted((a, b) => b.hits - a.hits)[0]!;
  const scheduler = told === null ? (best.hits > 0 ? best.scheduler : null) : (byWord[told] ?? null);
  const roles = new Map(knobs.flatMap((knob) => (knob.role === null ? [] : [[knob.name, knob.role] as const])));
  for (const name of names) {
    const role = roleOf(name);
    if (!roles.has(name) && role !== null) roles.set(name, role);
  }
  if (
    scheduler === null &&
    ![...roles.values()].some((role) => role === 'batch' || role === 'concurrency' || role === 'rate')
  )
    return null;
  return { scheduler: scheduler ?? 'continuous', roles: Object.fromEntries(roles) };
}

/** Memory for the KV cache, in whatever unit the server counts it; null = no setting says it. */
export function memoryOf({ roles }: EngineFamily, settings: Settings): number | null {
  const found = Object.entries(settings).find(([name]) => roles[name] === 'memory');
  return typeof found?.[1] === 'number' ? found[1] : null;
}

const roleSettings: Readonly<Record<string, Partial<Record<Role, string>>>> = {
  continuous: { batch: 'maxBatchSize', 'prefill-tokens': 'maxPrefillTokens' },
  mindie: { batch: 'maxBatchSize', 'prefill-batch': 'maxPrefillBatchSize', 'prefill-tokens': 'maxPrefillTokens' },
  'vllm-v1': { batch: 'max_num_seqs', 'prefill-tokens': 'max_num_batched_tokens' },
  sglang: { batch: 'max_running_requests', 'prefill-tokens': 'chunked_prefill_size' },
};

/** The settings that the simulated scheduler understands, under its names. */
export function schedulerSettings(
  { scheduler, roles }: EngineFamily,
  settings: Settings,
): Record<string, SettingValue> {
  const rules = schedulers[scheduler].settings as Readonly<
    Record<string, { least?: number; most?: number; oneOf?: unknown; whole?: boolean }>
  >;
  const simulated: Record<string, SettingValue> = {};
  for (const [name, value] of Object.entries(settings)) {
    const role = roles[name];
    const key = Object.hasOwn(rules, bareName(name))
      ? bareName(name)
      : role === undefined
        ? undefined
        : roleSettings[scheduler]?.[role];
    if (key === undefined) continue;
    const rule = rules[key]!;
    if (typeof value === 'number' && rule.least !== undefined) {
      const within = Math.min(rule.most!, Math.max(rule.least, value));
      simulated[key] = rule.whole === true ? Math.round(within) : within;
    } else if (typeof value === 'boolean' && rule.least === undefined && rule.oneOf === undefined)
      simulated[key] = value;
    else if (typeof value === 'string' && Array.isArray(rule.oneOf) && rule.oneOf.includes(value))
      simulated[key] = value;
  }
  return simulated;
}
