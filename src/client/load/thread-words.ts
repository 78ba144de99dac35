import type { ClientHealth, Ended, Mistake, ResumePoint, RunPlan } from '../../core/index.ts';
import type { PhaseName } from './load-session.ts';
import type { Secrets } from './request-text.ts';

/** What a load thread is started with. `source` is for whoever makes its prompts; this room does not look at it. */
export interface ThreadData {
  plan: RunPlan;
  secrets: Secrets;
  index: number;
  threads: number;
  originNs: string;
  /** Per phase a counter of requests claimed, then of conversations claimed; five numbers per thread: due, sent, in flight, when it last heard (whole ms), tokens heard. */
  shared: SharedArrayBuffer;
  source: unknown;
  behind: ResumePoint | null;
}

/** Places in ThreadData.shared. */
export const sharedPlaces = {
  requests: { warmup: 0, measure: 1 } as Record<PhaseName, number>,
  conversations: { warmup: 2, measure: 3 } as Record<PhaseName, number>,
  progress: (index: number): number => 4 + 5 * index,
  length: (threads: number): number => 4 + 5 * threads,
};

/** What the runner says to its threads. */
export type ThreadOrder =
  | { say: 'prepare'; phase: PhaseName }
  | { say: 'begin'; phase: PhaseName; startMs: number }
  | { say: 'stop-sending' | 'cancel-all' | 'end' };

/** What threads say back. */
export type ThreadWord =
  | { say: 'ready' | 'drained'; phase: PhaseName }
  /** What ended since the last word; nothing more will come from before upToMs. */
  | { say: 'ended'; batch: Ended[]; upToMs: number }
  | { say: 'health'; health: ClientHealth | null }
  | { say: 'failed'; mistakes: Mistake[] | null; exitCode: number; message: string };
