import type { Ended, Exchange } from './exchange.ts';
import type { RunPlan } from './run-plan.ts';

/** What a stop rule may look at. */
export interface RunState {
  nowMs: number;
  /** Measured asks that came due, whatever became of them. */
  due: number;
  sent: number;
  inFlight: number;
  ok: number;
  failed: number;
}

/** Looks at the run after each exchange and says whether it should go on. */
export type StopRule = (state: RunState, last: Exchange) => 'go' | 'stop-sending' | 'cancel-all';

/** The two ways to stop a run from outside: send no more and drain, or cancel what is in flight too. */
export interface Stops {
  sending: AbortSignal;
  everything: AbortSignal;
}

/** What the client itself was doing; null = not known (a simulated client is never the limit). */
export interface ClientHealth {
  /** How late the event loop ran its timers. */
  loopDelayP50Ms: number | null;
  loopDelayP99Ms: number | null;
  loopDelayMaxMs: number | null;
  /** CPU seconds of this process per second of the run, over the cores it could use at once (1 = one core full). */
  cpuRatio: number | null;
  threads: number;
  connectionsOpened: number | null;
  connectionsReused: number | null;
  rssMaxBytes: number | null;
}

/**
 * Turns a plan into exchanges: one for each planned request, warm-up included, in the order they end.
 * Promises (test/contract/runner): nothing lost, nothing twice; times causal; the same seed gives the same asks;
 * stops.sending drains, stops.everything cancels, and what was planned but not sent comes out as cancelled.
 */
export type Runner = (plan: RunPlan, stops: Stops, rules: readonly StopRule[]) => AsyncIterable<Ended>;

/** A runner with what must be known about it: `load`, `sim` and `cluster` each make one. */
export interface RunnerKit {
  simulated: boolean;
  run: Runner;
  /** Zero of the exchanges' clock on this host's CLOCK_MONOTONIC, decimal nanoseconds; null for virtual time. */
  monotonicOriginNs: string | null;
  /** Read once the run is over. */
  health(): ClientHealth | null;
  /** Read at any moment, for progress and rules. */
  state(): RunState;
}
