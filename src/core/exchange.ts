import type { Problem } from './problem.ts';

/** How a request ended. Exactly one for each planned request. */
export type Outcome = 'ok' | 'failed' | 'cancelled' | 'dropped';

/** Three different facts about one count; null = nobody said. */
export interface TokenCounts {
  /** What the workload meant it to be. */
  planned: number | null;
  /** What the server's usage says. */
  server: number | null;
  /** What a local tokenizer counted. */
  client: number | null;
}

/** What a piece of output was: answer text, reasoning text, or a tool call. */
export type OutputKind = 'answer' | 'reasoning' | 'tool';

/** Letters of OutputKind as they stand in Chunks.kinds. */
export const outputKindLetters = { answer: 'a', reasoning: 'r', tool: 't' } as const satisfies Record<
  OutputKind,
  string
>;

/**
 * The socket reads that carried output, in order. A read that carried two kinds has two entries with the same time.
 * `tokens` is what the server said for that read, or the number of output events in it where it did not say.
 */
export interface Chunks {
  atMs: number[];
  tokens: number[];
  /** One letter of outputKindLetters per entry. */
  kinds: string;
  /** When a stamped server says it emitted the first output of the entry, on the run's clock; absent = no stamps. */
  emittedMs?: number[];
}

/** What a server that tells its steps said of this request (MindIE): one entry per output token. */
export interface ServerSteps {
  batchSize: number[];
  queueWaitMs: number[];
  /** How long each token took by the server's clock, the first one first; absent = it did not say. */
  timesMs?: number[];
}

/**
 * What a server that times its requests said of this one, by its own clock (vLLM's per-request metrics, SGLang's
 * meta_info); null = it did not say.
 */
export interface ServerTimes {
  /** In its queue, before the work began. */
  queueMs: number | null;
  /** From the beginning of the work to the first token. */
  prefillMs: number | null;
  /** From the first token to the last. */
  decodeMs: number | null;
  /** From taking the request in to the end of the answer. */
  totalMs: number | null;
}

/**
 * The one record of a request: facts only, nothing that can be computed from it.
 * All times are float ms on the run's monotonic clock, whose zero is plan.json's monotonicOriginNs.
 */
export interface Exchange {
  /** Measured asks count up from 0, warm-up asks down from −1. */
  seq: number;
  promptId: string;
  /** session, turn, stage, endpoint, worker … whatever groups requests. */
  labels: Readonly<Record<string, string>>;
  /** Sent before measuring began; kept on disk, left out of every figure. */
  warmup: boolean;
  /** When the pacer wanted it. */
  dueMs: number;
  /** Handed to the socket (a new connection is made after this moment, so connecting counts as latency); null = never left. */
  sentMs: number | null;
  /** How long making a new connection took; null = an open one was reused, or none was made. */
  connectMs: number | null;
  /** First byte of the answer, headers included. */
  firstByteMs: number | null;
  chunks: Chunks;
  /** When the answer was complete, or the problem was noticed. */
  endMs: number;
  inputTokens: TokenCounts;
  outputTokens: TokenCounts;
  /** Input tokens the server took from its cache; null = it did not say. */
  cachedTokens: number | null;
  /** Output tokens the server spent on reasoning; null = it did not say. */
  reasoningTokens: number | null;
  inputChars: number;
  outputChars: number;
  /** Why the server stopped generating ("stop", "length" …); null = it did not say. */
  finish: string | null;
  httpStatus: number | null;
  /** Requests made for this ask: 1 unless a retry policy is on. 0 = never sent. */
  attempts: number;
  serverSteps?: ServerSteps;
  serverTimes?: ServerTimes;
  outcome: Outcome;
  problem: Problem | null;
}

/** What the server wrote, kept beside the exchange because it is large and hostile. */
export interface AnswerText {
  seq: number;
  text: string;
  reasoning: string;
}

/** An exchange and, where it was kept, the text of its answer. */
export interface Ended {
  exchange: Exchange;
  answer: AnswerText | null;
}

/** Output tokens of an exchange: the server's count, else the client's, else null. Never a number of chunks. */
export function outputTokensOf(exchange: Exchange): number | null {
  return exchange.outputTokens.server ?? exchange.outputTokens.client;
}

/** Input tokens of an exchange: the server's count, else the client's, else null. */
export function inputTokensOf(exchange: Exchange): number | null {
  return exchange.inputTokens.server ?? exchange.inputTokens.client;
}
