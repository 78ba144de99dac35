import type { Phrase, Sweep } from '../../../core/index.ts';
import type { FrontierPoint, MachineOf } from '../../measure/index.ts';
import { frontierCurves, missingUnits, speedNames, unitNames } from '../frontier-curves.ts';
import type { FrontierCurve } from '../frontier-curves.ts';
import { chartLabels } from './chart-labels.ts';
import type { ChartSeries, Figure, LinePanel } from './figure.ts';
import { notesOf } from './sweep-figures.ts';

/** The first of them only: of 99 in 100 users a table tells. */
const drawnSpeeds = 2;

/**
 * What one card, watt or unit of money gives against the speed that users see: the best points of each system as a line, dominated
 * ones grey, each with its load; null where nobody has two loads.
 */
export function frontierFigure(sweeps: readonly Sweep[], machineOf?: MachineOf): Figure | null {
  const all = frontierCurves(sweeps, machineOf);
  if (all.length === 0) return null;
  const panels = all.flatMap(({ unit, bySpeed }) =>
    bySpeed.slice(0, drawnSpeeds).map(({ speed, curves }): LinePanel => {
      const users = speedNames[speed];
      return {
        kind: 'lines',
        title: unitNames[unit],
        x: {
          name: { en: `speed that ${users.en} reach (output tokens/s)`, zh: `${users.zh}达到的速度（输出 tok/s）` },
          from: 0,
        },
        y: { name: unitNames[unit] },
        series: seriesOf(curves),
      };
    }),
  );
  return {
    id: 'frontier',
    title: { en: 'Throughput against speed per user', zh: '吞吐量与单用户速度' },
    about: {
      en: 'Throughput against the speed that users see: the frontier of each system, dominated points grey. Up and right is better.',
      zh: '吞吐量与单用户速度的关系：各系统的前沿，被支配的点为灰色；越靠右上越好。',
    },
    columns: 2,
    panels,
    notes: [
      ...(panels.some(({ series }) => series.some(({ points }) => points.some(({ label }) => label !== undefined)))
        ? [chartLabels.loadNumbers]
        : []),
      ...missingUnits(sweeps, machineOf),
      ...notesOf(sweeps),
    ],
  };
}

function seriesOf(curves: readonly FrontierCurve[]): ChartSeries[] {
  // Between lines the numbers would cover points: of a few, the first line has them above and the last below.
  const numbered = (index: number): boolean => curves.length <= 4 && (index === 0 || index === curves.length - 1);
  const lines = curves.map(({ name, frontier }, index): ChartSeries => ({
    name,
    kind: 'line',
    labels: index === 0 ? 'above' : 'below',
    points: frontier.map(({ load, userTokensPerSec: x, throughput: y }) => ({
      x,
      y,
      ...(numbered(index) && { label: String(load) }),
    })),
  }));
  const beside = (name: Phrase, isOf: (point: FrontierPoint) => boolean): ChartSeries => ({
    name,
    kind: 'dots',
    faint: true,
    points: curves.flatMap(({ points }, index) =>
      points.filter(isOf).map(({ load, userTokensPerSec: x, throughput: y, valid }) => ({
        x,
        y,
        ...(numbered(index) && { label: String(load) }),
        ...(!valid && { why: chartLabels.notValid }),
      })),
    ),
  });
  const rest = [
    beside(chartLabels.dominated, ({ valid, dominated }) => valid && dominated),
    beside(chartLabels.notValid, ({ valid }) => !valid),
  ];
  return [...lines, ...rest.filter(({ points }) => points.length > 0)];
}
