import type { Summary } from '../../core/index.ts';
import type { Settings, TrialLoad } from './setting.ts';

/** How a trial ended; anything but ok is an observation about the settings, with its cause. */
export const trialOutcomes = [
  'ok',
  'crashed',
  'oom',
  'not-ready',
  'lying-ready',
  'timeout',
  'stopped-answering',
  'not-applied',
  'error',
  'interrupted',
] as const;
export type TrialOutcome = (typeof trialOutcomes)[number];

/** Why a trial is made. */
export const trialPhases = ['calibrate', 'memory', 'search', 'feasible-first', 'confirm', 'variant'] as const;
export type TrialPhase = (typeof trialPhases)[number];

/** What was expected of a trial before it ran: middle and 90 % interval of each figure, by metric word. */
export interface Predicted {
  /** What said so: the calibrated simulator, or the trials alone. */
  by: 'simulator' | 'trials';
  figures: Readonly<Record<string, { middle: number; low: number; high: number }>>;
}

/** One trial: what was set, what was expected, what came out. */
export interface Trial {
  number: number;
  phase: TrialPhase;
  /** Name of the arm, in an experiment without search. */
  variant: string | null;
  settings: Settings;
  load: TrialLoad;
  seed: number;
  outcome: TrialOutcome;
  /** Cause of an outcome that is not ok, in the server's or system's own words; null = none. */
  cause: string | null;
  /** Figures by metric word (`outputTokensPerSec`, `itl.mean`, `failed`); null = not known. */
  figures: Readonly<Record<string, number | null>>;
  predicted: Predicted | null;
  summary: Summary | null;
  /** Folder of the run inside the tune's own; null = it has none. */
  runId: string | null;
  restarted: boolean;
  startedAt: string | null;
  durationMs: number | null;
}
