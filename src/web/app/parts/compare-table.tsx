import type { Comparison, ComparedMetricRow, MetricChange } from '../../../results/measure/index.ts';
import {
  changeVerdict,
  changeWords,
  comparedWords,
  metricFigure,
  metricTitle,
  placeOf,
  signedPercent,
} from '../../../results/report/index.ts';
import { t } from '../state/settings.ts';
import { CardTable, TableHead } from './card-table.tsx';

/** Every metric at every shared point, those first that a verdict rests on, with the change in words and how sure it is. */
export function CompareTable({ comparison }: { comparison: Comparison }) {
  const { names, metrics } = comparison;
  if (metrics.length === 0) return null;
  const places = [...new Set(metrics.map(placeOf))];
  const caption = t('Comparison', '对比');
  const order = Object.keys(comparedWords);
  const rank = ({ metric }: ComparedMetricRow): number =>
    (order.indexOf(metric) + order.length + 1) % (order.length + 1);
  return (
    <CardTable caption={caption} class="compare">
      <TableHead
        names={[
          ...(places.length > 1 ? [{ left: t('Point', '测试点') }] : []),
          { left: t('Metric', '指标') },
          ...names,
          ...names.slice(1).map((name) => ({
            left:
              names.length > 2
                ? t(`change: ${name}`, `变化：${name}`)
                : t('change (95 % interval)', '变化（95% 区间）'),
          })),
        ]}
      />
      {places.map((place) => (
        <tbody key={place}>
          {metrics
            .filter((row) => placeOf(row) === place)
            .toSorted((a, b) => rank(a) - rank(b))
            .map((row, i, rows) => (
              <tr key={row.metric}>
                {places.length > 1 && i === 0 && (
                  <th scope="rowgroup" rowSpan={rows.length}>
                    {place}
                    {!row.comparable && <div class="bad-text">{t('not comparable', '不可比')}</div>}
                  </th>
                )}
                <th scope="row">{t(metricTitle(row.metric))}</th>
                {row.values.map((value, at) => (
                  <td key={at}>{metricFigure(row.metric, value)}</td>
                ))}
                {row.changes.map((change, at) => (
                  <td key={at} class="left">
                    <Change row={row} change={change} />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      ))}
    </CardTable>
  );
}

const tones = { better: 'good-text', worse: 'bad-text' } as const;

function Change({ row, change }: { row: ComparedMetricRow; change: MetricChange }) {
  const verdict = changeVerdict(row, change);
  if (verdict === 'unknown') return <span class="faint">–</span>;
  const { interval } = change;
  return (
    <>
      <strong class={verdict === 'better' || verdict === 'worse' ? tones[verdict] : 'faint'}>
        {signedPercent(change.changeRatio)}
      </strong>{' '}
      {interval !== null && (
        <span class="faint">
          [{signedPercent(interval[0])}, {signedPercent(interval[1])}]
        </span>
      )}{' '}
      <span class="faint">{t(changeWords[verdict])}</span>
    </>
  );
}
