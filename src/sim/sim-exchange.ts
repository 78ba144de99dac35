import type { Ended, Exchange, Outcome, Problem, Prompt } from '../core/index.ts';
import { outputKindLetters } from '../core/index.ts';
import { inputCharsOf } from '../workload/index.ts';
import { estimateChars, textOfPrompt } from './token-estimate.ts';

/** An ask in the virtual run, from the moment it came due. */
export interface Flight {
  seq: number;
  /** null = it was never read, because the run stopped before its turn. */
  prompt: Prompt | null;
  warmup: boolean;
  stream: boolean;
  dueMs: number;
  /** null = not yet sent. */
  sentMs: number | null;
  inputTokens: number;
  outputTokens: number;
  /** Whether the answer was cut by its limit. */
  atLimit: boolean;
  /** The server refuses it at this moment; null = it does not. */
  refusedAtMs: number | null;
  /** When each token so far came out. */
  tokenAtMs: number[];
  ended: boolean;
}

/** The record of a flight that is over. */
export function endedFlight(flight: Flight, endMs: number, outcome: Outcome, problem: Problem | null): Ended {
  const { prompt, tokenAtMs, sentMs } = flight;
  const ok = outcome === 'ok';
  const generated = tokenAtMs.length;
  // Unstreamed, the client sees nothing before the end, and then no single token.
  const seen = flight.stream ? tokenAtMs : [];
  // A stream's headers come at once.
  const headersMs = flight.stream ? sentMs : ok ? endMs : null;
  const status = sentMs === null ? null : (problem?.status ?? (headersMs === null ? null : 200));
  const heard = flight.stream || ok ? generated : 0;
  const exchange: Exchange = {
    seq: flight.seq,
    promptId: prompt?.id ?? '',
    labels: prompt?.labels ?? {},
    warmup: flight.warmup,
    dueMs: flight.dueMs,
    sentMs,
    connectMs: null,
    firstByteMs: flight.refusedAtMs === null ? headersMs : endMs,
    chunks: {
      atMs: seen,
      tokens: seen.map(() => 1),
      kinds: outputKindLetters.answer.repeat(seen.length),
    },
    endMs,
    inputTokens: { planned: prompt?.inputTokens ?? null, server: ok ? flight.inputTokens : null, client: null },
    outputTokens: { planned: prompt?.maxTokens ?? null, server: ok ? generated : null, client: null },
    cachedTokens: null,
    reasoningTokens: null,
    inputChars: prompt === null ? 0 : inputCharsOf(prompt),
    outputChars: prompt === null || heard === 0 ? 0 : estimateChars(heard, textOfPrompt(prompt)),
    finish: ok ? (flight.atLimit ? 'length' : 'stop') : null,
    httpStatus: status,
    attempts: sentMs === null ? 0 : 1,
    outcome,
    problem,
  };
  return { exchange, answer: null };
}
