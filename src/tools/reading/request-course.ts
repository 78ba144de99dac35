import { problem } from '../../core/index.ts';
import type { Exchange, ProblemCode, Summary } from '../../core/index.ts';
import { FlowBook, SilenceBook } from '../../results/measure/index.ts';

/** When one request of a foreign file was sent, heard and over, in ms on any clock that all of them share. */
export interface RequestTimes {
  sentMs: number;
  /** Each time something was heard; empty = the file does not say. */
  heardMs: readonly number[];
  endMs: number;
  /** null = it was answered. */
  failure: ProblemCode | null;
  /** How many tokens went in and came out; absent = the file does not say. */
  tokens?: { input: number; output: number };
}

/**
 * Whether the server kept up and whether it fell silent, out of the times of single requests: by the rules for runs of ours.
 * The file knows no due times, so what its client kept back is not seen.
 */
export function courseOf(
  requests: readonly RequestTimes[],
  kind: 'open' | 'closed',
): Pick<Summary, 'flow' | 'silences'> {
  if (requests.length === 0) return {};
  const zeroMs = requests.reduce((least, { sentMs }) => Math.min(least, sentMs), Infinity);
  const [flow, silence] = [new FlowBook(), new SilenceBook()];
  for (const [seq, request] of requests.entries()) {
    const exchange = exchangeOf(seq, request, zeroMs);
    flow.saw(exchange);
    silence.saw(exchange);
  }
  const silences = silence.read();
  return { flow: flow.read({ kind }), ...(silences.length > 0 && { silences }) };
}

function exchangeOf(seq: number, { sentMs, heardMs, endMs, failure }: RequestTimes, zeroMs: number): Exchange {
  const atMs = heardMs.map((ms) => ms - zeroMs);
  const unknown = { planned: null, server: null, client: null };
  return {
    seq,
    promptId: '',
    labels: {},
    warmup: false,
    dueMs: sentMs - zeroMs,
    sentMs: sentMs - zeroMs,
    connectMs: null,
    firstByteMs: atMs[0] ?? null,
    chunks: { atMs, tokens: atMs.map(() => 1), kinds: 'a'.repeat(atMs.length) },
    endMs: endMs - zeroMs,
    inputTokens: unknown,
    outputTokens: unknown,
    cachedTokens: null,
    reasoningTokens: null,
    inputChars: 0,
    outputChars: 0,
    finish: null,
    httpStatus: null,
    attempts: 1,
    outcome: failure === null ? 'ok' : 'failed',
    problem: failure === null ? null : problem(failure),
  };
}

/** The cause that a tool's words for a failure name; what they do not name is an error inside the answer. */
export function failureOf(words: string): ProblemCode {
  if (/connection refused|connect call failed|cannot connect|ConnectError/i.test(words)) return 'connect-refused';
  if (/time(d)?\s?out/i.test(words)) return 'timeout-total';
  if (/reset by peer|disconnected|payload is not completed/i.test(words)) return 'reset';
  return 'in-stream-error';
}
