import { mistake, userError, UserError } from '../../core/index.ts';
import type { EngineProfile } from './engine-profile.ts';
import { settingMistake } from './scheduler/schedulers.ts';
import type { SchedulerName, SettingRule } from './scheduler/schedulers.ts';

/** What a word about memory says: how many blocks or tokens the KV cache holds, or what it gets of the card or the host. */
type MemoryMeaning = 'blocks' | 'tokens' | 'blockSize' | 'cardGib' | 'hostGib' | 'tokenBytes';

interface MemoryWord {
  means: MemoryMeaning;
  rule: SettingRule;
}

const gibBytes = 2 ** 30;
const most = 2 ** 31 - 1;
const unused = (): number => 0;
const whole = (means: MemoryMeaning, least: number, top = most): MemoryWord => ({
  means,
  rule: { least, most: top, whole: true, default: unused },
});
const sizes = (...values: number[]): MemoryWord => ({
  means: 'blockSize',
  rule: { least: values[0]!, most: values.at(-1)!, whole: true, among: values, default: unused },
});
const count = 1e9 - 1;

/** Words of ours, which every scheduler takes. */
const own: Readonly<Record<string, MemoryWord>> = {
  blocks: whole('blocks', 1, count),
  blockSize: whole('blockSize', 1, count),
  kvBytesPerTokenPerCard: whole('tokenBytes', 1),
};
const vllm: Readonly<Record<string, MemoryWord>> = {
  num_gpu_blocks_override: whole('blocks', 1),
  block_size: sizes(1, 8, 16, 32, 64, 128, 256),
};
const byScheduler: Readonly<Record<SchedulerName, Readonly<Record<string, MemoryWord>>>> = {
  continuous: {},
  static: {},
  'vllm-v1': vllm,
  'vllm-v0': { ...vllm, swap_space: { means: 'hostGib', rule: { least: 0, most, default: unused } } },
  mindie: {
    npuMemSize: whole('cardGib', -1),
    cpuMemSize: whole('hostGib', 0),
    cacheBlockSize: sizes(16, 32, 48, 64, 80, 96, 112, 128),
  },
  sglang: { max_total_tokens: whole('tokens', 1), page_size: whole('blockSize', 1) },
};
/** The setting that holds the host's blocks, where a scheduler swaps. */
const hostSetting: Partial<Record<SchedulerName, string>> = { mindie: 'cpuBlocks', 'vllm-v0': 'num_cpu_blocks' };
/** Tokens to a block where neither the profile nor the user says. */
const usualBlockSize = (name: SchedulerName): number => (name === 'mindie' ? 128 : 16);

/** Words about memory that a scheduler takes, its server's own first. */
export function memoryWords(name: SchedulerName): string[] {
  return [...Object.keys(byScheduler[name]), ...Object.keys(own)];
}

/** Whether a word of `--set` is about memory, under our name or the scheduler's server's. */
export function isMemoryWord(name: SchedulerName, word: string): boolean {
  return Object.hasOwn(own, word) || Object.hasOwn(byScheduler[name], word);
}

/**
 * The profile's KV cache and the host's blocks as words about memory have them. A count of blocks is what the server itself
 * says, so that it goes before what follows from an amount of memory (blocks = ⌊memory / (bytes per token · block size)⌋).
 */
export function withMemory(
  profile: EngineProfile,
  name: SchedulerName,
  words: ReadonlyMap<string, number>,
): { profile: EngineProfile; host: Readonly<Record<string, number>> } {
  if (words.size === 0) return { profile, host: {} };
  const told = meaningsOf(name, words);
  const blockSize = told.get('blockSize') ?? profile.kv?.blockSize ?? usualBlockSize(name);
  const tokenBytes = told.get('tokenBytes') ?? profile.kvBytesPerTokenPerCard ?? null;
  const blocksIn = (gib: number): number => {
    if (gib === 0) return 0;
    if (tokenBytes === null)
      throw userError(
        'bad-setting',
        `the profile ${profile.name} does not say how many bytes of KV a token takes on a card, so GiB cannot become blocks`,
        `引擎配置 ${profile.name} 未给出每个 token 在每张卡上的 KV 字节数，无法把 GiB 换算成块数`,
        'Add --set kvBytesPerTokenPerCard=BYTES (dyno plan says it for a model), or give --set blocks=COUNT.',
        '请加 --set kvBytesPerTokenPerCard=字节数（dyno plan 可算出），或直接给 --set blocks=块数。',
        '--set',
      );
    return Math.floor((gib * gibBytes) / (tokenBytes * blockSize));
  };
  const [cardGib, tokens, hostGib] = [told.get('cardGib') ?? -1, told.get('tokens'), told.get('hostGib')];
  // The same memory in larger blocks is fewer of them.
  const kept = profile.kv === null ? null : Math.floor((profile.kv.blocks * profile.kv.blockSize) / blockSize);
  const blocks =
    told.get('blocks') ??
    (tokens === undefined ? null : Math.floor(tokens / blockSize)) ??
    (cardGib < 0 ? kept : blocksIn(cardGib));
  if (blocks === null && told.has('blockSize'))
    throw userError(
      'bad-setting',
      `the KV cache of ${profile.name} has no limit, so the size of its blocks changes nothing`,
      `${profile.name} 的 KV 缓存没有上限，块大小不起作用`,
      'Give the count too: --set blocks=2000.',
      '请同时给出块数：--set blocks=2000。',
      '--set',
    );
  const host = hostSetting[name];
  return {
    profile: {
      ...profile,
      kv: blocks === null ? null : { blocks: Math.max(1, blocks), blockSize },
      ...(tokenBytes !== null && { kvBytesPerTokenPerCard: tokenBytes }),
    },
    host: host === undefined || hostGib === undefined ? {} : { [host]: blocksIn(hostGib) },
  };
}

function meaningsOf(name: SchedulerName, words: ReadonlyMap<string, number>): Map<MemoryMeaning, number> {
  const told = new Map<MemoryMeaning, number>();
  const rules = { ...own, ...byScheduler[name] };
  const mistakes = [...words].flatMap(([word, value]) => {
    const { means, rule } = rules[word]!;
    told.set(means, value);
    const wrong = settingMistake(word, value, rule);
    // MindIE takes −1 (all that is free) but not 0.
    return wrong === null && !(means === 'cardGib' && value === 0)
      ? []
      : [
          wrong ??
            mistake(
              'bad-setting',
              `${word} must be −1 or at least 1`,
              `${word} 必须为 −1 或不小于 1`,
              '−1 leaves the KV cache as the profile has it.',
              '−1 表示沿用引擎配置中的 KV 缓存。',
            ),
        ];
  });
  if (mistakes.length > 0) throw new UserError(mistakes.map((one) => ({ ...one, place: { flag: '--set' } })));
  return told;
}
