import { lengthLaw } from './length-words.ts';
import { someText, wholeNumber, positiveDurationMs } from './readers.ts';
import { flag, one, BadValue } from './setting.ts';
import type { Setting } from './setting.ts';
import type { ThinkLaw } from '../../core/index.ts';

/** What is asked: the settings of prompts and answers. They are part of planSettings. */
export const workloadWords = {
  dataset: one(
    {
      name: 'dataset',
      value: 'KIND:FILE',
      help: {
        en: 'prompts: openqa:FILE, lines:FILE, sharegpt:FILE, random … (`dyno dataset list`); default: builtin:questions',
        zh: '提示词：openqa:文件、lines:文件、sharegpt:文件、random 等（见 `dyno dataset list`）；默认 builtin:questions',
      },
    },
    someText,
  ),
  field: one(
    {
      name: 'field',
      value: 'NAME',
      help: {
        en: 'field of a JSONL line that holds the prompt (default: question)',
        zh: 'JSONL 中存放提示词的字段（默认：question）',
      },
    },
    someText,
  ),
  shuffle: flag({
    name: 'shuffle',
    help: { en: 'mix the order of the prompts, the same for the same seed', zh: '打乱提示词顺序，相同种子顺序相同' },
  }),
  inputTokens: one(
    {
      name: 'input-tokens',
      value: 'LENGTHS',
      help: {
        en: 'prompt lengths: 512, 100..500, normal(512,64), lognormal(512,256); random text unless --dataset says otherwise',
        zh: '提示词长度：512、100..500、normal(512,64)、lognormal(512,256)；未指定 --dataset 时为随机文本',
      },
    },
    lengthLaw,
  ),
  outputTokens: one(
    {
      name: 'output-tokens',
      value: 'LENGTHS',
      help: {
        en: 'answer lengths, written the same way; sets max_tokens per request and ignore_eos, so that they hold',
        zh: '回答长度，写法相同；逐请求设置 max_tokens 和 ignore_eos 以保证长度',
      },
    },
    lengthLaw,
  ),
  tokenizer: one(
    {
      name: 'tokenizer',
      value: 'DIR',
      help: {
        en: "folder of the model's tokenizer.json: exact lengths before, token counts after the run where the server gives none",
        zh: '模型 tokenizer.json 所在目录：运行前生成精确长度，运行后在服务器未返回 usage 时统计 token',
      },
    },
    someText,
  ),
  contextTokens: one(
    {
      name: 'context-tokens',
      value: 'COUNT',
      help: {
        en: 'most tokens the model takes; longer prompts are refused before the run',
        zh: '模型最大上下文 token 数；更长的提示词在运行前报错',
      },
    },
    wholeNumber(1),
  ),
  template: one(
    {
      name: 'template',
      value: 'TEXT',
      help: {
        en: 'of --dataset continuation: text with {text} and {output}',
        zh: '用于 --dataset continuation：含 {text} 和 {output} 的模板',
      },
    },
    someText,
  ),
  sessions: flag({
    name: 'sessions',
    help: {
      en: 'open loop of conversations: --rate or --ramp says when they begin, their turns follow the answers after --think-time',
      zh: '会话开环：--rate 或 --ramp 决定会话何时开始，后续轮次在回答并经过 --think-time 后发出',
    },
  }),
  thinkTime: one(
    {
      name: 'think-time',
      value: 'TIME',
      help: {
        en: 'pause of the user between the turns of a conversation: 5s, 2s..8s, exponential(5s)',
        zh: '多轮对话中用户两轮之间的停顿：5s、2s..8s、exponential(5s)',
      },
    },
    thinkLaw,
  ),
  keepReasoning: flag({
    name: 'keep-reasoning',
    help: { en: 'leave reasoning text in the history of conversations', zh: '多轮对话历史中保留推理文本' },
  }),
  samePrompts: flag({
    name: 'same-prompts',
    help: {
      en: 'ask the same prompts in every point of a sweep, and the same random text as every run that says so (caches may help later ones)',
      zh: '每个测试点使用相同的提示词，随机文本与所有带此选项的运行相同（缓存可能影响后面的点）',
    },
  }),
  promptSeed: one(
    {
      name: 'prompt-seed',
      value: 'NUMBER',
      help: {
        en: 'seed of made prompts alone (default: --seed where it is typed, else new in every run; 1 with --same-prompts)',
        zh: '仅用于生成提示词的种子（默认：已写 --seed 则相同，否则每次运行都换新；--same-prompts 时为 1）',
      },
    },
    wholeNumber(0, 2 ** 31),
  ),
  flushCache: flag({
    name: 'flush-cache',
    help: {
      en: 'empty the prefix cache of the server before every point (vLLM in development mode, SGLang); said where it cannot be',
      zh: '每个测试点前清空服务器的前缀缓存（开发模式的 vLLM、SGLang）；无法清空时会提示',
    },
  }),
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
  throw new BadValue(
    { en: `"${text}" is no think time`, zh: `"${text}" 不是有效的思考时间` },
    { en: 'Write 5s, 2s..8s or exponential(5s).', zh: '请写 5s、2s..8s 或 exponential(5s)。' },
  );
}
