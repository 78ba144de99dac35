import type { AnswerText, Chunks, Exchange, TokenCounts } from '../../core/index.ts';
import { parseJson } from './json-file.ts';
import { LineBytes } from './line-bytes.ts';
import { answerSchema, exchangeSchema } from './schema/index.ts';

const bytes = new LineBytes();
/** What stands between the values of a line, as bytes. */
const words = {
  seq: Buffer.from('{"seq":'),
  promptId: Buffer.from(',"promptId":'),
  labels: Buffer.from(',"labels":'),
  none: Buffer.from('{}'),
  warm: Buffer.from(',"warmup":true,"dueMs":'),
  measured: Buffer.from(',"warmup":false,"dueMs":'),
  sentMs: Buffer.from(',"sentMs":'),
  connectMs: Buffer.from(',"connectMs":'),
  firstByteMs: Buffer.from(',"firstByteMs":'),
  endMs: Buffer.from(',"endMs":'),
  inputTokens: Buffer.from(',"inputTokens":'),
  outputTokens: Buffer.from(',"outputTokens":'),
  cachedTokens: Buffer.from(',"cachedTokens":'),
  reasoningTokens: Buffer.from(',"reasoningTokens":'),
  inputChars: Buffer.from(',"inputChars":'),
  outputChars: Buffer.from(',"outputChars":'),
  finish: Buffer.from(',"finish":'),
  unknown: Buffer.from('null'),
  httpStatus: Buffer.from(',"httpStatus":'),
  attempts: Buffer.from(',"attempts":'),
  outcome: Buffer.from(',"outcome":'),
  problem: Buffer.from(',"problem":'),
  close: Buffer.from('}'),
  atMs: Buffer.from(',"chunks":{"atMs":['),
  tokens: Buffer.from('],"tokens":['),
  comma: Buffer.from(','),
  kinds: Buffer.from('],"kinds":'),
  emittedMs: Buffer.from(',"emittedMs":['),
  end: Buffer.from(']'),
  planned: Buffer.from('{"planned":'),
  server: Buffer.from(',"server":'),
  client: Buffer.from(',"client":'),
  text: Buffer.from(',"text":'),
  reasoning: Buffer.from(',"reasoning":'),
};

/** One exchange as a line of exchanges.ndjson, without the newline. Times are rounded to a microsecond. */
export function encodeExchange(exchange: Exchange): string {
  return Buffer.from(exchangeBytes(exchange)).toString();
}

/**
 * The same as bytes, only lent until the next one is asked for.
 * Written by hand: with a generic serialiser this line cost more than receiving a short answer.
 */
export function exchangeBytes(x: Exchange): Uint8Array {
  bytes.begin();
  bytes.word(words.seq);
  bytes.number(x.seq);
  bytes.word(words.promptId);
  bytes.string(x.promptId);
  bytes.word(words.labels);
  if (isEmpty(x.labels)) bytes.word(words.none);
  else bytes.text(JSON.stringify(x.labels));
  bytes.word(x.warmup ? words.warm : words.measured);
  bytes.time(x.dueMs);
  bytes.word(words.sentMs);
  bytes.time(x.sentMs);
  bytes.word(words.connectMs);
  bytes.time(x.connectMs);
  bytes.word(words.firstByteMs);
  bytes.time(x.firstByteMs);
  addChunks(x.chunks);
  bytes.word(words.endMs);
  bytes.time(x.endMs);
  addCounts(words.inputTokens, x.inputTokens);
  addCounts(words.outputTokens, x.outputTokens);
  addNumber(words.cachedTokens, x.cachedTokens);
  addNumber(words.reasoningTokens, x.reasoningTokens);
  addNumber(words.inputChars, x.inputChars);
  addNumber(words.outputChars, x.outputChars);
  bytes.word(words.finish);
  if (x.finish === null) bytes.word(words.unknown);
  else bytes.string(x.finish);
  addNumber(words.httpStatus, x.httpStatus);
  addNumber(words.attempts, x.attempts);
  if (x.serverSteps !== undefined) bytes.text(`,"serverSteps":${JSON.stringify(x.serverSteps)}`);
  if (x.serverTimes !== undefined) bytes.text(`,"serverTimes":${JSON.stringify(x.serverTimes)}`);
  bytes.word(words.outcome);
  bytes.string(x.outcome);
  bytes.word(words.problem);
  if (x.problem === null) bytes.word(words.unknown);
  else bytes.text(JSON.stringify(x.problem));
  bytes.word(words.close);
  return bytes.line();
}

/** One answer as a line of answers.ndjson, as bytes that are only lent until the next line is asked for. */
export function answerBytes({ seq, text, reasoning }: AnswerText): Uint8Array {
  bytes.begin();
  bytes.word(words.seq);
  bytes.number(seq);
  bytes.word(words.text);
  bytes.string(text);
  bytes.word(words.reasoning);
  bytes.string(reasoning);
  bytes.word(words.close);
  return bytes.line();
}

function addNumber(name: Uint8Array, value: number | null): void {
  bytes.word(name);
  bytes.number(value);
}

function addChunks(chunks: Chunks): void {
  bytes.word(words.atMs);
  addTimes(chunks.atMs);
  bytes.word(words.tokens);
  for (let i = 0; i < chunks.tokens.length; i++) {
    if (i > 0) bytes.word(words.comma);
    bytes.number(chunks.tokens[i]!);
  }
  bytes.word(words.kinds);
  bytes.string(chunks.kinds);
  if (chunks.emittedMs !== undefined) {
    bytes.word(words.emittedMs);
    addTimes(chunks.emittedMs);
    bytes.word(words.end);
  }
  bytes.word(words.close);
}

function addTimes(times: readonly number[]): void {
  for (let i = 0; i < times.length; i++) {
    if (i > 0) bytes.word(words.comma);
    bytes.time(times[i]!);
  }
}

function addCounts(name: Uint8Array, { planned, server, client }: TokenCounts): void {
  bytes.word(name);
  addNumber(words.planned, planned);
  addNumber(words.server, server);
  addNumber(words.client, client);
  bytes.word(words.close);
}

function isEmpty(labels: Readonly<Record<string, string>>): boolean {
  for (const name in labels) if (Object.hasOwn(labels, name)) return false;
  return true;
}

/** The exchange of a line; a line that is none is told as a reason. */
export function decodeExchange(line: string): { exchange: Exchange } | { why: string } {
  const value = decode(line, exchangeSchema);
  if ('why' in value) return value;
  const { chunks } = value.data;
  if (chunks.atMs.length !== chunks.tokens.length || chunks.atMs.length !== chunks.kinds.length)
    return { why: 'chunks: atMs, tokens and kinds differ in length' };
  return { exchange: value.data };
}

/** The answer of a line of answers.ndjson. */
export function decodeAnswer(line: string): { answer: AnswerText } | { why: string } {
  const value = decode(line, answerSchema);
  return 'why' in value ? value : { answer: value.data };
}

function decode<T>(
  line: string,
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false; error: Failure } },
): { data: T } | { why: string } {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return { why: 'not JSON' };
  }
  const checked = schema.safeParse(value);
  if (checked.success) return { data: checked.data };
  const [issue] = checked.error.issues;
  return { why: `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}` };
}

interface Failure {
  issues: { path: PropertyKey[]; message: string }[];
}
