import type { Finding } from '../../core/index.ts';
import type { ComparedRun } from './compare.ts';

/** A finding and whose it is: the same doubt at another load differs at most in its numbers. */
export interface LoadFinding {
  finding: Finding;
  about: string;
}

/** Doubts about setting one run beside another; an `invalid` one makes the load not comparable. */
export type CompareDoubts = (baseline: ComparedRun, candidate: ComparedRun) => LoadFinding[];
