import { regularizedBeta, withinLimit } from '../../results/measure/index.ts';
import type { Slo } from '../../results/measure/index.ts';
import type { Trial } from './trial.ts';

/** Requests of some runs, and those of them that failed. */
export interface Failures {
  failed: number;
  issued: number;
}

/** Chance that a bound is wrong. */
const mayErr = 0.1;

/** Requests of these runs together; null = their numbers are not known. */
export function failuresOf(trials: readonly Trial[]): Failures | null {
  const counts = trials.flatMap(({ summary }) => summary?.counts ?? []);
  const issued = counts.reduce((sum, one) => sum + one.issued, 0);
  return counts.length < trials.length || issued === 0
    ? null
    : { failed: counts.reduce((sum, one) => sum + one.failed, 0), issued };
}

/** The share of failures that such a count proves to be exceeded (Clopper and Pearson's lower 90 % bound). */
export function leastShare({ failed, issued }: Failures): number {
  return failed === 0 ? 0 : shareWhere((share) => regularizedBeta(share, failed, issued - failed + 1), mayErr);
}

/** The share of failures that such a count proves not to be exceeded (Clopper and Pearson's upper 90 % bound). */
export function mostShare({ failed, issued }: Failures): number {
  return failed >= issued ? 1 : shareWhere((share) => regularizedBeta(share, failed + 1, issued - failed), 1 - mayErr);
}

/** How a count stands to a limit: what it proves, and where it proves nothing, the share without one odd request. */
export function standingOfFailures(slo: Slo, count: Failures): { met: boolean; unproven: boolean } {
  const { failed, issued } = count;
  if (slo.limit === 0 || issued === 0) return { met: failed === 0, unproven: false };
  if (withinLimit(slo, mostShare(count))) return { met: true, unproven: false };
  const isOdd = withinLimit(slo, (failed - 1) / issued) && withinLimit(slo, leastShare(count));
  return { met: isOdd, unproven: isOdd };
}

/** A trial's figure as the search learns from it: of a share of failures only what is proven, for one odd request says nothing about the settings. */
export function learntFigure(word: string, trial: Trial): number | null {
  const failures = word === 'failed' ? failuresOf([trial]) : null;
  return failures === null ? (trial.figures[word] ?? null) : leastShare(failures);
}

/** Where a chance that rises with the share comes to this. */
function shareWhere(chance: (share: number) => number, wanted: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (chance(middle) < wanted) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
