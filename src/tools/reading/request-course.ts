import { distributionOf, problem, problems } from '../../core/index.ts';
import type { Exchange, ProblemCode, Silence, Summary } from '../../core/index.ts';
import { FlowBook, possibleCount, SilenceBook } from '../../results/measure/index.ts';

/** When one request of a foreign file was sent, heard and over, in ms on any clock that all of them share. */
export interface RequestTimes {
  sentMs: number;
  /** Each time something was heard; empty = the file does not say. */
  heardMs: readonly number[];
  /** When the last of the answer came, where the file tells only that and the first: nothing is known of the time between. */
  lastHeardMs?: number;
  endMs: number;
  /** null = it was answered; `cancelled` = its client let go of it. */
  failure: ProblemCode | null;
  /** How many tokens went in and came out; absent = the file does not say. */
  tokens?: { input: number; output: number };
  /** What the answer held beside the tokens that its server counted; absent = the file does not say, or its client counted. */
  held?: { chars: number; events: number };
}

/**
 * Whether the server kept up, whether it fell silent and whether its counts can be, out of single requests: by the rules for runs of
 * ours, and from when they were sent: what the client kept back is no doubt of the server.
 */
export function courseOf(
  requests: readonly RequestTimes[],
  kind: 'open' | 'closed',
): Pick<Summary, 'flow' | 'silences' | 'impossibleCounts' | 'textlessAnswers'> {
  if (requests.length === 0) return {};
  const zeroMs = requests.reduce((least, { sentMs }) => Math.min(least, sentMs), Infinity);
  const [flow, silence] = [new FlowBook(), new SilenceBook()];
  let [impossibleCounts, textlessAnswers] = [0, 0];
  for (const [seq, request] of requests.entries()) {
    const exchange = exchangeOf(seq, request, zeroMs);
    flow.saw(exchange);
    silence.saw(exchange);
    if (request.held === undefined || request.failure !== null) continue;
    if (!possibleCount(exchange)) impossibleCounts++;
    if (request.held.chars === 0 && (request.tokens?.output ?? 0) > 0) textlessAnswers++;
  }
  const silences = silence.read().filter(standsIn(requests, zeroMs));
  return {
    flow: flow.read({ kind }),
    ...(silences.length > 0 && { silences }),
    ...(impossibleCounts > 0 && { impossibleCounts }),
    ...(textlessAnswers > 0 && { textlessAnswers }),
  };
}

/** Streams of which only both ends are known must have taken so many times as long as others for their tokens. */
const slowed = 2;

/**
 * Whether a silence stands though of some streams only the first and the last output are known: it does where each of those that it lies
 * in was slower than the others are, because streams that went on meanwhile were as fast as ever.
 */
function standsIn(requests: readonly RequestTimes[], zeroMs: number): (silence: Silence) => boolean {
  const streams = requests.flatMap(({ heardMs, lastHeardMs, tokens }) => {
    const first = heardMs[0];
    if (lastHeardMs === undefined || first === undefined) return [];
    const perToken = tokens === undefined || tokens.output < 2 ? null : (lastHeardMs - first) / (tokens.output - 1);
    return [{ fromMs: first - zeroMs, toMs: lastHeardMs - zeroMs, perToken }];
  });
  const usual = distributionOf(streams.flatMap(({ perToken }) => perToken ?? []))?.p50 ?? null;
  return ({ fromMs, toMs }) =>
    streams
      .filter((stream) => stream.fromMs <= fromMs && stream.toMs >= toMs)
      .every(({ perToken }) => perToken !== null && usual !== null && perToken >= slowed * usual);
}

function exchangeOf(
  seq: number,
  { sentMs, heardMs, lastHeardMs, endMs, failure, tokens, held }: RequestTimes,
  zeroMs: number,
): Exchange {
  const atMs = [...heardMs, ...(lastHeardMs === undefined ? [] : [lastHeardMs])].map((ms) => ms - zeroMs);
  const unknown = { planned: null, server: null, client: null };
  const events = Math.max(0, (held?.events ?? atMs.length) - atMs.length);
  return {
    seq,
    promptId: '',
    labels: {},
    warmup: false,
    dueMs: sentMs - zeroMs,
    sentMs: sentMs - zeroMs,
    connectMs: null,
    firstByteMs: atMs[0] ?? null,
    chunks: { atMs, tokens: atMs.map((_, i) => (i === 0 ? 1 + events : 1)), kinds: 'a'.repeat(atMs.length) },
    endMs: endMs - zeroMs,
    inputTokens: unknown,
    outputTokens: held === undefined ? unknown : { ...unknown, server: tokens?.output ?? null },
    cachedTokens: null,
    reasoningTokens: null,
    inputChars: 0,
    outputChars: held?.chars ?? 0,
    finish: null,
    httpStatus: null,
    attempts: 1,
    outcome: failure === null ? 'ok' : failure === 'cancelled' ? 'cancelled' : 'failed',
    problem: failure === null ? null : problem(failure),
  };
}

/** The cause that a tool's words for a failure name, our own files' by its code; what they do not name is an error inside the answer. */
export function failureOf(words: string): ProblemCode {
  const code = words.slice(0, Math.max(0, words.indexOf(':')));
  if (Object.hasOwn(problems, code)) return code as ProblemCode;
  if (/connection refused|connect call failed|cannot connect|ConnectError/i.test(words)) return 'connect-refused';
  if (/time(d)?\s?out/i.test(words)) return 'timeout-total';
  if (/reset by peer|disconnected|payload is not completed/i.test(words)) return 'reset';
  return 'in-stream-error';
}
