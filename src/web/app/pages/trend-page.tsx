import type { TrendCurve } from '../../../results/measure/index.ts';
import { trendInWords } from '../../../results/report/index.ts';
import { trendFigure } from '../charts/trend-figure.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { FigureBox } from '../parts/figure-box.tsx';
import { Empty, TroubleBox, Waiting } from '../parts/states.tsx';
import { useMemo } from '../preact.ts';
import { ask, useLoaded } from '../state/ask.ts';
import { rewriteQuery } from '../state/place.ts';
import type { Place } from '../state/place.ts';
import { t } from '../state/settings.ts';

const metrics = [
  'ttft.p99',
  'ttft.p50',
  'tpot.p99',
  'tpot.p50',
  'latency.p99',
  'latency.p50',
  'outputTokensPerSec',
  'requestsPerSec',
  'failed',
];

/** The rest is found by its label. */
const mostCurves = 6;

/** One metric over the runs of a label or tag, with the places where it surely changed. */
export function TrendPage({ place: { query } }: { place: Place }) {
  const metric = metrics.find((name) => name === query.get('metric')) ?? metrics[0]!;
  const [label, tag] = [query.get('label') ?? '', query.get('tag') ?? ''];
  const asked = new URLSearchParams({ metric, ...(label !== '' && { label }), ...(tag !== '' && { tag }) });
  const { data, trouble, again } = useLoaded(asked.toString(), (signal) =>
    ask<{ curves: TrendCurve[] }>(`/trend?${asked.toString()}`, { signal }),
  );
  const all = data?.curves ?? [];
  // What happened once has no history; where there is nothing else, it is shown.
  const measured = (least: number): TrendCurve[] =>
    all.filter(({ points }) => points.filter(({ value }) => value !== null).length >= least);
  const curves = (measured(2).length > 0 ? measured(2) : measured(1)).slice(0, mostCurves);
  const figure = useMemo(() => (curves.length === 0 ? null : trendFigure(curves, metric)), [data, metric]);
  const flags = `${label === '' ? '' : ` --label ${label}`}${tag === '' ? '' : ` --tag ${tag}`}`;
  return (
    <>
      <div class="page-head">
        <h1>{t('Trend', '趋势')}</h1>
        <p class="faint">{t('one metric over the runs of a label or tag', '某个标签或标记下的指标走势')}</p>
      </div>
      <form class="limits" onSubmit={(event) => event.preventDefault()}>
        <label>
          {t('Metric', '指标')}{' '}
          <select
            name="metric"
            value={metric}
            onChange={(event) => rewriteQuery({ metric: event.currentTarget.value })}
          >
            {metrics.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          {t('Label', '标签')}{' '}
          <input name="label" value={label} onChange={(event) => rewriteQuery({ label: event.currentTarget.value })} />
        </label>
        <label>
          {t('Tag', '标记')}{' '}
          <input name="tag" value={tag} onChange={(event) => rewriteQuery({ tag: event.currentTarget.value })} />
        </label>
      </form>
      {trouble !== null && <TroubleBox trouble={trouble} again={again} />}
      {data === null && trouble === null && <Waiting height={420} />}
      {data !== null && figure === null && (
        <Empty title={t('No finished run has that label or tag', '没有带该标签或标记的已完成运行')}>
          <p>{t('Choose another, or leave both empty for all runs.', '请另选，或留空以查看全部运行。')}</p>
        </Empty>
      )}
      {curves[0] !== undefined && <p class="lead">{t(trendInWords(curves[0], metric)[0]!)}</p>}
      {figure !== null && <FigureBox figure={figure} query={query} />}
      {curves.map((curve, i) =>
        trendInWords(curve, metric)
          .slice(i === 0 ? 1 : 0)
          .map((sentence, at) => <p key={`${i} ${at}`}>{t(sentence)}</p>),
      )}
      {figure !== null && all.length > curves.length && (
        <p class="faint">
          {t(
            `${all.length - curves.length} more curves are left out: of single runs, or beyond the first ${mostCurves}. A label or tag chooses.`,
            `另有 ${all.length - curves.length} 条曲线未显示：只有一次运行，或排在前 ${mostCurves} 条之后；可用标签或标记筛选。`,
          )}
        </p>
      )}
      <h2>{t('The same in a terminal', '等价命令')}</h2>
      <CodeBlock text={`dyno runs --trend ${metric}${flags}`} />
    </>
  );
}
