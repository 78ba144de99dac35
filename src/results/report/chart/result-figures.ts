import { isGrid } from '../../../core/index.ts';
import type { Summary, Sweep } from '../../../core/index.ts';
import type { MachineOf, Trace } from '../../measure/index.ts';
import type { Figure } from './figure.ts';
import { frontierFigure } from './frontier-figure.ts';
import { gridFigure, gridHeatFigure } from './grid-figure.ts';
import { goodputFigure, lengthsFigure, tokenTimesFigure } from './load-figures.ts';
import { cdfFigure, devicesFigure, overTimeFigure, timelineFigure } from './run-figures.ts';
import type { Sampled } from './run-figures.ts';
import { comparisonFigure, percentilesFigure, sweepFigure } from './sweep-figures.ts';
import type { IntervalsOf } from './sweep-figures.ts';

/** The requests of one point, and what was sampled beside them. */
export interface PointRequests {
  point: Summary;
  trace: Trace;
  sampled: readonly Sampled[];
}

/** What figures are drawn of: one result or several side by side, with what is known beside their summaries. */
export interface Drawable {
  sweeps: readonly Sweep[];
  intervals: IntervalsOf;
  /** Of one result, the point whose requests are at hand, with the highest load; null = none are, or there are several results. */
  requests: PointRequests | null;
}

/** The one picture that stands for a result: the comparison, the sweep panel, or how the requests of one run spread. */
export function mainFigure({ sweeps, intervals, requests }: Drawable): Figure {
  const [sweep] = sweeps as readonly [Sweep];
  if (sweeps.length > 1) return gridFigure(...sweeps) ?? comparisonFigure(sweeps, intervals);
  const spread =
    sweep.points.length > 1 ? null : ((requests && insideFigures(sweep, requests)[0]) ?? percentilesFigure(sweep));
  return spread ?? gridFigure(sweep) ?? sweepFigure(sweep, intervals);
}

/** Every figure that the data allow, the most telling first. */
export function everyFigure({ sweeps, intervals, requests }: Drawable, machineOf: MachineOf): Figure[] {
  const many = sweeps.length > 1;
  const points = sweeps.flatMap((sweep) => sweep.points);
  const figures: (Figure | null)[] = [];
  if (many) figures.push(gridFigure(...sweeps) ?? comparisonFigure(sweeps, intervals));
  for (const [i, sweep] of sweeps.entries())
    if (sweep.points.length > 1) figures.push(numbered(gridFigure(sweep) ?? sweepFigure(sweep, intervals), i, many));
  const byLoad = sweeps.filter((sweep) => !isGrid(sweep.points));
  if (points.length > 1 && byLoad.length > 0)
    figures.push(tokenTimesFigure(byLoad, intervals), frontierFigure(byLoad, machineOf));
  for (const [i, sweep] of sweeps.entries()) {
    const more = isGrid(sweep.points) ? [gridHeatFigure(sweep)] : [goodputFigure(sweep), lengthsFigure(sweep)];
    figures.push(...more.map((figure) => figure && numbered(figure, i, many)));
  }
  if (requests !== null) figures.push(...insideFigures(sweeps[0]!, requests));
  const made = figures.filter((figure): figure is Figure => figure !== null && figure.panels.length > 0);
  // A point without requests at hand still tells its percentiles.
  const percentiles = made.length === 0 && points.length === 1 ? percentilesFigure(sweeps[0]!) : null;
  return percentiles === null ? made : [percentiles];
}

function numbered(figure: Figure, index: number, many: boolean): Figure {
  return many ? { ...figure, id: `${figure.id}-${index + 1}` } : figure;
}

/** A result from the inside. A point of several says its load in the titles. */
function insideFigures({ points }: Sweep, { point, trace, sampled }: PointRequests): (Figure | null)[] {
  const figures = [
    cdfFigure(point, trace),
    overTimeFigure(point, trace, sampled),
    devicesFigure(point, trace, sampled),
    timelineFigure(point, trace),
  ];
  return points.length === 1 ? figures : figures.map((figure) => figure && { ...figure, title: atLoad(figure, point) });
}

function atLoad({ title }: Figure, { load }: Summary): Figure['title'] {
  const at = load.concurrency ?? load.ratePerSec ?? '';
  return typeof title === 'string' ? `${title} @ ${at}` : { en: `${title.en} @ ${at}`, zh: `${title.zh} @ ${at}` };
}
