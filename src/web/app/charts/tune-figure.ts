import { axisTitle } from '../../../results/report/index.ts';
import type { Figure } from '../../../results/report/index.ts';
import type { TunePageData } from '../../api/tune-shape.ts';

type Tune = TunePageData['tune'];
type Trial = Tune['trials'][number];

const labels = {
  kept: { en: 'kept every SLO', zh: '满足全部 SLO' },
  broke: { en: 'broke an SLO, or not known', zh: '违反 SLO 或未知' },
  front: { en: 'Pareto front', zh: 'Pareto 前沿' },
  best: { en: 'best so far', zh: '当前最优' },
  predicted: { en: 'predicted before it ran', zh: '运行前预测' },
};

/** Two figures of every trial against each other with the Pareto front, and the objective trial by trial. */
export function tuneFigure(tune: Tune, { x, y }: { x: string; y: string }): Figure | null {
  const at = (trial: Trial, name: string): number | null =>
    trial.outcome === 'ok' ? (trial.figures[name] ?? null) : null;
  const both = tune.trials.flatMap((trial) => {
    const [px, py] = [at(trial, x), at(trial, y)];
    return px === null || py === null ? [] : [{ x: px, y: py, kept: trial.feasible === true, number: trial.number }];
  });
  if (both.length === 0) return null;
  const [titleX, titleY] = [axisTitle(x), axisTitle(y)];
  const least = /^(ttft|tpot|itl|latency|lateness|failed)/;
  const front = paretoFront(both, least.test(x), least.test(y));
  const { metric, direction } = tune.objective;
  let best: number | null = null;
  const course = tune.trials.map((trial) => {
    const value = trial.feasible === true ? trial.objective : null;
    if (value !== null)
      best = best === null ? value : direction === 'most' ? Math.max(best, value) : Math.min(best, value);
    return { trial, best };
  });
  const dots = (kept: boolean) =>
    both
      .filter((point) => point.kept === kept)
      .map((point) => ({ x: point.x, y: point.y, label: String(point.number) }));
  return {
    id: 'trials',
    title: { en: 'Trials', zh: '试验' },
    about: {
      en: `${titleY.en} against ${titleX.en} of every trial with the Pareto front, and ${axisTitle(metric).en} trial by trial.`,
      zh: `每次试验的${titleY.zh}与${titleX.zh}，以及 Pareto 前沿；${axisTitle(metric).zh}随试验的变化。`,
    },
    columns: 2,
    panels: [
      {
        kind: 'lines',
        title: { en: `${titleY.en} / ${titleX.en}`, zh: `${titleY.zh} / ${titleX.zh}` },
        x: { name: axisTitle(x) },
        y: { name: axisTitle(y) },
        series: [
          { name: labels.kept, kind: 'dots' as const, points: dots(true) },
          { name: labels.broke, kind: 'dots' as const, points: dots(false) },
          { name: labels.front, kind: 'line' as const, points: front.map((point) => ({ x: point.x, y: point.y })) },
        ].filter(({ points }) => points.length > 0),
      },
      {
        kind: 'lines',
        title: axisTitle(metric),
        x: { name: { en: 'trial', zh: '试验' }, from: 0, whole: true },
        y: { name: axisTitle(metric) },
        series: [
          {
            name: labels.kept,
            kind: 'dots' as const,
            points: course
              .filter(({ trial }) => trial.feasible === true)
              .map(({ trial }) => ({ x: trial.number, y: trial.objective })),
          },
          {
            name: labels.broke,
            kind: 'dots' as const,
            points: course
              .filter(({ trial }) => trial.feasible !== true && trial.objective !== null)
              .map(({ trial }) => ({ x: trial.number, y: trial.objective })),
          },
          {
            name: labels.best,
            kind: 'steps' as const,
            points: course.map(({ trial, best: so }) => ({ x: trial.number, y: so })),
          },
          {
            name: labels.predicted,
            kind: 'line' as const,
            points: course.flatMap(({ trial }) => {
              const said = trial.predicted?.figures[metric];
              return said === undefined ? [] : [{ x: trial.number, y: said.middle, low: said.low, high: said.high }];
            }),
          },
        ].filter(({ points }) => points.length > 0),
      },
    ],
    notes: tune.simulated
      ? [{ en: 'Simulated: not a measurement of a real engine.', zh: '模拟结果：并非真实引擎的测量值。' }]
      : [],
  };
}

/** The points that no other beats on both axes, from left to right. */
export function paretoFront<P extends { x: number; y: number }>(
  points: readonly P[],
  lessX: boolean,
  lessY: boolean,
): P[] {
  const better = (a: number, b: number, less: boolean): boolean => (less ? a < b : a > b);
  return points
    .filter(
      (point) =>
        !points.some(
          (other) =>
            (better(other.x, point.x, lessX) && !better(point.y, other.y, lessY)) ||
            (better(other.y, point.y, lessY) && !better(point.x, other.x, lessX)),
        ),
    )
    .toSorted((a, b) => a.x - b.x);
}
