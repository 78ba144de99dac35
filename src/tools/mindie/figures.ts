import { quantile } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import { servedOf, sumOf } from '../served.ts';
import type { Served } from '../served.ts';

/** What only the client knows of a request: prompt tokens by the tokenizer, and how long encoding and decoding took. */
export interface ClientFacts {
  inputTokens: number;
  tokenizerMs: number;
  detokenizerMs: number;
}

/** One request in MindIE Benchmark's terms; times in ms, waits in µs. */
export interface MindieRequest {
  seq: number;
  firstTokenMs: number | null;
  /** Gaps after the first token, one per token. */
  decodeMs: number[];
  generateMs: number;
  inputTokens: number;
  generatedTokens: number;
  characters: number;
  client: ClientFacts;
  prefillBatch: number | null;
  decodeBatch: number[];
  queueWaitUs: number[];
  startMs: number;
  endMs: number;
}

/** A row of the performance table before it is written: a sample, or the few cells that have a meaning. */
export interface MindieRow {
  name: string;
  unit: '' | ' ms' | ' token/s' | ' μs';
  values: readonly number[];
  /** p90 of something else, or null for a cell that older builds leave out. */
  sloP90?: number | null;
  /** A single figure instead of a sample. */
  only?: number;
}

/** The ok requests of a run. Tokens are the server's where it streams its own count (Triton), else the number of chunks. */
export function mindieRequests(
  exchanges: readonly Exchange[],
  serverCounts: boolean,
  clientOf: (exchange: Exchange) => ClientFacts,
): MindieRequest[] {
  const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
  return servedOf(exchanges).map((one) => {
    const exchange = bySeq.get(one.seq)!;
    const steps = exchange.serverSteps;
    // An answer in one piece has only the times that the server tells of it.
    const [first = null, ...rest] = (one.ttftMs === null ? steps?.timesMs : undefined) ?? [];
    return {
      seq: one.seq,
      firstTokenMs: one.ttftMs ?? first,
      decodeMs: one.ttftMs === null ? rest : one.gapsMs,
      generateMs: one.latencyMs,
      inputTokens: clientOf(exchange).inputTokens,
      generatedTokens: tokensOf(one, serverCounts),
      characters: one.outputChars,
      client: clientOf(exchange),
      prefillBatch: steps?.batchSize[0] ?? null,
      decodeBatch: steps?.batchSize.slice(1) ?? [],
      queueWaitUs: (steps?.queueWaitMs ?? []).map((ms) => Math.round(ms * 1000)),
      startMs: one.startMs,
      endMs: one.endMs,
    };
  });
}

function tokensOf(one: Served, serverCounts: boolean): number {
  const chunks = one.ttftMs === null ? null : one.events;
  return (serverCounts ? (one.outputTokens ?? chunks) : (chunks ?? one.outputTokens)) ?? 0;
}

/** The rows of the performance table, in its order and by its definitions. */
export function mindieRows(requests: readonly MindieRequest[]): MindieRow[] {
  const each = (of: (request: MindieRequest) => number | null): number[] =>
    requests.flatMap((request) => {
      const value = of(request);
      return value === null ? [] : [value];
    });
  const zeros = [0];
  const means = each(({ decodeMs }) =>
    decodeMs.length === 0 ? null : sumOf(decodeMs, (gap) => gap) / decodeMs.length,
  );
  const tokens = sumOf(requests, (request) => request.generatedTokens);
  return [
    { name: 'FirstTokenTime', unit: ' ms', values: each((request) => request.firstTokenMs) },
    {
      name: 'DecodeTime',
      unit: ' ms',
      values: requests.flatMap((request) => request.decodeMs),
      // Of each request's own mean: the only figure here that is a time per output token.
      sloP90: quantile(ascending(means), 0.9),
    },
    { name: 'LastDecodeTime', unit: ' ms', values: each(({ decodeMs }) => decodeMs.at(-1) ?? 0) },
    {
      name: 'MaxDecodeTime',
      unit: ' ms',
      values: each(({ decodeMs }) => (decodeMs.some((gap) => gap > 0) ? Math.max(...decodeMs) : null)),
    },
    { name: 'GenerateTime', unit: ' ms', values: each((request) => request.generateMs) },
    { name: 'InputTokens', unit: '', values: each((request) => request.inputTokens) },
    { name: 'GeneratedTokens', unit: '', values: each((request) => request.generatedTokens) },
    {
      name: 'GeneratedTokenSpeed',
      unit: ' token/s',
      values: each(({ generatedTokens, generateMs }) => (generatedTokens / generateMs) * 1000),
    },
    { name: 'GeneratedCharacters', unit: '', values: each((request) => request.characters) },
    { name: 'Tokenizer', unit: ' ms', values: each((request) => request.client.tokenizerMs) },
    { name: 'Detokenizer', unit: ' ms', values: each((request) => request.client.detokenizerMs) },
    {
      name: 'CharactersPerToken',
      unit: '',
      values: [],
      only: tokens === 0 ? 0 : sumOf(requests, (request) => request.characters) / tokens,
    },
    // Only ever filled from a log on the server's disk.
    { name: 'PostProcessingTime', unit: ' ms', values: zeros },
    { name: 'ForwardTime', unit: ' ms', values: zeros },
    { name: 'PrefillBatchsize', unit: '', values: compressed(each((request) => request.prefillBatch)) },
    {
      name: 'DecoderBatchsize',
      unit: '',
      values: compressed(requests.flatMap((request) => request.decodeBatch)),
      sloP90: null,
    },
    { name: 'QueueWaitTime', unit: ' μs', values: requests.flatMap((request) => request.queueWaitUs), sloP90: null },
  ];
}

/** Batch sizes told by every member of a batch, made into one entry per batch: X times the value X is one. */
export function compressed(values: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].flatMap(([value, count]) =>
    Array.from({ length: Math.ceil(count / Math.max(1, value)) }, () => value),
  );
}

export function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
