import type { Exchange } from '../../core/index.ts';

/** The numbers that decide whether an answer can hold as many tokens as its server says. */
export const countLimits = {
  /** A token of text is at least one byte of it, and a character at most three (four for a pair of them). */
  bytesPerChar: 3,
  /** Tokens without text of their own come in events; so many may be merged into one. */
  tokensPerEvent: 8,
  /** Around tool calls, thoughts and the end of an answer stand tokens that nobody shows. */
  hidden: 32,
  /** From this share of the answers on the counts are no counts. */
  share: 0.01,
} as const;

/**
 * Whether an answer can hold as many output tokens as the server says, beside what was heard of it: its characters, and its
 * events. Tokens of hidden reasoning are excused where the server tells them. An answer of which no character and no
 * event was heard says nothing.
 */
export function possibleCount({
  outputTokens,
  reasoningTokens,
  chunks,
  outputChars,
}: Pick<Exchange, 'outputTokens' | 'reasoningTokens' | 'chunks' | 'outputChars'>): boolean {
  if (outputTokens.server === null) return true;
  let events = 0;
  for (const tokens of chunks.tokens) events += tokens;
  if (outputChars === 0 && events === 0) return true;
  const { bytesPerChar, tokensPerEvent, hidden } = countLimits;
  const most = bytesPerChar * outputChars + tokensPerEvent * events + hidden + (reasoningTokens ?? 0);
  return outputTokens.server <= most;
}
