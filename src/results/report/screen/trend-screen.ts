import type { TrendCurve } from '../../measure/index.ts';
import { isWorse, metricFigure, trendInWords } from '../sentence/trend.ts';
import { frameOf } from './screen.ts';
import type { ScreenOptions } from './screen.ts';
import { smallChart } from './small-chart.ts';

/** A metric over many runs: for each curve its sentence, its changes, and a small chart with the changes marked. */
export function trendScreen(curves: readonly TrendCurve[], metric: string, options: ScreenOptions): string {
  const { columns, fold, paint, say: inLang } = frameOf(options);
  const blocks = curves.map((curve) => {
    const { points, changes } = curve;
    const [head, ...news] = trendInWords(curve, metric);
    const marks = new Map(changes.map((change) => [change.at, isWorse(curve, change, metric) ? '▼' : '▲']));
    const when = (at: number): string => points.at(at)?.startedAt ?? points.at(at)?.runId ?? '';
    // Runs of one day are told apart by the time of day.
    const sameDay = when(0).slice(0, 10) === when(-1).slice(0, 10);
    const day = (at: number): string => (sameDay ? when(at).slice(11, 16) : when(at).slice(0, 10));
    const chart = smallChart(
      {
        values: points.map(({ value }) => value),
        figure: (value) => metricFigure(metric, value),
        mark: (at) => marks.get(at) ?? '',
        ends: [day(0), day(-1)],
      },
      columns,
    );
    return [
      ...fold(inLang(head!)).map(paint.strong),
      ...news.flatMap((line, i) =>
        fold(inLang(line)).map(isWorse(curve, changes[i]!, metric) ? paint.bad : paint.good),
      ),
      ...chart,
    ];
  });
  const legend = curves.some(({ changes }) => changes.length > 0)
    ? [paint.faint(inLang({ en: '▲ better ▼ worse, certain at 95 %', zh: '▲ 更好 ▼ 更差（95 % 确定）' }))]
    : [];
  return `${[...blocks.map((lines) => lines.join('\n')), ...legend].join('\n\n')}\n`;
}
