import type { Exchange, Outcome, Problem } from '../../core/index.ts';

/** The record of an ask that came due, or was planned, and never left. */
export function unsentExchange(
  ask: Pick<Exchange, 'seq' | 'warmup' | 'dueMs'>,
  nowMs: number,
  outcome: Outcome,
  why: Problem,
): Exchange {
  return {
    seq: ask.seq,
    promptId: '',
    labels: {},
    warmup: ask.warmup,
    dueMs: ask.dueMs,
    sentMs: null,
    connectMs: null,
    firstByteMs: null,
    chunks: { atMs: [], tokens: [], kinds: '' },
    endMs: nowMs,
    inputTokens: { planned: null, server: null, client: null },
    outputTokens: { planned: null, server: null, client: null },
    cachedTokens: null,
    reasoningTokens: null,
    inputChars: 0,
    outputChars: 0,
    finish: null,
    httpStatus: null,
    attempts: 0,
    outcome,
    problem: why,
  };
}
