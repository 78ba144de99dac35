import { jsonIn, membersOf, userError, UserError } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import { inputTokensOf, outputTokensOf } from '../../core/index.ts';
import { TraceFieldReader } from './trace-fields.ts';
import type { TraceFields } from './trace-fields.ts';

/** One request as a client saw it; times in ms, arrivals on one clock. */
export interface TracedRequest {
  arrivalMs: number;
  promptTokens: number;
  outputTokens: number;
  ttftMs: number;
  /** (latency − ttft) / (output tokens − 1); null for answers of one token. */
  tpotMs: number | null;
  latencyMs: number;
  /** When tokens came, on the clock of arrivalMs, and how many at each moment; absent = only the first and the last are known. */
  tokens?: { atMs: readonly number[]; counts: readonly number[] };
}

const mostLines = 2_000_000;
/** Milliseconds since 1970 are less for some centuries; no model reads or writes more tokens at once. */
const most = { ms: 1e13, tokens: 1e7 };

/** What a trace holds: the requests that were answered, in order of arrival, and how many were not. */
export interface ReadTrace {
  requests: TracedRequest[];
  unanswered: number;
  /** What times without a unit in their name were taken for; null = there were none. */
  assumedUnit: 'ms' | 's' | null;
}

/** Lines that are looked at to tell the unit of times that have none. */
const lookedAt = 500;
/** Last tokens may come this much before the first by rounding: a share, and ms. */
const rounding = { share: 1e-3, ms: 0.1 };

/**
 * Reads a request trace: one JSON object per line (or one list of them) with the keys of TracedRequest, or what other programs call them
 * (trace-fields.ts), in any order, other keys ignored. Of first token, whole time and time per token two are enough. A line
 * whose first token or whole time is null, or that has no output tokens, is a request without an answer. A UserError names the
 * first wrong line.
 */
export function readTrace(text: string, file: string): ReadTrace {
  const reader = new TraceFieldReader();
  const lines = linesOf(text.replace(/^\uFEFF/, ''), file);
  const assumedUnit = unitOf(lines, reader);
  const bareMs = assumedUnit === 's' ? 1000 : 1;
  const requests: TracedRequest[] = [];
  let unanswered = 0;
  lines.forEach((line, i) => {
    if (isBlank(line)) return;
    const value = typeof line === 'string' ? parsed(line) : line;
    if (value === undefined) throw badLine(file, i + 1, 'not JSON', '不是 JSON');
    const request = readRow(reader.read(membersOf(value), bareMs), file, i + 1);
    if (request === null) unanswered++;
    else requests.push(request);
  });
  if (requests.length < 20) throw badLine(file, Math.max(1, lines.length), 'fewer than 20 requests', '请求数少于 20');
  return { requests: requests.toSorted((x, y) => x.arrivalMs - y.arrivalMs), unanswered, assumedUnit };
}

/** The lines, as text; or, where the whole is one list, its entries. */
function linesOf(text: string, file: string): readonly unknown[] {
  const list = /^\s*\[/.test(text) ? parsed(text) : null;
  const lines = Array.isArray(list) ? (list as unknown[]) : text.split('\n');
  if (lines.length > mostLines) throw badLine(file, mostLines, 'too many lines', '行数过多');
  return lines;
}

function isBlank(line: unknown): boolean {
  return typeof line === 'string' && line.trim() === '';
}

/** JSON, also with the NaN and Infinity that Python writes for what is not there; undefined = not JSON. */
function parsed(text: string): unknown {
  const plain = jsonIn(text);
  return plain === undefined ? jsonIn(text.replaceAll(/([:,[]\s*)-?(?:NaN|Infinity)(?=\s*[,}\]])/g, '$1null')) : plain;
}

/** No engine makes a token in less than a millisecond, and none takes a second for most: the usual time per token tells the unit. */
function unitOf(lines: readonly unknown[], reader: TraceFieldReader): ReadTrace['assumedUnit'] {
  const looked = lines.slice(0, lookedAt).map((line) => membersOf(typeof line === 'string' ? parsed(line) : line));
  const bare = looked.filter((row) => reader.hasBareTimes(row));
  if (bare.length === 0) return null;
  const perToken = bare.flatMap((row) => {
    const { ttftMs, tpotMs, latencyMs, outputTokens } = withoutMoments(reader.read(row, 1));
    if (ttftMs == null || latencyMs == null) return tpotMs ?? [];
    return outputTokens == null || outputTokens < 2 ? [] : (latencyMs - ttftMs) / (outputTokens - 1);
  });
  const middle = perToken.toSorted((x, y) => x - y)[perToken.length >> 1] ?? 0;
  return middle < 1 ? 's' : 'ms';
}

/** Clocks that are further apart than this (ms, more than a day) do not tell the same time. */
const otherClock = 1e8;

/**
 * What moments say of the times, where those are not told. A server's clock need not be that of the arrival: then the request came when it was queued. Without a moment of
 * its first or last token (vLLM writes 0 then) it has no answer.
 */
function withoutMoments(told: TraceFields): TraceFields {
  const { queuedMs, firstMs, lastMs, ...fields } = told;
  const times = [fields.ttftMs, fields.tpotMs, fields.latencyMs].filter((ms) => ms !== undefined);
  if (firstMs === undefined || lastMs === undefined || times.length >= 2) return fields;
  if (!firstMs || !lastMs) return { ...fields, ttftMs: null };
  const sameClock = fields.arrivalMs != null && Math.abs(firstMs - fields.arrivalMs) < otherClock;
  const arrivalMs = sameClock ? fields.arrivalMs! : queuedMs;
  if (arrivalMs == null) return fields;
  return { ttftMs: firstMs - arrivalMs, latencyMs: lastMs - arrivalMs, ...fields, arrivalMs };
}

function readRow(row: TraceFields, file: string, line: number): TracedRequest | null {
  const fields = withoutMoments(row);
  const amount = (key: keyof TraceFields, least: number): number => {
    const found = fields[key];
    const limit = key === 'promptTokens' || key === 'outputTokens' ? most.tokens : most.ms;
    if (typeof found === 'number' && found >= least && Math.abs(found) <= limit) return found;
    const [en, zh] = Number.isFinite(least)
      ? [`from ${least} to ${limit}`, `介于 ${least} 与 ${limit} 之间的`]
      : ['that is a time', '表示时间的'];
    throw badLine(file, line, `${key} must be a number ${en}`, `${key} 必须是${zh}数字`);
  };
  if (fields.ttftMs === null || fields.latencyMs === null || fields.outputTokens === 0) return null;
  // Without the time per token neither of the others can be made up.
  if (fields.tpotMs == null) for (const key of ['ttftMs', 'latencyMs'] as const) amount(key, 0);
  const outputTokens = Math.round(amount('outputTokens', 1));
  const decodeMs = fields.tpotMs == null ? null : fields.tpotMs * (outputTokens - 1);
  if (fields.ttftMs === undefined && fields.latencyMs !== undefined && decodeMs !== null) {
    fields.ttftMs = Math.max(0, fields.latencyMs - decodeMs);
  }
  const ttftMs = amount('ttftMs', 0);
  if (fields.latencyMs === undefined && decodeMs !== null) fields.latencyMs = ttftMs + decodeMs;
  const told = amount('latencyMs', 0);
  if (ttftMs > told * (1 + rounding.share) + rounding.ms) {
    throw badLine(file, line, 'ttftMs is larger than latencyMs', 'ttftMs 大于 latencyMs');
  }
  const latencyMs = Math.max(told, ttftMs);
  return {
    arrivalMs: amount('arrivalMs', -Infinity),
    promptTokens: Math.round(amount('promptTokens', 1)),
    outputTokens,
    ttftMs,
    tpotMs: outputTokens > 1 ? (latencyMs - ttftMs) / (outputTokens - 1) : null,
    latencyMs,
  };
}

/** The same out of exchanges of a streamed run; those that did not end well or lack counts are left out. */
export function traceOfExchanges(exchanges: readonly Exchange[]): TracedRequest[] {
  const requests = exchanges.flatMap((exchange): TracedRequest[] => {
    const { sentMs, endMs, outcome, warmup, chunks } = exchange;
    const [promptTokens, outputTokens] = [inputTokensOf(exchange), outputTokensOf(exchange)];
    const firstMs = chunks.atMs[0];
    if (outcome !== 'ok' || warmup || sentMs === null || firstMs === undefined) return [];
    if (promptTokens === null || outputTokens === null || promptTokens < 1 || outputTokens < 1) return [];
    const [ttftMs, latencyMs] = [firstMs - sentMs, endMs - sentMs];
    const tpotMs = outputTokens > 1 ? (latencyMs - ttftMs) / (outputTokens - 1) : null;
    const request = { arrivalMs: sentMs, promptTokens, outputTokens, ttftMs, tpotMs, latencyMs };
    const counted = chunks.tokens.reduce((sum, tokens) => sum + tokens, 0) === outputTokens;
    return [counted ? { ...request, tokens: { atMs: chunks.atMs, counts: chunks.tokens } } : request];
  });
  return requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
}

function badLine(file: string, line: number, en: string, zh: string): UserError {
  return userError(
    'bad-request-trace',
    `request trace: ${en}`,
    `请求记录：${zh}`,
    'One JSON object per line with arrivalMs, promptTokens, outputTokens, ttftMs, tpotMs, latencyMs.',
    '每行一个 JSON 对象，含 arrivalMs、promptTokens、outputTokens、ttftMs、tpotMs、latencyMs。',
    { file, line },
  );
}
