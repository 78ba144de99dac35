import { withinLimit } from '../../results/measure/index.ts';
import type { Slo } from '../../results/measure/index.ts';
import { sloWord } from './goal-metrics.ts';
import { failuresOf, mostShare, standingOfFailures } from './failures.ts';
import type { Failures } from './failures.ts';
import { allowanceOf } from './noise.ts';
import { pointKey } from './setting.ts';
import type { TunePoint } from './setting.ts';
import type { Trial } from './trial.ts';

/** How fresh runs of one point stand against one SLO. */
export interface Standing {
  slo: Slo;
  word: string;
  /** Mean over the fresh runs (geometric for times and rates); null = not measured. */
  value: number | null;
  /** The 90 % bound on the side of the limit. */
  bound: number | null;
  met: boolean;
  /** Of a share of failures: the counts that it is made of; null = any other figure, or not known. */
  failures: Failures | null;
  /** Too few requests to prove so small a share of failures, kept or broken; no more than one of them speaks against it. */
  unproven: boolean;
}

/** What the fresh runs of a point amount to. */
export interface Confirmation {
  fresh: Trial[];
  standings: Standing[];
  accepted: boolean;
}

/** Fresh runs of a point against every SLO: accepted only when enough ended well and every 90 % bound keeps its limit. */
export function confirmationOf(
  point: TunePoint,
  trials: readonly Trial[],
  slos: readonly Slo[],
  wanted: number,
): Confirmation {
  const key = pointKey(point);
  const tried = trials.filter((trial) => trial.phase === 'confirm' && pointKey(trial) === key);
  const fresh = tried.filter(({ outcome }) => outcome === 'ok');
  const standings = slos.map((slo) => standingOf(slo, fresh, trials));
  const accepted =
    fresh.length >= wanted &&
    tried.every(({ outcome }) => outcome === 'ok' || outcome === 'interrupted') &&
    standings.every(({ met }) => met);
  return { fresh, standings, accepted };
}

function standingOf(slo: Slo, fresh: readonly Trial[], trials: readonly Trial[]): Standing {
  const word = sloWord(slo);
  const values = fresh.map(({ figures }) => figures[word] ?? null).filter((value) => value !== null);
  if (values.length < fresh.length || values.length === 0)
    return { slo, word, value: null, bound: null, failures: null, met: false, unproven: false };
  if (word === 'failed') return failureStanding(slo, fresh);
  const log = values.reduce((sum, value) => sum + Math.log(Math.max(value, 1e-9)), 0) / values.length;
  const side = slo.op.startsWith('<') ? 1 : -1;
  const bound = Math.exp(log + side * allowanceOf(word, trials, values.length));
  return { slo, word, value: Math.exp(log), bound, failures: null, met: withinLimit(slo, bound), unproven: false };
}

/** All fresh requests together: what their number proves, and where it proves nothing, the share itself without one odd request. */
function failureStanding(slo: Slo, fresh: readonly Trial[]): Standing {
  const failures = failuresOf(fresh);
  if (failures === null) {
    const value = fresh[0]?.figures['failed'] ?? 0;
    return { slo, word: 'failed', value, bound: value, failures, met: withinLimit(slo, value), unproven: false };
  }
  const { met, unproven } = standingOfFailures(slo, failures);
  const value = failures.failed / failures.issued;
  return { slo, word: 'failed', value, bound: unproven ? value : mostShare(failures), failures, met, unproven };
}

/** Whether these trials kept every SLO as measured, each by itself, its failures with those of the others; null where a figure is missing. */
export function keepsAll(trials: readonly Trial[], slos: readonly Slo[]): boolean | null {
  if (trials.some(({ outcome }) => outcome !== 'ok')) return false;
  const kept = new Set(
    slos.flatMap((slo) => {
      const word = sloWord(slo);
      const failures = word === 'failed' ? failuresOf(trials) : null;
      if (failures !== null) return [standingOfFailures(slo, failures).met];
      const values = trials.map(({ figures }) => figures[word] ?? null);
      return values.map((value) => (value === null ? null : withinLimit(slo, value)));
    }),
  );
  if (kept.has(false)) return false;
  return kept.has(null) ? null : true;
}
