import type { TrendCurve } from '../../../results/measure/index.ts';
import { axisTitle, metricTitle, signedPercent } from '../../../results/report/index.ts';
import type { ChartPoint, Figure } from '../../../results/report/index.ts';

/** Metrics over the history of a label or tag: each run a point with its interval, each certain change named where it began. */
export function trendFigure(curves: readonly TrendCurve[], metric: string): Figure {
  const title = metricTitle(metric);
  const name = axisTitle(metric);
  return {
    id: 'trend',
    title: name,
    about: {
      en: `${title.en} from run to run, oldest first; levels between certain changes are drawn as steps.`,
      zh: `${title.zh}随运行的变化，从旧到新；阶梯为两次确定变化之间的水平。`,
    },
    columns: 1,
    panels: curves.map((curve) => {
      const changes = new Map(curve.changes.map((change) => [change.at, change]));
      const points = curve.points.map(({ value, interval, valid }, at): ChartPoint => ({
        x: at + 1,
        y: value,
        ...(interval !== null && { low: interval[0], high: interval[1] }),
        ...(changes.has(at) && { label: signedPercent(changes.get(at)!.changeRatio) }),
        ...(valid ? {} : { why: { en: 'not valid', zh: '无效' } }),
      }));
      return {
        kind: 'lines',
        title:
          curve.name === ''
            ? { en: 'each run, and the levels between changes', zh: '各次运行及变化之间的水平' }
            : curve.name,
        x: { name: { en: 'run, oldest first', zh: '运行（从旧到新）' }, whole: true },
        y: { name },
        series: [
          { name: { en: 'runs', zh: '各次运行' }, kind: 'line', labels: 'inward', points },
          {
            name: { en: 'level', zh: '水平' },
            kind: 'steps',
            plain: true,
            points: curve.points.map(({ level }, at) => ({ x: at + 1, y: level })),
          },
        ],
      };
    }),
    notes: [],
  };
}
