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
  /** When bytes of any answer last came; null = none came yet, absent = the client does not tell. */
  heardMs?: number | null;
  /** Output tokens heard so far, warm-up included, as far as the server sends them one by one; absent = the client does not tell. */
  heardTokens?: number;
}

/** Looks at the run after each exchange and says whether it should go on. */
export type StopRule = (state: RunState, last: Exchange) => 'go' | 'stop-sending' | 'cancel-all';

/** The two ways to stop a run from outside: send no more and drain, or cancel what is in flight too. */
export interface StopSignals {
  drain: AbortSignal;
  cancel: AbortSignal;
}

/** What the client itself was doing; null = not known (a simulated client is never the limit). */
export interface ClientHealth {
  /** How late the event loop ran its timers. */
  loopDelayP50Ms: number | null;
  /** Absent = the run is older than this figure. */
  loopDelayP90Ms?: number | null;
  loopDelayP99Ms: number | null;
  loopDelayMaxMs: number | null;
  /** CPU seconds of this process per second of the run, over the cores it could use at once (1 = one core full). */
  cpuRatio: number | null;
  threads: number;
  connectionsOpened: number | null;
  connectionsReused: number | null;
  rssMaxBytes: number | null;
  /** CPU seconds per second of each load thread, waiting for due times left out; absent = not known. */
  cpuPerThread?: number[];
  /** Share of the time in which the busiest-waiting thread was ready and had no core to run on; absent = not known. */
  cpuWaitRatio?: number;
  /** Share of the processor time of this host that its hypervisor gave to others; absent = not known. */
  stolenRatio?: number;
  /** Share of the time with open streams in which the threads that read polled for bytes instead of sleeping until they came; absent = not known. */
  pollRatio?: number;
  /** Share of it in which they napped for a moment after reads, because others needed the core; absent = not known. */
  napRatio?: number;
  /** Stops of a thread to collect garbage: how many in all, how long in all, and the longest. */
  gc?: { pauses: number; totalMs: number; maxMs: number };
  /** Making connections, those opened ahead of the run included; tls is the handshake's part of it. */
  connecting?: { count: number; meanMs: number; maxMs: number; tlsMeanMs: number | null; tlsMaxMs: number | null };
  /** Bytes of requests that the system had not taken yet, at the most of one connection. */
  sendBacklogMaxBytes?: number;
  /** What the system kept in its TCP buffers, at the most (of this host, both ends where the server is here too); null = not told. */
  socketBuffersMaxBytes?: number | null;
  /** File handles this process could still open at the least, and its limit; null = not told. */
  fileHandlesLeft?: number | null;
  fileHandlesLimit?: number | null;
  /** Ports for outgoing connections left at the least, and their range; null = not told. */
  portsLeft?: number | null;
  portsLimit?: number | null;
  /** The server's clock minus this host's, from its Date headers, good to a fraction of a second; absent = it sends none. */
  serverClockSkewMs?: number;
}

/** What one machine of a run over many did; null = it did not tell. */
export interface WorkerShareFacts {
  name: string;
  host: string;
  labels: Readonly<Record<string, string>>;
  /** stayed to the end, left in peace, or was lost. */
  state: 'stayed' | 'left' | 'lost';
  /** Measured exchanges that came from it. */
  exchanges: number;
  /** How many of them went well and how many failed; absent in summaries of older versions. */
  ok?: number;
  failed?: number;
  /** Asks that were lost with it. */
  lostAsks: number;
  /** Exchanges that it handed over after it was given up; they are not counted. */
  lateExchanges: number;
  /** The most exchanges that waited there for Redis. */
  bufferedMost: number | null;
  /** How well its clock is known against the common one: half the shortest round trip to Redis. */
  clockErrorMs: number;
  /** How far its clock moved against Redis's until the end. */
  clockDriftMs: number | null;
  health: ClientHealth | null;
}

/**
 * Turns a plan into exchanges: one for each planned request, warm-up included, in the order they end.
 * Promises (test/contract/runner): nothing lost, nothing twice; times causal; the same seed gives the same asks;
 * stops.sending drains, stops.everything cancels, and what was planned but not sent comes out as cancelled.
 */
export type RunFunction = (plan: RunPlan, stops: StopSignals, rules: readonly StopRule[]) => AsyncIterable<Ended>;

/** A runner with what must be known about it: `load`, `sim` and `cluster` each make one. */
export interface Runner {
  simulated: boolean;
  run: RunFunction;
  /** Zero of the exchanges' clock on this host's CLOCK_MONOTONIC, decimal nanoseconds; null for virtual time. */
  monotonicOriginNs: string | null;
  /** Read once the run is over. */
  health(): ClientHealth | null;
  /** Read at any moment, for progress and rules. */
  state(): RunState;
  /** Told how many of the exchanges handed out are on disk, so that copies of them elsewhere may go. */
  kept?(exchanges: number): void;
  /** Whether it ended before its plan was done though nobody stopped it, read once it is over; absent = it does not. */
  cutShort?(): boolean;
  /** The machines of a run over many, read once it is over; absent = this one alone. */
  workers?(): WorkerShareFacts[];
  /** Told before the run what is done with every exchange: whoever rehearses does it with what is played, too, made anew for each play. */
  rehearseWith?(makeRecord: () => (played: Ended) => void): void;
  /** Takes away what the run left elsewhere, once its summary is written. */
  close?(): Promise<void>;
}

/** What a run that goes on after an interruption has behind it. */
export interface ResumePoint {
  /** Where the run's clock goes on. */
  clockMs: number;
  /** Time of the measured part that has passed, up to the last ask that came due. */
  elapsedMs: number;
  /** One bit for each number of a measured ask that has ended for good, the lowest first. */
  done: Uint8Array;
  /** How many they are. */
  doneCount: number;
}

/** Whether the ask of that number has ended already. */
export function isBehind(behind: ResumePoint | null, seq: number): boolean {
  return behind !== null && ((behind.done[seq >> 3] ?? 0) & (1 << (seq & 7))) !== 0;
}
