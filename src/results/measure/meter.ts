import { invariant } from '../../core/index.ts';
import type { Exchange, LoadShape, RunPlan } from '../../core/index.ts';
import { perSec } from './figures.ts';
import type { Shelf } from './column.ts';
import { addToState, emptyState, foldRows, mergeStates } from './meter-state.ts';
import type { MeterState } from './meter-state.ts';
import { readState } from './reading.ts';
import type { Reading } from './reading.ts';
import { parseSlo } from './slo.ts';
import { bucketMs } from './time-buckets.ts';

/** What a meter must know before the first exchange. */
export interface MeterOptions {
  load: Pick<LoadShape, 'kind' | 'concurrency'>;
  stream: boolean;
  /** As written; a word that is not understood is a UserError. */
  slo?: readonly string[];
  /** Gaps between tokens kept exactly; above it they are collapsed into a histogram. 2 million unless told. */
  exactGaps?: number;
  /** Requests kept one by one; above it they are folded into histograms. 1 million unless told. */
  exactRequests?: number;
  /** Where the values that are kept one by one wait for the end of the run; absent = in memory. */
  shelf?: Shelf | null;
}

/** A cheap look at a run in progress: constant time, whatever the number of requests. */
export interface RecentFigures {
  recorded: number;
  ok: number;
  failed: number;
  cancelled: number;
  dropped: number;
  /** Over the last five seconds that have ended, by the requests' ends. */
  recent: { requestsPerSec: number | null; outputTokensPerSec: number | null };
  /** Means over everything so far; null before the first. */
  latencyMs: number | null;
  ttftMs: number | null;
}

/** Reads exchanges as they come. Warm-up is left out of everything. */
export interface Meter {
  add(exchange: Exchange): void;
  /** Takes in all that another meter of the same run has seen. */
  merge(other: Meter): void;
  /** `planned` null or left out = as many as were recorded. */
  read(planned?: number | null): Reading;
  /** `nowMs` on the run's clock; left out = the last end seen. */
  peek(nowMs?: number): RecentFigures;
}

const defaultExactGaps = 2_000_000;
const defaultExactRequests = 1_000_000;
const recentMs = 5000;
const states = new WeakMap<Meter, MeterState>();

/** A meter that has seen nothing. */
export function makeMeter(options: MeterOptions): Meter {
  const state = emptyState(options.exactGaps ?? defaultExactGaps, options.shelf ?? null);
  const frame = { load: options.load, stream: options.stream, slos: (options.slo ?? []).map(parseSlo) };
  const exactRequests = options.exactRequests ?? defaultExactRequests;
  const bound = (): void => {
    if (state.table.sent.length > exactRequests) foldRows(state, frame.slos, options.stream);
  };
  const meter: Meter = {
    add(exchange) {
      if (exchange.warmup) return;
      addToState(state, exchange, options.stream);
      state.folded?.step();
      bound();
    },
    merge(other) {
      const theirs = states.get(other);
      invariant(theirs !== undefined && theirs !== state, 'a meter merges with another meter of makeMeter');
      mergeStates(state, theirs, frame.slos, options.stream);
      bound();
    },
    read: (planned = null) => readState(state, frame, planned),
    peek: (nowMs) => glanceAt(state, nowMs ?? state.lastEndMs),
  };
  states.set(meter, state);
  return meter;
}

/** The meter for a plan. */
export function meterFor(plan: Pick<RunPlan, 'load' | 'generation' | 'slo'>, shelf: Shelf | null = null): Meter {
  return makeMeter({ load: plan.load, stream: plan.generation.stream, slo: plan.slo, shelf });
}

function glanceAt(state: MeterState, nowMs: number): RecentFigures {
  const { ok, failed, cancelled, dropped } = state.counts;
  const toMs = Math.floor(nowMs / bucketMs) * bucketMs;
  const fromMs = Math.max(0, toMs - recentMs);
  const { latencyMs, ttftMs } = state.running;
  return {
    recorded: ok + failed + cancelled + dropped,
    ok,
    failed,
    cancelled,
    dropped,
    recent: {
      requestsPerSec: perSec(state.okEnds.between(fromMs, toMs), toMs - fromMs),
      outputTokensPerSec:
        state.outputSources.nobody > 0 ? null : perSec(state.okEndTokens.between(fromMs, toMs), toMs - fromMs),
    },
    latencyMs: latencyMs.n > 0 ? latencyMs.sum / latencyMs.n : null,
    ttftMs: ttftMs.n > 0 ? ttftMs.sum / ttftMs.n : null,
  };
}
