import { outputTokensOf } from '../core/index.ts';
import type { Exchange } from '../core/index.ts';

/** The reads of one exchange that carried output, one entry per moment, with the tokens that came in each. */
export interface TokenReads {
  atMs: number[];
  /** May be fractional: the counts of the reads are scaled so that they add up to the exchange's output tokens. */
  tokens: number[];
}

/**
 * The reads of an exchange: entries with the same time (two kinds in one read) are one read, and where the whole
 * answer's token count is known and differs from the sum over the reads, every read is scaled by the same factor.
 */
export function tokenReads(exchange: Exchange): TokenReads {
  const { chunks } = exchange;
  const reads: TokenReads = { atMs: [], tokens: [] };
  let total = 0;
  for (let i = 0; i < chunks.atMs.length; i++) {
    const atMs = chunks.atMs[i]!;
    const tokens = chunks.tokens[i] ?? 0;
    const last = reads.atMs.length - 1;
    total += tokens;
    if (last >= 0 && atMs <= reads.atMs[last]!) reads.tokens[last]! += tokens;
    else {
      reads.atMs.push(atMs);
      reads.tokens.push(tokens);
    }
  }
  const whole = outputTokensOf(exchange);
  if (whole !== null && whole > 0 && total > 0 && whole !== total) {
    for (let i = 0; i < reads.tokens.length; i++) reads.tokens[i] = (reads.tokens[i]! * whole) / total;
  }
  return reads;
}

/**
 * The gaps between output tokens: a read with k tokens after a gap g stands for k gaps of g/k each, so it is visited
 * once with (g/k, k). The first read has no gap before it; a read that carried no token lengthens the next gap.
 * The sum of gap × weight is the time from the first read to the last one that carried a token.
 */
export function forEachTokenGap(
  reads: TokenReads,
  visit: (gapMs: number, weight: number, endMs: number) => void,
): void {
  let previousMs = reads.atMs[0];
  if (previousMs === undefined) return;
  for (let i = 1; i < reads.atMs.length; i++) {
    const atMs = reads.atMs[i]!;
    const tokens = reads.tokens[i]!;
    if (!(tokens > 0)) continue;
    visit((atMs - previousMs) / tokens, tokens, atMs);
    previousMs = atMs;
  }
}
