import type { Exchange, Phrase, RunState } from '../../core/index.ts';

/** Why a rule ends a run: what it saw, in words and in numbers. */
export interface StopReason {
  says: Phrase;
  evidence: Readonly<Record<string, number>>;
}

/** One stop rule at work: looks after each measured exchange and returns its reason once. */
export interface StopWatch {
  look(state: RunState, last: Exchange): StopReason | null;
  /** Looks while nothing ends, about twice a second; absent = only ends tell it anything. */
  tick?(state: RunState): StopReason | null;
}

/** A number as a sentence shows it. */
export function shown(value: number, digits = 3): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
}
