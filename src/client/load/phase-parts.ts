import type { RequestSource, DealtPhase, DueRequest, Place } from '../../inputs/arrival/index.ts';
import type { Ask, ResumePoint, RunPlan } from '../../core/index.ts';
import type { WrittenAsk } from './request-serializer.ts';
import type { LazyRecord } from './lazy-record.ts';
import type { FlightSettings } from './flight.ts';
import type { ConnectionSource } from './pools.ts';
import type { RunClock } from './run-clock.ts';

/** Makes the dealing of one phase; `wake` asks the phase to look again at what it may send. */
export type MakeRequestSource = (phase: DealtPhase, wake: () => void) => RequestSource;

/** What a phase works with; the same for warm-up and measuring. */
export interface PhaseParts {
  plan: RunPlan;
  clock: RunClock;
  pool: ConnectionSource;
  settings: FlightSettings;
  encode(ask: Ask): string;
  /** Every ask of the phase comes through here exactly once. */
  emit(ending: LazyRecord): void;
  /** Which part of the run is this thread's. */
  place: Place;
  /** The part of the run that was done before an interruption; null = none. */
  behind: ResumePoint | null;
  /** Deals asks from elsewhere (other machines); absent = this process deals them itself. */
  deal?: MakeRequestSource;
}

/** An ask with what every attempt at it needs. */
export interface PreparedRequest extends WrittenAsk {
  dealt: DueRequest;
}

/** Plan fields read for every request, copied once so that V8 sees one object shape. */
export interface RequestPolicy {
  severalServers: boolean;
  /** Every conversation goes to one of several servers. */
  bySession: boolean;
  retries: number;
}

/** The policy that a plan asks for. */
export function policyOf(plan: RunPlan): RequestPolicy {
  const { reach } = plan.target;
  return {
    severalServers: (reach?.also.length ?? 0) > 0,
    bySession: reach?.spread === 'session',
    retries: plan.retries ?? 0,
  };
}
