import { isMostlyCjk } from './token-estimate.ts';

/** Each word stands for one token; an English one carries its leading space as a model's would. */
const english = (
  'the engine turns each question into small steps and counts every one of them with care while other requests wait ' +
  'their turn a longer answer takes more time than a short one because words leave one after another when many ask at ' +
  'once they share the same work and nobody is served quite as fast measure first then change only what you can explain ' +
  'good numbers come from clean runs steady load honest clocks and patient people'
).split(' ');

const chinese = (
  '引擎 把 每个 问题 变成 许多 小 步骤 并且 仔细 记录 它们 的 时间 其他 请求 在 队列 里 等待 较长 回答 需要 更多 计算 因为 文字 ' +
  '一个 接 一个 地 输出 当 很多 人 同时 提问 大家 共享 同一 批次 速度 会 慢 一些 先 测量 再 调整 可以 解释 参数 可靠 数据 来自 ' +
  '干净 实验 稳定 负载 准确 时钟 和 耐心'
).split(' ');

/** Tokens in a sentence, its full stop included, and where in it the comma stands. */
const sentenceTokens = 13;
const commaAt = 6;

/** The text of the n-th token of the answer called `key`, the same every time. */
export function answerWord(key: number, index: number, inChinese: boolean): string {
  const place = index % sentenceTokens;
  if (place === sentenceTokens - 1) return inChinese ? '。' : '.';
  if (place === commaAt) return inChinese ? '，' : ',';
  const words = inChinese ? chinese : english;
  const word = words[mix(key, index) % words.length]!;
  if (inChinese) return word;
  const cased = place === 0 ? word[0]!.toUpperCase() + word.slice(1) : word;
  return index === 0 ? cased : ` ${cased}`;
}

/** The first so many tokens of the answer called `key` to what was asked. */
export function answerText(key: number, tokens: number, asked: string): string {
  const inChinese = isMostlyCjk(asked);
  let text = '';
  for (let index = 0; index < tokens; index++) text += answerWord(key, index, inChinese);
  return text;
}

/** A number that stands for a text (FNV-1a). */
export function textKey(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
}

function mix(key: number, index: number): number {
  let x = (key + Math.imul(index + 1, 0x9e3779b9)) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
