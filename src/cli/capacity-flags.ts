import type { Mistake, Phrase } from '../core/index.ts';
import type { PlanAsked } from '../advice/plan/index.ts';
import type { Flag, ParsedCommand } from './command.ts';

type Kind = 'number' | 'ms' | 'text' | 'switch';

interface CapacityFlag {
  key: keyof PlanAsked;
  name: string;
  value: string | null;
  kind: Kind;
  help: Phrase;
}

const row = (
  key: keyof PlanAsked,
  name: string,
  value: string | null,
  kind: Kind,
  en: string,
  zh: string,
): CapacityFlag => ({
  key,
  name,
  value,
  kind,
  help: { en, zh },
});

/** The flags of `dyno plan` that are a plain value of the question. */
const capacityFlags: readonly CapacityFlag[] = [
  row(
    'modelName',
    'model',
    'NAME',
    'text',
    'a model of data/models: llama-3-8b, qwen2-72b …',
    '已收录的模型：llama-3-8b、qwen2-72b …',
  ),
  row(
    'cardName',
    'card',
    'NAME',
    'text',
    'a card of data/cards: 910b4-32g, h20 …; host = the cards of this host',
    '已收录的加速卡：910b4-32g、h20 …；host 表示本机的卡',
  ),
  row(
    'cardMemoryGiB',
    'card-memory-gib',
    'GIB',
    'number',
    'memory of one card, for a card not listed',
    '单卡显存（未收录的卡）',
  ),
  row('cards', 'cards', 'N', 'number', 'how many cards in all (default: tp × pp × dp)', '总卡数（默认 tp × pp × dp）'),
  row('tensorParallel', 'tp', 'N', 'number', 'tensor parallel (default: all cards)', '张量并行（默认全部卡）'),
  row('pipelineParallel', 'pp', 'N', 'number', 'pipeline stages', '流水线阶段数'),
  row(
    'dataParallel',
    'dp',
    'N',
    'number',
    'replicas, each with a KV pool of its own',
    '数据并行副本数，各有独立 KV 池',
  ),
  row('expertParallel', 'ep', 'N', 'number', 'cards that share the experts', '专家并行的卡数'),
  row(
    'idleGiB',
    'idle-gib',
    'GIB',
    'number',
    'taken by an idle card (npu-smi, nvidia-smi)',
    '空闲时已占用的显存（npu-smi、nvidia-smi）',
  ),
  row(
    'weightsGiB',
    'weights-gib',
    'GIB',
    'number',
    'all weights together, as du -h says',
    '全部权重大小，即 du -h 的结果',
  ),
  row(
    'runtimeGiB',
    'runtime-gib',
    'GIB',
    'number',
    'further memory the engine takes (default 0)',
    '引擎运行时另外占用的显存（默认 0）',
  ),
  row('inputTokens', 'input-tokens', 'N', 'number', 'mean input length', '平均输入长度'),
  row('outputTokens', 'output-tokens', 'N', 'number', 'mean output length', '平均输出长度'),
  row('maxInputTokens', 'max-input-tokens', 'N', 'number', 'longest input (default 2048)', '最长输入（默认 2048）'),
  row('maxOutputTokens', 'max-output-tokens', 'N', 'number', 'longest output (default 512)', '最长输出（默认 512）'),
  row('blockSize', 'block-size', 'N', 'number', 'tokens of a KV block (default 128)', 'KV block 大小（默认 128）'),
  row(
    'weightFormat',
    'weight-dtype',
    'FORMAT',
    'text',
    'bf16, fp8, int8, int4 … (default: as the config says)',
    'bf16、fp8、int8、int4 …（默认按配置）',
  ),
  row(
    'kvFormat',
    'kv-dtype',
    'FORMAT',
    'text',
    'format of the KV cache (default: the model’s)',
    'KV Cache 格式（默认同模型）',
  ),
  row(
    'mtpTokens',
    'mtp',
    'N',
    'number',
    'speculative tokens of the MTP modules (default 0)',
    'MTP 推测 token 数（默认 0）',
  ),
  row(
    'memoryFraction',
    'memory-fraction',
    'RATIO',
    'number',
    'NPU_MEMORY_FRACTION (default 0.8)',
    'NPU_MEMORY_FRACTION（默认 0.8）',
  ),
  row(
    'gpuMemoryUtilization',
    'gpu-memory-utilization',
    'RATIO',
    'number',
    'for vLLM (default 0.9)',
    '用于 vLLM（默认 0.9）',
  ),
  row(
    'goal',
    'goal',
    'GOAL',
    'text',
    'throughput, decode-limit or ttft-limit',
    'throughput、decode-limit 或 ttft-limit',
  ),
  row('decodeLimitMs', 'decode-limit', 'TIME', 'ms', 'TPOT to keep within: 50ms', 'TPOT 上限：50ms'),
  row('ttftLimitMs', 'ttft-limit', 'TIME', 'ms', 'TTFT to keep within: 2s', 'TTFT 上限：2s'),
  row(
    'measuredPrefillMs',
    'measured-ttft',
    'TIME',
    'ms',
    'measured mean prefill, for select-batch',
    '实测平均首 token 时延，用于 select-batch',
  ),
  row(
    'measuredDecodeMs',
    'measured-decode',
    'TIME',
    'ms',
    'measured mean decode step, for select-batch',
    '实测平均解码时延，用于 select-batch',
  ),
  row(
    'pricePerHour',
    'price-per-hour',
    'PRICE',
    'number',
    'of all cards together, for cost per million tokens',
    '全部卡每小时总价，用于计算每百万 token 成本',
  ),
  row(
    'swap',
    'swap',
    null,
    'switch',
    'let a full server swap requests out to host memory',
    '显存满时允许把请求换出到主机内存',
  ),
];

/** The same as flags of a command. */
export function flagsOfCapacity(): Flag[] {
  return capacityFlags.map(({ name, value, help }) => ({ name, value, help }));
}

/** The question as given on the command line; texts that are no number are collected as mistakes. */
export function askedOf(given: ParsedCommand, mistakes: Mistake[]): PlanAsked {
  const asked: Record<string, unknown> = {};
  for (const { key, name, kind } of capacityFlags) {
    const text = given.flags.get(name)?.at(-1);
    if (text === undefined) continue;
    const value = kind === 'text' ? text : kind === 'switch' ? true : kind === 'ms' ? msOf(text) : numberOf(text);
    if (value === null) mistakes.push(notANumber(name, text, kind));
    else asked[key] = value;
  }
  return asked as PlanAsked;
}

/** Whether anything was said that a plan needs: a model or a card. */
export function namesARig(given: ParsedCommand): boolean {
  return ['model', 'model-config', 'card', 'card-memory-gib'].some((name) => given.flags.has(name));
}

function numberOf(text: string): number | null {
  const trimmed = text.trim();
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? Number(trimmed) : null;
}

function msOf(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (match === null) return null;
  return Number(match[1]) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[(match[2] ?? 's') as 'ms' | 's' | 'm' | 'h'];
}

function notANumber(name: string, text: string, kind: Kind): Mistake {
  const shown = text.slice(0, 40);
  return {
    code: 'bad-value',
    message:
      kind === 'ms'
        ? { en: `"${shown}" is not a duration`, zh: `"${shown}" 不是有效的时长` }
        : { en: `"${shown}" is not a number`, zh: `"${shown}" 不是数值` },
    hint:
      kind === 'ms'
        ? { en: 'Write 50ms or 2s; a bare number is seconds.', zh: '请写 50ms 或 2s；只写数字表示秒。' }
        : { en: 'Write digits, with a point for fractions.', zh: '请写数字，小数用点。' },
    place: { flag: `--${name}` },
  };
}
