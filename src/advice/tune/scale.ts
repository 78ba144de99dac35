import type { Slo } from '../../results/measure/index.ts';
import { sloWord } from './goal-metrics.ts';
import type { TuneProblem } from './problem.ts';

/** A scale on which a figure is smooth enough to be learnt. */
export interface Scale {
  to(value: number): number;
  back(scaled: number): number;
}

const logs: Scale = { to: (value) => Math.log(Math.max(value, 1e-9)), back: (scaled) => Math.exp(scaled) };
/** A share of failures errs by differences, not by ratios. */
const plain: Scale = { to: (value) => value, back: (scaled) => Math.max(0, scaled) };
/** How far from a limit (as a logarithm) a figure still tells how far. */
const reach = 1.2;

/**
 * Logarithms around an SLO's limit, flattened far from it: a first token that took two minutes says that the limit of two seconds is
 * broken, and nothing about where it is met.
 */
function aroundLimit({ limit }: Slo): Scale {
  const middle = Math.log(Math.max(limit, 1e-9));
  return {
    to: (value) => reach * Math.tanh((Math.log(Math.max(value, 1e-9)) - middle) / reach),
    back: (scaled) => Math.exp(middle + reach * Math.atanh(Math.min(0.999, Math.max(-0.999, scaled / reach)))),
  };
}

/** The scale of a figure in a problem. */
export function scaleOf({ objective, slos }: TuneProblem, word: string): Scale {
  if (word === 'failed') return plain;
  const slo = slos.find((one) => sloWord(one) === word);
  return slo === undefined || word === objective.word || slo.limit <= 0 ? logs : aroundLimit(slo);
}
