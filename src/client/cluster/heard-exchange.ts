import { isObject, problems } from '../../core/index.ts';
import type {
  AnswerText,
  Chunks,
  Ended,
  Exchange,
  Problem,
  ServerSteps,
  ServerTimes,
  TokenCounts,
} from '../../core/index.ts';
import { isFlag, isNumber, isNumbers, isText, objectOf, orAbsent, orNull } from './shape.ts';

const maybe = orNull(isNumber);
const counts = objectOf<TokenCounts>({ planned: maybe, server: maybe, client: maybe });
const outcomes = new Set<unknown>(['ok', 'failed', 'cancelled', 'dropped']);

const isChunks = objectOf<Chunks>({
  atMs: isNumbers,
  tokens: isNumbers,
  kinds: isText,
  emittedMs: orAbsent(isNumbers),
});

const isProblem = objectOf<Problem>({
  code: (code) => isText(code) && Object.hasOwn(problems, code),
  status: maybe,
  words: orNull(isText),
  retryAfterMs: orAbsent(isNumber),
});

const isExchange = objectOf<Exchange>({
  seq: Number.isSafeInteger,
  promptId: isText,
  labels: (labels) => isObject(labels) && Object.values(labels).every(isText),
  warmup: isFlag,
  dueMs: isNumber,
  sentMs: maybe,
  connectMs: maybe,
  firstByteMs: maybe,
  chunks: isChunks,
  endMs: isNumber,
  inputTokens: counts,
  outputTokens: counts,
  cachedTokens: maybe,
  reasoningTokens: maybe,
  inputChars: isNumber,
  outputChars: isNumber,
  finish: orNull(isText),
  httpStatus: maybe,
  attempts: isNumber,
  serverSteps: orAbsent(
    objectOf<ServerSteps>({ batchSize: isNumbers, queueWaitMs: isNumbers, timesMs: orAbsent(isNumbers) }),
  ),
  serverTimes: orAbsent(objectOf<ServerTimes>({ queueMs: maybe, prefillMs: maybe, decodeMs: maybe, totalMs: maybe })),
  outcome: (outcome) => outcomes.has(outcome),
  problem: orNull(isProblem),
});

/** Whether something is an exchange with its answer, whole enough to be counted and written down. */
export const isEnded = objectOf<Ended>({
  exchange: isExchange,
  answer: orNull(objectOf<AnswerText>({ seq: isNumber, text: isText, reasoning: isText })),
});
