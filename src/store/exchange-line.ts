import type { AnswerText, Chunks, Exchange, TokenCounts } from '../core/index.ts';
import { parseJson } from './json-file.ts';
import { LineBytes } from './line-bytes.ts';
import { answerSchema, exchangeSchema } from './schema/index.ts';

const bytes = new LineBytes();
const none = '{}';

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
  bytes.ascii('{"seq":');
  bytes.number(x.seq);
  bytes.ascii(',"promptId":');
  bytes.string(x.promptId);
  bytes.ascii(',"labels":');
  bytes.text(isEmpty(x.labels) ? none : JSON.stringify(x.labels));
  bytes.ascii(x.warmup ? ',"warmup":true,"dueMs":' : ',"warmup":false,"dueMs":');
  bytes.time(x.dueMs);
  bytes.ascii(',"sentMs":');
  bytes.time(x.sentMs);
  bytes.ascii(',"connectMs":');
  bytes.time(x.connectMs);
  bytes.ascii(',"firstByteMs":');
  bytes.time(x.firstByteMs);
  addChunks(x.chunks);
  bytes.ascii(',"endMs":');
  bytes.time(x.endMs);
  addCounts(',"inputTokens":', x.inputTokens);
  addCounts(',"outputTokens":', x.outputTokens);
  addNumber(',"cachedTokens":', x.cachedTokens);
  addNumber(',"reasoningTokens":', x.reasoningTokens);
  addNumber(',"inputChars":', x.inputChars);
  addNumber(',"outputChars":', x.outputChars);
  bytes.ascii(',"finish":');
  if (x.finish === null) bytes.ascii('null');
  else bytes.string(x.finish);
  addNumber(',"httpStatus":', x.httpStatus);
  addNumber(',"attempts":', x.attempts);
  if (x.serverSteps !== undefined) bytes.text(`,"serverSteps":${JSON.stringify(x.serverSteps)}`);
  if (x.serverTimes !== undefined) bytes.text(`,"serverTimes":${JSON.stringify(x.serverTimes)}`);
  bytes.ascii(',"outcome":');
  bytes.string(x.outcome);
  bytes.ascii(',"problem":');
  bytes.text(x.problem === null ? 'null' : JSON.stringify(x.problem));
  bytes.ascii('}');
  return bytes.line();
}

function addNumber(name: string, value: number | null): void {
  bytes.ascii(name);
  bytes.number(value);
}

function addChunks(chunks: Chunks): void {
  bytes.ascii(',"chunks":{"atMs":[');
  addTimes(chunks.atMs);
  bytes.ascii('],"tokens":[');
  for (let i = 0; i < chunks.tokens.length; i++) {
    if (i > 0) bytes.ascii(',');
    bytes.number(chunks.tokens[i]!);
  }
  bytes.ascii('],"kinds":');
  bytes.string(chunks.kinds);
  if (chunks.emittedMs !== undefined) {
    bytes.ascii(',"emittedMs":[');
    addTimes(chunks.emittedMs);
    bytes.ascii(']');
  }
  bytes.ascii('}');
}

function addTimes(times: readonly number[]): void {
  for (let i = 0; i < times.length; i++) {
    if (i > 0) bytes.ascii(',');
    bytes.time(times[i]!);
  }
}

function addCounts(name: string, { planned, server, client }: TokenCounts): void {
  bytes.ascii(name);
  addNumber('{"planned":', planned);
  addNumber(',"server":', server);
  addNumber(',"client":', client);
  bytes.ascii('}');
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
