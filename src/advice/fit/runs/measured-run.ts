import type { Exchange, RunPlan } from '../../../core/index.ts';
import { inputTokensOf, outputTokensOf } from '../../../core/index.ts';
import type { EngineProfile, SettingValue } from '../../../engine/sim/index.ts';

/** A request of a measured run: what it asked, and what its client saw. */
export interface RunRequest {
  /** When it was sent, from the first of the run on. */
  sentMs: number;
  promptTokens: number;
  /** Of those, found in the prefix cache. */
  cachedTokens: number;
  outputTokens: number;
  /** From its sending on. */
  headersMs: number | null;
  ttftMs: number;
  latencyMs: number;
  /** Between reads that brought a token each. */
  gapsMs: readonly number[];
}

/** What the server said of a run by its own counters, its warm-up included. */
export interface ServerSight {
  /** From an answer's first token to its last, for each token, and from a request's first step to its first token, as the engine saw it. */
  tpotMs: number | null;
  prefillMs: number | null;
  /** Processor time of the process that serves HTTP. */
  cpuMs: number | null;
  /** Steps of the engine. */
  steps: number | null;
}

/** What the server of a run had of its own, where servers of one fit were started differently. */
export interface RunEngine {
  /** Settings of its scheduler, laid over those of the fit. */
  settings: Readonly<Record<string, SettingValue>>;
  kv: EngineProfile['kv'];
}

/** A run with what each of its requests did, as a fit reads it. */
export interface MeasuredRun {
  name: string;
  /** So many in flight; null = they were sent at the times they have. */
  concurrency: number | null;
  /** In the order of sending; those that ended well. */
  requests: RunRequest[];
  /** What was asked before, in no figure. */
  warmup: RunRequest[];
  /** Each place of the warm-up was taken as it fell free; else the server was idle in between. */
  handsOver: boolean;
  server: ServerSight | null;
  /** Absent = its server was started as the fit says. */
  engine?: RunEngine;
  /** Of a played one: how long steps waited for the front, as a multiple of what their tokens took it; absent = not known, or there is none. */
  frontBacklogRatio?: number;
}

/** The run that these exchanges are; null = nothing streamed ended well in it. */
export function measuredRun(
  name: string,
  load: RunPlan['load'],
  exchanges: readonly Exchange[],
  server: ServerSight | null,
): MeasuredRun | null {
  const [warmup, requests] = [true, false].map((before) =>
    requestsOf(exchanges.filter((one) => one.warmup === before)),
  );
  if (requests!.length === 0) return null;
  const concurrency = load.kind === 'closed' ? load.concurrency : null;
  const lastMs = exchanges.reduce(
    (last, { warmup: before, endMs }) => (before ? Math.max(last, endMs) : last),
    -Infinity,
  );
  const handsOver = concurrency !== null && exchanges.some(({ warmup: before, sentMs }) => !before && sentMs! < lastMs);
  return { name, concurrency, requests: requests!, warmup: warmup!, handsOver, server };
}

function requestsOf(exchanges: readonly Exchange[]): RunRequest[] {
  const startMs = exchanges.reduce((first, { sentMs }) => Math.min(first, sentMs ?? Infinity), Infinity);
  return exchanges.flatMap((exchange) => requestOf(exchange, startMs)).toSorted((a, b) => a.sentMs - b.sentMs);
}

function requestOf(exchange: Exchange, startMs: number): RunRequest[] {
  const { sentMs, endMs, firstByteMs, outcome, chunks, cachedTokens } = exchange;
  const [promptTokens, outputTokens] = [inputTokensOf(exchange), outputTokensOf(exchange)];
  const firstMs = chunks.atMs[0];
  if (outcome !== 'ok' || sentMs === null || firstMs === undefined || !promptTokens || !outputTokens) return [];
  return [
    {
      sentMs: sentMs - startMs,
      promptTokens,
      cachedTokens: cachedTokens ?? 0,
      outputTokens,
      headersMs: firstByteMs === null ? null : firstByteMs - sentMs,
      ttftMs: firstMs - sentMs,
      latencyMs: endMs - sentMs,
      gapsMs: chunks.atMs.slice(1).map((atMs, i) => atMs - chunks.atMs[i]!),
    },
  ];
}
