import { worthOf } from './problem.ts';
import type { TuneProblem } from './problem.ts';
import { acceptedPoints } from './next-step.ts';
import { pointKey } from './setting.ts';
import type { TunePoint } from './setting.ts';
import { scaleOf } from './scale.ts';
import { meetsChance, placeOf } from './surrogate.ts';
import { noiseOf } from './noise.ts';
import type { Slo } from '../../results/measure/index.ts';
import { sloWord } from './goal-metrics.ts';
import type { Trial } from './trial.ts';
import { confirmationOf, keepsAll } from './verdict.ts';
import type { Confirmation } from './verdict.ts';

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
  const chosen = [...groups.values()].flatMap((own) => {
    const [first] = own as [Trial];
    const place = placeOf(problem.space, first);
    if (place === null) return [];
    const point: TunePoint = { settings: first.settings, load: first.load };
    const confirmation = confirmationOf(point, all, slos, confirmRuns);
    const kept = new Set(own.map((trial) => keepsAll(trial, slos)));
    const likely = slos.reduce((chance, slo) => chance * keptChance(problem, slo, own, all), 1);
    const fresh = confirmation.fresh.length > 0 ? confirmation.fresh : own;
    const values = fresh.map(({ figures }) => figures[objective.word] ?? null).filter((value) => value !== null);
    const mean = values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
    const one: Chosen = {
      point,
      confirmed: accepted.has(pointKey(point)),
      feasible: kept.has(false) ? false : kept.has(null) ? null : true,
      trials: own,
      confirmation,
      objective: mean,
    };
    // Among the unconfirmed, what surely fails is worth nothing, however fast.
    const worth =
      (mean === null ? -Infinity : worthOf(problem, point.settings, Math.log(Math.max(mean, 1e-12)))) +
      (one.confirmed ? 0 : 12 * Math.log(Math.max(likely, 1e-6)));
    return [{ one, worth }];
  });
  return chosen
    .toSorted((a, b) => Number(b.one.confirmed) - Number(a.one.confirmed) || b.worth - a.worth)
    .map(({ one }) => one);
}

/** Chance that the point truly keeps an SLO, from its own runs. */
function keptChance(problem: TuneProblem, slo: Slo, own: readonly Trial[], all: readonly Trial[]): number {
  const word = sloWord(slo);
  const values = own.map(({ figures }) => figures[word] ?? null).filter((value) => value !== null);
  if (values.length === 0) return 0.1;
  const scale = scaleOf(problem, word);
  const mean = values.reduce((sum, value) => sum + scale.to(value), 0) / values.length;
  return meetsChance(problem, slo, { mean, variance: noiseOf(word, all) ** 2 / values.length });
}
