import { outputTokensOf } from '../../core/index.ts';
import type { Chunks, Exchange } from '../../core/index.ts';

/** The reads of one exchange that carried output, one entry per moment, with the tokens that came in each. */
export interface TokenReads {
  atMs: readonly number[];
  /** May be fractional: the counts of the reads are scaled so that they add up to the exchange's output tokens. */
  tokens: readonly number[];
}

/**
 * The reads of an exchange: entries with the same time (two kinds in one read) are one read, and where the whole
 * answer's token count is known and differs from the sum over the reads, every read is scaled by the same factor.
 */
export function tokenReads(exchange: Exchange): TokenReads {
  const { atMs, tokens } = ownMoments(exchange.chunks) ? exchange.chunks : joined(exchange.chunks);
  const whole = outputTokensOf(exchange);
  let total = 0;
  for (let i = 0; i < tokens.length; i++) total += tokens[i]!;
  if (whole === null || whole <= 0 || total <= 0 || whole === total) return { atMs, tokens };
  return { atMs, tokens: tokens.map((count) => (count * whole) / total) };
}

/** Whether every entry is a read of its own, as nearly always: then its lists are taken as they are. */
function ownMoments({ atMs, tokens }: Chunks): boolean {
  if (tokens.length !== atMs.length) return false;
  for (let i = 1; i < atMs.length; i++) if (!(atMs[i]! > atMs[i - 1]!)) return false;
  return true;
}

function joined(chunks: Chunks): TokenReads {
  const atMs: number[] = [];
  const tokens: number[] = [];
  for (let i = 0; i < chunks.atMs.length; i++) {
    const last = atMs.length - 1;
    if (last >= 0 && chunks.atMs[i]! <= atMs[last]!) tokens[last]! += chunks.tokens[i] ?? 0;
    else {
      atMs.push(chunks.atMs[i]!);
      tokens.push(chunks.tokens[i] ?? 0);
    }
  }
  return { atMs, tokens };
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
