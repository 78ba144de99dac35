import { withinLimit } from '../../results/measure/index.ts';
import type { Slo } from '../../results/measure/index.ts';
import { sloWord } from './goal-metrics.ts';
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
  /** Too few requests to prove so small a share of failures; the share itself was looked at. */
  unproven: boolean;
}

/** What the fresh runs of a point amount to. */
export interface Confirmation {
  fresh: Trial[];
  standings: Standing[];
  accepted: boolean;
}

/** Requests without a failure that prove a share at 90 %: −ln 0.1 over it. */
const proofFactor = Math.log(10);

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
    return { slo, word, value: null, bound: null, met: false, unproven: false };
  if (word === 'failed') return failureStanding(slo, fresh);
  const log = values.reduce((sum, value) => sum + Math.log(Math.max(value, 1e-9)), 0) / values.length;
  const side = slo.op.startsWith('<') ? 1 : -1;
  const bound = Math.exp(log + side * allowanceOf(word, trials, values.length));
  return { slo, word, value: Math.exp(log), bound, met: withinLimit(slo, bound), unproven: false };
}

/** All fresh requests together; the bound is Poisson's where there are enough requests to prove so small a share. */
function failureStanding(slo: Slo, fresh: readonly Trial[]): Standing {
  const issued = fresh.reduce((sum, { summary }) => sum + (summary?.counts.issued ?? 0), 0);
  const failed = fresh.reduce((sum, { summary }) => sum + (summary?.counts.failed ?? 0), 0);
  const value = issued > 0 ? failed / issued : (fresh[0]?.figures['failed'] ?? 0);
  const provable = issued * slo.limit >= proofFactor;
  const bound = provable ? (failed + proofFactor * Math.sqrt(failed + 1)) / issued : value;
  return {
    slo,
    word: 'failed',
    value,
    bound,
    met: withinLimit(slo, bound) || (bound === 0 && slo.limit === 0),
    unproven: !provable,
  };
}

/** Whether one trial kept every SLO as measured; null where a figure is missing. */
export function keepsAll(trial: Trial, slos: readonly Slo[]): boolean | null {
  if (trial.outcome !== 'ok') return false;
  const kept = new Set(
    slos.map((slo) => {
      const value = trial.figures[sloWord(slo)] ?? null;
      return value === null ? null : withinLimit(slo, value);
    }),
  );
  if (kept.has(false)) return false;
  return kept.has(null) ? null : true;
}
