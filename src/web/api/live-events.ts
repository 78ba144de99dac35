import type { RunState } from '../../core/index.ts';

/** A request that ended, as a live view takes it: seq, due, sent, first output, end (ms), output tokens, outcome, problem. */
export type LiveRow = [
  seq: number,
  dueMs: number,
  sentMs: number | null,
  firstOutputMs: number | null,
  endMs: number,
  outputTokens: number | null,
  /** Place in outcomeNames. */
  outcome: number,
  /** Place in problemNames, −1 = none. */
  problem: number,
];

/** What a run under way says of itself (live.json): counts, and when it said so. */
export interface LiveState extends RunState {
  warmup: boolean;
  /** What was asked of it, by whomever: to send no more, or to cancel what is in flight, too; null = nothing. */
  stopping: 'stop' | 'cancel' | null;
}

/** One sample of server or devices: a few named numbers at a moment of the run's clock. */
export interface LiveSample {
  atMs: number;
  values: Record<string, number>;
}

/** What the stream of live events carries, by the name of the event. */
export interface LiveEvents {
  /** A point begins: its run id, its place, its plan's load and how long it will be. */
  point: {
    run: string;
    number: number;
    planned: number | null;
    durationMs: number | null;
    concurrency: number | null;
    ratePerSec: number | null;
    startedAt: string;
  };
  rows: { run: string; rows: LiveRow[] };
  state: { run: string; state: LiveState };
  samples: { run: string; samples: LiveSample[] };
  /** All is over: the result can be opened. */
  end: { finished: boolean };
}
