import type { AsMeasured } from '../src/tools/measured.ts';
import type { Exchange } from '../src/core/index.ts';

/** A request sent at `sent` whose events come at the times given; the last one is its end. */
export function exchange(seq: number, sent: number, at: number[], more: Partial<Exchange> = {}): Exchange {
  return {
    seq,
    promptId: `p${seq}`,
    labels: {},
    warmup: false,
    dueMs: sent,
    sentMs: sent,
    connectMs: null,
    firstByteMs: at[0] ?? null,
    chunks: { atMs: at, tokens: at.map(() => 1), kinds: 'a'.repeat(at.length) },
    endMs: at.at(-1) ?? sent,
    inputTokens: { planned: 10, server: 10, client: null },
    outputTokens: { planned: at.length, server: at.length, client: null },
    cachedTokens: null,
    reasoningTokens: null,
    inputChars: 40,
    outputChars: 4 * at.length,
    finish: 'stop',
    httpStatus: 200,
    attempts: 1,
    outcome: 'ok',
    problem: null,
    ...more,
  };
}

/** What a run of these exchanges amounts to, as far as the dialects look. */
export function measured(exchanges: Exchange[], durationMs: number, stream = true): AsMeasured {
  const ok = exchanges.filter(({ outcome }) => outcome === 'ok').length;
  return {
    plan: { load: { concurrency: 2, ratePerSec: null }, generation: { stream }, requests: exchanges.length } as never,
    summary: {
      durationMs,
      counts: { planned: exchanges.length, ok, failed: exchanges.length - ok, cancelled: 0 },
    } as never,
    exchanges,
    dir: '',
  };
}
