import type { AnswerText, Chunks, Exchange } from '../core/index.ts';
import { parseJson } from './json-file.ts';
import { answerSchema, exchangeSchema } from './schema/index.ts';

/** Times on disk are rounded to a microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function roundedOrNull(ms: number | null): number | null {
  return ms === null ? null : rounded(ms);
}

function roundedChunks(chunks: Chunks): Chunks {
  const { atMs, emittedMs } = chunks;
  return { ...chunks, atMs: atMs.map(rounded), ...(emittedMs !== undefined && { emittedMs: emittedMs.map(rounded) }) };
}

/** One exchange as a line of exchanges.ndjson, without the newline. */
export function encodeExchange(exchange: Exchange): string {
  return JSON.stringify({
    ...exchange,
    dueMs: rounded(exchange.dueMs),
    sentMs: roundedOrNull(exchange.sentMs),
    connectMs: roundedOrNull(exchange.connectMs),
    firstByteMs: roundedOrNull(exchange.firstByteMs),
    chunks: roundedChunks(exchange.chunks),
    endMs: rounded(exchange.endMs),
  });
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
