import { UserError } from '../../core/index.ts';
import type { Mistake, Phrase } from '../../core/index.ts';
import type { PlanDocument } from './plan-schema.ts';

/** Engines whose command lines a plan writes. */
export type ServedEngine = 'vllm' | 'sglang';

/** A command line before it is written: its flags by name, null = a flag without a value. */
export interface ServeLine {
  engine: ServedEngine;
  flags: ReadonlyMap<string, string | null>;
}

interface Broken {
  says: Phrase;
  hint: Phrase;
  flag: string;
}

/** One reason for which an engine refuses to start, and where its own code says so. */
interface EngineRule {
  code: string;
  engines: readonly ServedEngine[];
  /** Files as of vLLM a014e35f (2026-08-22) and SGLang cce0a124 (2026-08-23). */
  source: string;
  broken(line: ServeLine, plan: PlanDocument): Broken | null;
}

const both = ['vllm', 'sglang'] as const;
const names = { vllm: 'vLLM', sglang: 'SGLang' } as const;

/** The formats each engine stores a KV cache in, by the words its flag takes; no flag = as the weights are. */
export const kvWords: Readonly<Record<ServedEngine, Readonly<Record<string, string>>>> = {
  vllm: { fp8: 'fp8', fp4: 'nvfp4' },
  sglang: { fp8: 'fp8_e4m3', fp4: 'nvfp4' },
};

const flagNames = {
  vllm: { tensor: '--tensor-parallel-size', length: '--max-model-len', share: '--gpu-memory-utilization' },
  sglang: { tensor: '--tp-size', length: '--context-length', share: '--mem-fraction-static' },
} as const;

const numberOf = (line: ServeLine, flag: string): number => Number(line.flags.get(flag));

/** Every rule that a written line is held against. */
export const engineRules: readonly EngineRule[] = [
  {
    code: 'engine-refuses-batch',
    engines: ['vllm'],
    source: 'vllm/config/scheduler.py, SchedulerConfig.verify_max_model_len',
    broken(line) {
      const [tokens, seqs] = [numberOf(line, '--max-num-batched-tokens'), numberOf(line, '--max-num-seqs')];
      if (seqs >= 1 && tokens >= seqs) return null;
      return {
        says: {
          en: `a step of ${tokens} tokens cannot hold ${seqs} sequences`,
          zh: `每步 ${tokens} 个 token 放不下 ${seqs} 个序列`,
        },
        hint: { en: 'a step needs a token for each sequence', zh: '每个序列每步至少需要一个 token' },
        flag: '--max-num-batched-tokens',
      };
    },
  },
  {
    code: 'engine-refuses-length',
    engines: both,
    source: 'vllm/config/model.py, _get_and_verify_max_len; sglang/srt/configs/model_config.py, _derive_context_length',
    broken(line, { model }) {
      const length = numberOf(line, flagNames[line.engine].length);
      if (model.maxPositionTokens === null || length <= model.maxPositionTokens) return null;
      return {
        says: {
          en: `a length of ${length} tokens is more than the ${model.maxPositionTokens} of the model's config.json`,
          zh: `长度 ${length} 超过模型 config.json 中的 ${model.maxPositionTokens} token`,
        },
        hint: {
          en: 'lower --max-input-tokens or --max-output-tokens, or write rope_scaling into the config.json and give it with --model-config',
          zh: '请减小 --max-input-tokens 或 --max-output-tokens，或在 config.json 中写入 rope_scaling 并用 --model-config 给出',
        },
        flag: '--max-input-tokens',
      };
    },
  },
  {
    code: 'engine-refuses-memory',
    engines: both,
    source: 'vllm/v1/core/kv_cache_utils.py, _check_enough_kv_cache_memory; in SGLang a longer request is refused',
    broken(_line, { vllm }) {
      if (vllm.longestRequestGiB <= vllm.kvCacheGiB) return null;
      const [need, have] = [vllm.longestRequestGiB.toFixed(2), vllm.kvCacheGiB.toFixed(2)];
      return {
        says: {
          en: `one request of ${vllm.maxModelLen} tokens takes ${need} GiB of KV cache, and ${have} GiB are left for it`,
          zh: `一条 ${vllm.maxModelLen} token 的请求需要 ${need} GiB KV Cache，而只剩 ${have} GiB`,
        },
        hint: {
          en: 'use more or larger cards, lower --max-input-tokens or --max-output-tokens, or narrow the cache (--kv-dtype fp8)',
          zh: '请增加卡数或换更大的卡，减小 --max-input-tokens 或 --max-output-tokens，或使用 --kv-dtype fp8',
        },
        flag: '--cards',
      };
    },
  },
  {
    code: 'engine-refuses-kv-heads',
    engines: both,
    source: 'vllm/model_executor/layers/linear.py, QKVParallelLinear; sglang/srt/models/qwen2.py, Qwen2Attention',
    broken(line, { model }) {
      const tensor = numberOf(line, flagNames[line.engine].tensor);
      const even = tensor >= model.kvHeads ? tensor % model.kvHeads : model.kvHeads % tensor;
      if (model.attention === 'mla' || even === 0) return null;
      return {
        says: {
          en: `${model.kvHeads} KV heads cannot be spread evenly over ${tensor} cards`,
          zh: `${model.kvHeads} 个 KV 头不能均分到 ${tensor} 张卡`,
        },
        hint: {
          en: 'use a --tp that divides them or is a multiple of them; --pp or --dp for the other cards',
          zh: '--tp 应整除 KV 头数或为其整数倍；其余的卡用 --pp 或 --dp',
        },
        flag: '--tp',
      };
    },
  },
  {
    code: 'engine-refuses-experts',
    engines: both,
    source: 'vllm/config/parallel.py, enable_expert_parallel; sglang/srt/server_args.py, "ep_size * moe_dp_size"',
    broken({ engine }, { cards }) {
      const spread = engine === 'vllm' ? cards.tensor * cards.data : cards.tensor;
      if (cards.expert === null || cards.expert === 1 || cards.expert === spread) return null;
      return {
        says: {
          en: `${names[engine]} spreads experts over ${spread} cards here, not over ${cards.expert}`,
          zh: `${names[engine]} 在此会把专家分到 ${spread} 张卡，而不是 ${cards.expert} 张`,
        },
        hint: { en: `say --ep ${spread}, or leave it out`, zh: `请用 --ep ${spread}，或去掉该参数` },
        flag: '--ep',
      };
    },
  },
  {
    code: 'engine-refuses-kv-format',
    engines: both,
    source: 'vllm/config/cache.py, CacheDType; sglang/srt/server_args.py, kv_cache_dtype',
    broken(line) {
      const word = line.flags.get('--kv-cache-dtype');
      const taken = kvWords[line.engine];
      if (word === undefined || word === null || Object.values(taken).includes(word)) return null;
      return {
        says: {
          en: `${names[line.engine]} has no KV cache in ${word}`,
          zh: `${names[line.engine]} 不支持 ${word} 格式的 KV Cache`,
        },
        hint: {
          en: `one of ${Object.keys(taken).join(', ')}, or leave it out`,
          zh: `可取 ${Object.keys(taken).join('、')}，或去掉该参数`,
        },
        flag: '--kv-dtype',
      };
    },
  },
  {
    code: 'engine-refuses-memory-share',
    engines: both,
    source: 'vllm/config/cache.py, gpu_memory_utilization; sglang/srt/server_args.py, mem_fraction_static',
    broken(line) {
      const share = numberOf(line, flagNames[line.engine].share);
      if (share > 0 && share <= 1) return null;
      return {
        says: { en: `a share of ${share} of the memory is not possible`, zh: `显存占比 ${share} 不可能` },
        hint: { en: 'more than 0 and at most 1', zh: '应大于 0 且不超过 1' },
        flag: '--gpu-memory-utilization',
      };
    },
  },
  {
    code: 'engine-refuses-chunk',
    engines: ['sglang'],
    source: 'sglang/srt/server_args.py, check_server_args',
    broken(line) {
      const chunk = numberOf(line, '--chunked-prefill-size');
      if (chunk > 0 && chunk % largestPage === 0) return null;
      return {
        says: {
          en: `a chunk of ${chunk} tokens is not whole pages of ${largestPage}`,
          zh: `分块 ${chunk} 不是 ${largestPage} 的整数倍`,
        },
        hint: { en: `a multiple of ${largestPage}`, zh: `应为 ${largestPage} 的整数倍` },
        flag: '--max-input-tokens',
      };
    },
  },
];

/** The largest page that a kernel of SGLang asks for; its chunks have to be whole pages. */
export const largestPage = 128;

/** The line itself, or a UserError with every rule of its engine that it breaks: nothing is written that would not start. */
export function acceptedLine(line: ServeLine, plan: PlanDocument): ServeLine {
  const mistakes: Mistake[] = [];
  for (const { code, engines, broken } of engineRules) {
    const found = engines.includes(line.engine) ? broken(line, plan) : null;
    if (found === null) continue;
    const { en, zh } = found.says;
    const engine = names[line.engine];
    mistakes.push({
      code,
      message: { en: `${engine} would not start: ${en}`, zh: `${engine} 将拒绝启动：${zh}` },
      hint: found.hint,
      place: { flag: found.flag },
    });
  }
  if (mistakes.length > 0) throw new UserError(mistakes);
  return line;
}
