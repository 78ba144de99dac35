import { UserError } from '../core/index.ts';
import type { Exchange } from '../core/index.ts';
import { inputTokensOf, outputTokensOf } from '../core/index.ts';

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

/** What a trace holds: the requests that were answered, in order of arrival, and how many were not. */
export interface ReadTrace {
  requests: TracedRequest[];
  unanswered: number;
}

/**
 * Reads a request trace: one JSON object per line with the keys of TracedRequest, in any order, other keys ignored. A line
 * whose first token or whole time is null, or that has no output tokens, is a request without an answer. A UserError names the
 * first wrong line.
 */
export function readTrace(text: string, file: string): ReadTrace {
  const requests: TracedRequest[] = [];
  let unanswered = 0;
  const lines = text.split('\n');
  if (lines.length > mostLines) throw badLine(file, mostLines, 'too many lines', '行数过多');
  lines.forEach((line, i) => {
    if (line.trim() === '') return;
    const request = readLine(line, file, i + 1);
    if (request === null) unanswered++;
    else requests.push(request);
  });
  if (requests.length < 20) throw badLine(file, lines.length, 'fewer than 20 requests', '请求数少于 20');
  return { requests: requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs), unanswered };
}

function readLine(line: string, file: string, number: number): TracedRequest | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw badLine(file, number, 'not JSON', '不是 JSON');
  }
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const amount = (key: string, least: number): number => {
    const found = Object.hasOwn(fields, key) ? fields[key] : null;
    if (typeof found === 'number' && Number.isFinite(found) && found >= least) return found;
    throw badLine(file, number, `${key} must be a number of at least ${least}`, `${key} 必须是不小于 ${least} 的数字`);
  };
  if (fields['ttftMs'] === null || fields['latencyMs'] === null || fields['outputTokens'] === 0) return null;
  const [ttftMs, latencyMs] = [amount('ttftMs', 0), amount('latencyMs', 0)];
  if (ttftMs > latencyMs) throw badLine(file, number, 'ttftMs is larger than latencyMs', 'ttftMs 大于 latencyMs');
  const outputTokens = Math.round(amount('outputTokens', 1));
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
  return new UserError({
    code: 'bad-request-trace',
    message: { en: `request trace: ${en}`, zh: `请求记录：${zh}` },
    hint: {
      en: 'One JSON object per line with arrivalMs, promptTokens, outputTokens, ttftMs, tpotMs, latencyMs.',
      zh: '每行一个 JSON 对象，含 arrivalMs、promptTokens、outputTokens、ttftMs、tpotMs、latencyMs。',
    },
    place: { file, line },
  });
}
