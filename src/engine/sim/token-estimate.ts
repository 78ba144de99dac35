import type { Prompt } from '../../core/index.ts';
import { randomStream } from '../../core/index.ts';

/** Tokens per character: CJK text, and everything else. Rough figures of present-day vocabularies. */
export const tokensPerCjkChar = 0.7;
export const tokensPerOtherChar = 0.25;

/**
 * Lengths of answers that nobody limited: log-normal with mean exp(5.3 + 0.6²/2) ≈ 240 tokens, median 200,
 * about what chat models answer to the questions of HC3-Chinese.
 */
const answerLogMean = 5.3;
const answerLogSigma = 0.6;

/** The longest answer where nobody set a limit. */
export const defaultMaxOutputTokens = 2048;

/** Whether a UTF-16 code unit belongs to Chinese, Japanese or Korean text. */
export function isCjk(code: number): boolean {
  return code >= 0x2e80 && (code <= 0xd7ff || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xff00 && code <= 0xffef));
}

/** How many characters of a text are Chinese, Japanese or Korean. */
export function countCjk(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (isCjk(text.charCodeAt(i))) count++;
  return count;
}

/** Tokens that a text will take, estimated from its characters; at least 1. */
export function estimateTokens(text: string): number {
  const cjk = countCjk(text);
  return Math.max(1, Math.round(cjk * tokensPerCjkChar + (text.length - cjk) * tokensPerOtherChar));
}

/** Characters that so many tokens will take, in text of the same kind as `like`. */
export function estimateChars(tokens: number, like: string): number {
  return Math.round(tokens / (isMostlyCjk(like) ? tokensPerCjkChar : tokensPerOtherChar));
}

/** Whether a text is to be answered in Chinese: a quarter of its characters is enough, names and code being Latin. */
export function isMostlyCjk(text: string): boolean {
  return countCjk(text) * 4 > text.length;
}

/** All that the engine will read of a prompt, as one text. */
export function textOfPrompt(prompt: Pick<Prompt, 'messages' | 'text'>): string {
  if (prompt.messages.length === 0) return prompt.text ?? '';
  return prompt.messages.map((message) => textOfContent(message.content)).join('\n');
}

/** The text of a message's content; parts that hold no text count for nothing. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: unknown) => textOfPart(part)).join('');
}

function textOfPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null || !('text' in part)) return '';
  return typeof part.text === 'string' ? part.text : '';
}

/** Models write less than asked, the more so the more is asked: the longest answers are about this many tokens. */
const longestWritten = 700;
/** So much of a prompt's end may hold a wish. */
const wishChars = 160;
/** How far answers to a wish for a length lie from it. */
const wishLogSigma = 0.15;

/** The length that a prompt asks for in words at its end ("about 500 characters", "500 个字"), in tokens; null = none. */
export function wishedTokens(text: string): number | null {
  // A number that the cut may have halved is none.
  const end = text.length > wishChars ? text.slice(-wishChars).replace(/^\d+/, '') : text;
  const wish = /(\d{1,6})\s*(个?字|characters|words)/.exec(end);
  if (wish === null) return null;
  const each =
    wish[2] === 'words' ? 4 * tokensPerOtherChar : wish[2] === 'characters' ? tokensPerOtherChar : tokensPerCjkChar;
  const tokens = Number(wish[1]) * (wish[2] === 'characters' && isMostlyCjk(text) ? tokensPerCjkChar : each);
  return (tokens * longestWritten) / (tokens + longestWritten);
}

/** What is known of an answer's length before it is generated. */
export interface AnswerLimits {
  maxTokens: number | null;
  minTokens: number | null;
  ignoreEos: boolean;
  /** What the prompt asks for in words; absent or null = nothing. */
  wishedTokens?: number | null;
}

/**
 * How long the answer to the prompt that `key` stands for will be: the limit itself with ignoreEos, else a draw that
 * depends on (seed, key) alone, so that the same prompt is answered at the same length in every run.
 */
export function drawOutputTokens(seed: number, key: number, limits: AnswerLimits): number {
  const cap = Math.max(1, limits.maxTokens ?? defaultMaxOutputTokens);
  if (limits.ignoreEos) return cap;
  const chance = randomStream(seed, `answer length ${key}`).normal();
  const wished = limits.wishedTokens ?? null;
  const drawn =
    wished === null ? Math.exp(answerLogMean + answerLogSigma * chance) : wished * Math.exp(wishLogSigma * chance);
  return Math.min(cap, Math.max(1, limits.minTokens ?? 1, Math.round(drawn)));
}
