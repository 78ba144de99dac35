import { sloWord } from './goal-metrics.ts';
import type { Slo } from '../../results/measure/index.ts';
import type { Chosen } from './choose-best.ts';
import type { TuneProblem } from './problem.ts';
import { neighbours, spreadPlaces } from './space.ts';
import { makeSurrogate, meetsChance, placeOf } from './surrogate.ts';
import type { Surrogate } from './surrogate.ts';
import type { Trial } from './trial.ts';

/** The SLO that keeps the objective where it is, and what moving it would buy, as far as the trials tell. */
export interface Binding {
  slo: string;
  value: number | null;
  bound: number | null;
  limit: number;
  /** The limit if it were this much looser, and the expected change of the objective. */
  relaxed: { byRatio: number; limit: number; gainRatio: number };
}

const loosening = 0.1;

/** The SLO whose bound is nearest to its limit at the chosen point; null = there are none. */
export function bindingOf(problem: TuneProblem, trials: readonly Trial[], chosen: Chosen): Binding | null {
  const { standings } = chosen.confirmation;
  const last = chosen.trials.at(-1);
  const room = (slo: Slo): number => {
    const standing = standings.find((one) => one.slo === slo);
    const value = standing?.bound ?? last?.figures[sloWord(slo)] ?? null;
    if (value === null || value <= 0 || slo.limit <= 0) return Infinity;
    return (slo.op.startsWith('<') ? 1 : -1) * Math.log(slo.limit / value);
  };
  const [nearest] = problem.slos.toSorted((a, b) => room(a) - room(b));
  if (nearest === undefined || placeOf(problem.space, chosen.point) === null) return null;
  const standing = standings.find((one) => one.slo === nearest);
  const looser: Slo = {
    ...nearest,
    limit: nearest.limit * (nearest.op.startsWith('<') ? 1 + loosening : 1 - loosening),
  };
  const slos = problem.slos.map((slo) => (slo === nearest ? looser : slo));
  const surrogate = makeSurrogate(problem, trials);
  const best = (kept: readonly Slo[]): number => expectedBest(problem, surrogate, chosen, kept);
  return {
    slo: nearest.text,
    value: standing?.value ?? last?.figures[sloWord(nearest)] ?? null,
    bound: standing?.bound ?? null,
    limit: nearest.limit,
    relaxed: {
      byRatio: loosening,
      limit: looser.limit,
      gainRatio: Math.max(0, Math.exp(best(slos) - best(problem.slos)) - 1),
    },
  };
}

/** The best value (a logarithm) among places that are likely to keep the SLOs. */
function expectedBest(problem: TuneProblem, surrogate: Surrogate, chosen: Chosen, slos: readonly Slo[]): number {
  const { space, objective } = problem;
  const sign = objective.direction === 'most' ? 1 : -1;
  const start = placeOf(space, { ...chosen.point });
  const score = (place: readonly number[]): number => {
    const chance = slos.reduce(
      (sum, slo) => sum * meetsChance(problem, slo, surrogate.belief(sloWord(slo), place)),
      surrogate.feasibility(place),
    );
    return chance < 0.5 ? -Infinity : sign * surrogate.belief(objective.word, place).mean;
  };
  let best = start === null ? -Infinity : score(start);
  let at = start;
  for (const place of spreadPlaces(space, 100, problem.seed))
    if (score(place) > best) [best, at] = [score(place), place];
  for (let i = 0; i < 3 && at !== null; i++)
    for (const place of neighbours(space, at, [1, 4, 16, 64]))
      if (score(place) > best) [best, at] = [score(place), place];
  const base = start === null ? best : sign * surrogate.belief(objective.word, start).mean;
  return Math.max(best, base);
}
