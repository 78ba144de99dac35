import type { Finding, Mistake, Phrase, RunPlan, Summary } from '../core/index.ts';
import type { Trial, TuneDocument } from '../advice/tune/index.ts';
import type { LiveFigures } from './execute-run.ts';
import type { StopKind } from './live-file.ts';

/** What kinds of experiments there are. */
export type ExperimentKind = 'run' | 'sweep' | 'find' | 'tune';

/** How far a tune is. */
export interface TuneProgress {
  number: number;
  phase: string;
  title: string;
  /** null = it begins now. */
  trial: Trial | null;
  document: TuneDocument;
  leftMs: number | null;
}

/**
 * What an experiment tells while it goes on. Plain data: the progress line, the page's live view and programs read the
 * same events, in this process or from another one.
 */
export type LabEvent =
  /** First of all, before anything is sent: the id under which the result will stand in the store. */
  | { event: 'planned'; id: string; kind: ExperimentKind }
  /** A remark that people should read. */
  | { event: 'note'; note: Phrase }
  /** Everything was looked at and load begins: from here on there is something to stop. `of` = how many points; null = not known. */
  | { event: 'prepared'; of: number | null }
  /** A point begins; its folder and plan stand on disk. */
  | { event: 'started'; runId: string; dir: string; number: number; of: number | null; name: Phrase; plan: RunPlan }
  /** How the point under way goes, some ten times a second. */
  | { event: 'progress'; runId: string; figures: LiveFigures }
  /** Somebody asked for its end from outside: no more requests are sent, or those in flight are cancelled, too. */
  | { event: 'stopping'; how: StopKind }
  /** A point is over and its summary written. */
  | { event: 'point'; number: number; dir: string; summary: Summary }
  /** A trial of a tune begins or is over. */
  | { event: 'trial'; progress: TuneProgress }
  /** A doubt about the experiment as a whole. */
  | { event: 'finding'; finding: Finding }
  /** The last word; `failed` = it ended in a mistake of the user's (told in `mistakes`) or in a bug. */
  | { event: 'ended'; how: 'whole' | 'interrupted' | 'failed'; dir: string | null; mistakes: readonly Mistake[] };
