import type { Comparison, ComparedMetricRow, MetricChange } from '../../../results/measure/index.ts';
import { num, signed, time } from '../format.ts';
import { both, t } from '../state/settings.ts';

/** Metrics for which more is better; of all others less is. */
const moreIsBetter = /PerSec|goodput/i;

/** Every metric at every shared load, with the change against the baseline and how sure it is. */
export function CompareTable({ comparison }: { comparison: Comparison }) {
  const { names, metrics } = comparison;
  if (metrics.length === 0) return null;
  const loads = [...new Set(metrics.map(({ load }) => load))];
  const caption = t(both('Comparison', '对比'));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class="compare">
        <thead>
          <tr>
            <th scope="col" class="left">
              {t(both('Load', '负载'))}
            </th>
            <th scope="col" class="left">
              {t(both('Metric', '指标'))}
            </th>
            {names.map((name, i) => (
              <th scope="col" key={i}>
                {name}
              </th>
            ))}
            {names.slice(1).map((name, i) => (
              <th scope="col" key={i} class="left">
                {names.length > 2
                  ? t(both(`change: ${name}`, `变化：${name}`))
                  : t(both('change (95 % interval)', '变化（95% 区间）'))}
              </th>
            ))}
          </tr>
        </thead>
        {loads.map((load) => (
          <tbody key={String(load)}>
            {metrics
              .filter((row) => row.load === load)
              .map((row, i, rows) => (
                <tr key={row.metric}>
                  {i === 0 && (
                    <th scope="rowgroup" rowSpan={rows.length}>
                      {num(load)}
                      {!row.comparable && <div class="bad-text">{t(both('not comparable', '不可比'))}</div>}
                    </th>
                  )}
                  <th scope="row">{row.metric}</th>
                  {row.values.map((value, at) => (
                    <td key={at}>{shown(row.metric, value)}</td>
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
      </table>
    </div>
  );
}

function Change({ row, change }: { row: ComparedMetricRow; change: MetricChange }) {
  if (change.changeRatio === null) return <span class="faint">–</span>;
  const better = change.changeRatio > 0 === moreIsBetter.test(row.metric);
  const sure = change.significant && row.comparable;
  const { interval } = change;
  return (
    <>
      <strong class={sure ? (better ? 'good-text' : 'bad-text') : 'faint'}>{signed(change.changeRatio)}</strong>{' '}
      {interval !== null && (
        <span class="faint">
          [{signed(interval[0])}, {signed(interval[1])}]
        </span>
      )}{' '}
      {sure && (
        <span class={`badge ${better ? 'good' : 'bad'}`}>
          {better ? t(both('better', '更好')) : t(both('worse', '更差'))}
        </span>
      )}
    </>
  );
}

function shown(metric: string, value: number | null): string {
  return /^(ttft|tpot|itl|latency|lateness)/.test(metric) ? time(value) : num(value);
}
