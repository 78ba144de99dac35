import { worthOf } from './problem.ts';
import type { TuneProblem } from './problem.ts';
import { acceptedPoints } from './next-step.ts';
import { pointKey } from './setting.ts';
import type { TunePoint } from './setting.ts';
import { scaleOf } from './scale.ts';
import { logNormalChance, placeOf, roomOf } from './surrogate.ts';
import { noiseOf } from './noise.ts';
import type { Slo } from '../../results/measure/index.ts';
import { learntFigure } from './failures.ts';
import { sloWord } from './goal-metrics.ts';
import type { Trial } from './trial.ts';
import { confirmationOf, keepsAll } from './verdict.ts';
import type { Confirmation } from './verdict.ts';

/** Standard deviations within which two means are called equal (95 %). */
const equalAt = 1.96;

/** A point with everything that speaks for it. */
export interface Chosen {
  point: TunePoint;
  /** Its fresh runs keep every SLO at the 90 % bound. */
  confirmed: boolean;
  /** It kept every SLO as measured; null = a figure is missing. */
  feasible: boolean | null;
  /** Trials at this point that ended well, newest last. */
  trials: Trial[];
  confirmation: Confirmation;
  /** Mean of the objective over its fresh runs, or over all its runs where there are none. */
  objective: number | null;
}

/** Points by how much speaks for them: confirmed first, then likely to keep the SLOs, then the objective. */
export function rankChosen(problem: TuneProblem, all: readonly Trial[]): Chosen[] {
  const trials = all.filter(({ outcome }) => outcome === 'ok');
  if (trials.length === 0) return [];
  const { slos, objective, confirmRuns } = problem;
  const accepted = new Set(acceptedPoints(problem, all).map(pointKey));
  const groups = new Map<string, Trial[]>();
  for (const trial of trials) groups.set(pointKey(trial), [...(groups.get(pointKey(trial)) ?? []), trial]);
  // Settings under another load than the file's count only where they kept the limits and nothing under its own load did.
  const keptInside = trials.some((trial) => isInside(problem, trial) && keepsAll([trial], slos) === true);
  const chosen = [...groups.values()].flatMap((own) => {
    const [first] = own as [Trial];
    const counts = slos.length > 0 && !keptInside && own.every((trial) => keepsAll([trial], slos) === true);
    if (!isInside(problem, first) && !counts) return [];
    const point: TunePoint = { settings: first.settings, load: first.load };
    const confirmation = confirmationOf(point, all, slos, confirmRuns);
    const likely = slos.reduce((sum, slo) => sum + logKeptChance(problem, slo, own, all), 0);
    const fresh = confirmation.fresh.length > 0 ? confirmation.fresh : own;
    const values = fresh.map(({ figures }) => figures[objective.word] ?? null).filter((value) => value !== null);
    const mean = values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
    const one: Chosen = {
      point,
      confirmed: accepted.has(pointKey(point)),
      feasible: keepsAll(own, slos),
      trials: own,
      confirmation,
      objective: mean,
    };
    // Among the unconfirmed, what surely fails is worth nothing, however fast.
    const worth =
      (mean === null ? -Infinity : worthOf(problem, point.settings, Math.log(Math.max(mean, 1e-12)))) +
      (one.confirmed ? 0 : 12 * likely);
    return [{ one, worth }];
  });
  return chosen
    .toSorted((a, b) => Number(b.one.confirmed) - Number(a.one.confirmed) || b.worth - a.worth)
    .map(({ one }) => one);
}

/** Those of the others that runs cannot tell from the best: as good within what two runs of one thing differ by, and no worse at the limits. */
export function equalTo(best: Chosen, others: readonly Chosen[], noise: number): Chosen[] {
  const middle = best.objective;
  if (middle === null || middle <= 0 || best.feasible === false) return [];
  const runs = (one: Chosen): number => Math.max(1, one.confirmation.fresh.length || one.trials.length);
  return others.filter((one) => {
    if (one.objective === null || one.objective <= 0 || one.feasible !== best.feasible) return false;
    const allowed = equalAt * noise * Math.sqrt(1 / runs(best) + 1 / runs(one));
    return Math.abs(Math.log(one.objective / middle)) <= allowed;
  });
}

function isInside({ space }: TuneProblem, trial: Trial): boolean {
  return placeOf(space, trial) !== null;
}

/** Logarithm of the chance that the point truly keeps an SLO, from its own runs. */
function logKeptChance(problem: TuneProblem, slo: Slo, own: readonly Trial[], all: readonly Trial[]): number {
  const word = sloWord(slo);
  const values = own.map((trial) => learntFigure(word, trial)).filter((value) => value !== null);
  if (values.length === 0) return Math.log(0.1);
  const scale = scaleOf(problem, word);
  const mean = values.reduce((sum, value) => sum + scale.to(value), 0) / values.length;
  return logNormalChance(roomOf(problem, slo, { mean, variance: noiseOf(word, all) ** 2 / values.length }));
}
