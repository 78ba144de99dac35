import type { AnswerText, Chunks, Exchange, TokenCounts } from '../core/index.ts';
import { parseJson } from './json-file.ts';
import { answerSchema, exchangeSchema } from './schema/index.ts';

/**
 * One exchange as a line of exchanges.ndjson, without the newline. Times are rounded to a microsecond.
 * Written by hand: with a generic serialiser this line cost more than receiving a short answer.
 */
export function encodeExchange(x: Exchange): string {
  return (
    `{"seq":${x.seq},"promptId":${JSON.stringify(x.promptId)},"labels":${JSON.stringify(x.labels)},"warmup":${x.warmup}` +
    `,"dueMs":${timeText(x.dueMs)},"sentMs":${timeText(x.sentMs)},"connectMs":${timeText(x.connectMs)}` +
    `,"firstByteMs":${timeText(x.firstByteMs)},"chunks":${chunksText(x.chunks)},"endMs":${timeText(x.endMs)}` +
    `,"inputTokens":${countsText(x.inputTokens)},"outputTokens":${countsText(x.outputTokens)}` +
    `,"cachedTokens":${x.cachedTokens},"reasoningTokens":${x.reasoningTokens}` +
    `,"inputChars":${x.inputChars},"outputChars":${x.outputChars},"finish":${JSON.stringify(x.finish)}` +
    `,"httpStatus":${x.httpStatus},"attempts":${x.attempts}` +
    (x.serverSteps === undefined ? '' : `,"serverSteps":${JSON.stringify(x.serverSteps)}`) +
    (x.serverTimes === undefined ? '' : `,"serverTimes":${JSON.stringify(x.serverTimes)}`) +
    `,"outcome":"${x.outcome}","problem":${x.problem === null ? 'null' : JSON.stringify(x.problem)}}`
  );
}

/** What stands behind the point for each number of microseconds. */
const fractions = Array.from({ length: 1000 }, (_, us) => (us === 0 ? '' : String(us / 1000).slice(1)));

/** A time to the microsecond. Put together from whole numbers: printing a fraction costs ten times as much. */
function timeText(ms: number | null): string {
  if (ms === null) return 'null';
  const us = Math.round(ms * 1000);
  if (!(us >= 0 && us <= Number.MAX_SAFE_INTEGER)) return String(us / 1000);
  const whole = Math.floor(us / 1000);
  return whole + fractions[us - whole * 1000]!;
}

function chunksText(chunks: Chunks): string {
  const emitted = chunks.emittedMs === undefined ? '' : `,"emittedMs":[${chunks.emittedMs.map(timeText).join(',')}]`;
  return `{"atMs":[${chunks.atMs.map(timeText).join(',')}],"tokens":[${chunks.tokens.join(',')}],"kinds":"${chunks.kinds}"${emitted}}`;
}

function countsText({ planned, server, client }: TokenCounts): string {
  return `{"planned":${planned},"server":${server},"client":${client}}`;
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
