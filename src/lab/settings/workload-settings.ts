import { lengthLaw } from './length-setting.ts';
import { someText, wholeNumber, positiveDurationMs } from './readers.ts';
import { flag, one } from './setting.ts';
import type { Setting } from './setting.ts';
import { userError } from '../../core/index.ts';
import type { ThinkLaw } from '../../core/index.ts';

/** What is asked: the settings of prompts and answers. They are part of planSettings. */
export const workloadSettings = {
  dataset: one(
    'dataset KIND:FILE',
    someText,
    'prompts: openqa:FILE, lines:FILE, sharegpt:FILE, random … (`dyno dataset list`); default: builtin:questions',
    '提示词：openqa:文件、lines:文件、sharegpt:文件、random 等（见 `dyno dataset list`）；默认 builtin:questions',
  ),
  field: one(
    'field NAME',
    someText,
    'field of a JSONL line that holds the prompt (default: question)',
    'JSONL 中存放提示词的字段（默认：question）',
  ),
  shuffle: flag(
    'shuffle',
    'mix the order of the prompts, the same for the same seed',
    '打乱提示词顺序，相同种子顺序相同',
  ),
  inputTokens: one(
    'input-tokens LENGTHS',
    lengthLaw,
    'prompt lengths: 512, 100..500, normal(512,64), lognormal(512,256); random text unless --dataset says otherwise',
    '提示词长度：512、100..500、normal(512,64)、lognormal(512,256)；未指定 --dataset 时为随机文本',
  ),
  outputTokens: one(
    'output-tokens LENGTHS',
    lengthLaw,
    'answer lengths, written the same way; sets max_tokens per request and ignore_eos, so that they hold',
    '回答长度，写法相同；逐请求设置 max_tokens 和 ignore_eos 以保证长度',
  ),
  tokenizer: one(
    'tokenizer DIR',
    someText,
    "folder of the model's tokenizer.json: exact lengths before, token counts after the run where the server gives none",
    '模型 tokenizer.json 所在目录：运行前生成精确长度，运行后在服务器未返回 usage 时统计 token',
  ),
  contextTokens: one(
    'context-tokens COUNT',
    wholeNumber(1),
    'most tokens the model takes; longer prompts are refused before the run',
    '模型最大上下文 token 数；更长的提示词在运行前报错',
  ),
  template: one(
    'template TEXT',
    someText,
    'of --dataset continuation: text with {text} and {output}',
    '用于 --dataset continuation：含 {text} 和 {output} 的模板',
  ),
  sessions: flag(
    'sessions',
    'open loop of conversations: --rate or --ramp says when they begin, their turns follow the answers after --think-time',
    '会话开环：--rate 或 --ramp 决定会话何时开始，后续轮次在回答并经过 --think-time 后发出',
  ),
  thinkTime: one(
    'think-time TIME',
    thinkLaw,
    'pause of the user between the turns of a conversation: 5s, 2s..8s, exponential(5s)',
    '多轮对话中用户两轮之间的停顿：5s、2s..8s、exponential(5s)',
  ),
  keepReasoning: flag(
    'keep-reasoning',
    'leave reasoning text in the history of conversations',
    '多轮对话历史中保留推理文本',
  ),
  samePrompts: flag(
    'same-prompts',
    'ask the same prompts in every point of a sweep, and the same random text as every run that says so (caches may help later ones)',
    '每个测试点使用相同的提示词，随机文本与所有带此选项的运行相同（缓存可能影响后面的点）',
  ),
  promptSeed: one(
    'prompt-seed NUMBER',
    wholeNumber(0, 2 ** 31),
    'seed of made prompts alone (default: --seed where it is typed, else new in every run; 1 with --same-prompts)',
    '仅用于生成提示词的种子（默认：已写 --seed 则相同，否则每次运行都换新；--same-prompts 时为 1）',
  ),
  flushCache: flag(
    'flush-cache',
    'empty the prefix cache of the server before every point (vLLM in development mode, SGLang); said where it cannot be',
    '每个测试点前清空服务器的前缀缓存（开发模式的 vLLM、SGLang）；无法清空时会提示',
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** `5s`, `2s..8s` or `exponential(5s)`. */
function thinkLaw(text: string): ThinkLaw {
  const trimmed = text.trim();
  const mean = /^exponential\(([^()]+)\)$/.exec(trimmed)?.[1];
  if (mean !== undefined) return { law: 'exponential', meanMs: positiveDurationMs(mean) };
  const [low, high, ...rest] = trimmed.split('..');
  if (high === undefined) return { law: 'fixed', ms: positiveDurationMs(trimmed) };
  const [minMs, maxMs] = [positiveDurationMs(low!), positiveDurationMs(high)];
  if (rest.length === 0 && minMs <= maxMs) return { law: 'uniform', minMs, maxMs };
  throw userError(
    'bad-value',
    `"${text}" is no think time`,
    `"${text}" 不是有效的思考时间`,
    'Write 5s, 2s..8s or exponential(5s).',
    '请写 5s、2s..8s 或 exponential(5s)。',
  );
}
