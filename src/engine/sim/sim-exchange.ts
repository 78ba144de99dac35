import type { Answer, Ended, Exchange, Outcome, Problem, Prompt, RunPlan } from '../../core/index.ts';
import { outputKindLetters } from '../../core/index.ts';
import { inputCharsOf } from '../../inputs/workload/index.ts';
import type { Turn } from '../../inputs/arrival/index.ts';
import { promptKeys } from './prefix-keys.ts';
import type { PromptKeys } from './prefix-keys.ts';
import { answerText, textKey } from './answer-words.ts';
import { drawOutputTokens, estimateChars, estimateTokens, textOfPrompt, wishedTokens } from './token-estimate.ts';

/** An ask in the virtual run, from the moment it was sent or known never to be. */
export interface Flight {
  seq: number;
  /** null = it was never sent, so no prompt was taken for it. */
  prompt: Prompt | null;
  /** Stands for what it asks. */
  key: number;
  warmup: boolean;
  stream: boolean;
  dueMs: number;
  /** null = never sent. */
  sentMs: number | null;
  /** When the headers of its answer left a front that tokenised it first; null = there is none, or not yet. */
  headersMs: number | null;
  inputTokens: number;
  outputTokens: number;
  /** Whether the answer was cut by its limit. */
  atLimit: boolean;
  /** The server refuses it at this moment; null = it does not. */
  refusedAtMs: number | null;
  /** When each token so far came out. */
  tokenAtMs: number[];
  /** Prompt tokens that the engine found in its prefix cache; null = it did not look, or the answer is not whole. */
  cachedTokens: number | null;
  ended: boolean;
  /** The turn of a conversation that it is; null = it stands by itself. */
  turn: Turn | null;
}

/** A prompt on its way under a plan, with the lengths that it will have. */
export function sentFlight(
  plan: RunPlan,
  prompt: Prompt,
  when: { seq: number; warmup: boolean; dueMs: number; sentMs: number; turn: Turn | null },
): Flight {
  const { stream, minTokens, ignoreEos } = plan.generation;
  const maxTokens = prompt.maxTokens ?? plan.generation.maxTokens;
  const text = textOfPrompt(prompt);
  const limits = { maxTokens, minTokens, ignoreEos, wishedTokens: wishedTokens(text) };
  const key = textKey(text);
  const outputTokens = drawOutputTokens(plan.seed, key, limits);
  return {
    ...when,
    headersMs: null,
    prompt,
    key,
    stream,
    inputTokens: Math.max(1, prompt.inputTokens ?? estimateTokens(text)),
    outputTokens,
    atLimit: outputTokens === maxTokens,
    refusedAtMs: null,
    tokenAtMs: [],
    cachedTokens: null,
    ended: false,
  };
}

/** An ask that never left. */
export function unsentFlight(seq: number, warmup: boolean, dueMs: number): Flight {
  return {
    seq,
    warmup,
    dueMs,
    sentMs: null,
    headersMs: null,
    prompt: null,
    key: 0,
    turn: null,
    stream: false,
    inputTokens: 0,
    outputTokens: 0,
    atLimit: false,
    refusedAtMs: null,
    tokenAtMs: [],
    cachedTokens: null,
    ended: false,
  };
}

/** The record of a flight that is over since `nowMs`. */
export function endedFlight(flight: Flight, nowMs: number, outcome: Outcome, problem: Problem | null): Ended {
  const { prompt, sentMs } = flight;
  const ok = outcome === 'ok';
  const generated = flight.tokenAtMs.length;
  // Unstreamed, the client sees nothing before the end, and then no single token.
  const seen = flight.stream ? flight.tokenAtMs : [];
  // A stream's headers come at once, or with its prompt tokenised.
  const headersMs = flight.stream ? (flight.headersMs ?? sentMs) : ok ? nowMs : null;
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
    firstByteMs: flight.refusedAtMs === null ? headersMs : nowMs,
    chunks: {
      atMs: seen,
      tokens: Array.from<number>({ length: seen.length }).fill(1),
      kinds: outputKindLetters.answer.repeat(seen.length),
    },
    endMs: nowMs,
    inputTokens: { planned: prompt?.inputTokens ?? null, server: ok ? flight.inputTokens : null, client: null },
    outputTokens: { planned: prompt?.maxTokens ?? null, server: ok ? generated : null, client: null },
    cachedTokens: flight.cachedTokens,
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

/** What the prefix cache of an engine with such blocks has to know of a flight. */
export function keysOf({ prompt, key, inputTokens, outputTokens }: Flight, blockSize: number): PromptKeys {
  const text = prompt === null ? '' : textOfPrompt(prompt);
  return promptKeys(text, inputTokens, blockSize, () => ({
    text: answerText(key, outputTokens, text),
    tokens: outputTokens,
  }));
}

/** What the simulated server said, for the history of a conversation. */
export function answerOf({ prompt, key, tokenAtMs }: Flight): Answer {
  const asked = prompt === null ? '' : textOfPrompt(prompt);
  return { text: answerText(key, tokenAtMs.length, asked), reasoning: '', outputTokens: tokenAtMs.length };
}
