import type { Sweep } from '../../../core/index.ts';
import type { Comparison } from '../../../results/measure/index.ts';
import { compareInWords, doubtsInWords } from '../../../results/report/index.ts';
import type { Figure } from '../../../results/report/index.ts';
import { ComparePicker } from '../parts/compare-picker.tsx';
import { CompareTable } from '../parts/compare-table.tsx';
import { Downloads } from '../parts/downloads.tsx';
import { Frontier } from '../parts/frontier.tsx';
import { Figures } from '../parts/figures.tsx';
import { Doubts, FindingBox } from '../parts/findings.tsx';
import { ForestPlot } from '../parts/forest.tsx';
import { TroubleBox, Waiting } from '../parts/states.tsx';
import { ask, useLoaded } from '../state/ask.ts';
import type { Place } from '../state/place.ts';
import { t } from '../state/settings.ts';

interface Compared {
  comparison: Comparison;
  figures: Figure[];
  sweeps: Sweep[];
  forms: string[];
}

/** Any results side by side: the first is the baseline. */
export function ComparePage({ place }: { place: Place }) {
  const ids = place.query.getAll('id');
  const query = new URLSearchParams(ids.map((id) => ['id', id])).toString();
  const { data, trouble, again } = useLoaded(ids.length < 2 ? null : query, (signal) =>
    ask<Compared>(`/compare?${query}`, { signal }),
  );
  return (
    <>
      <div class="page-head">
        <h1>{t('Compare', '对比')}</h1>
        <p class="faint">
          {ids.length < 2
            ? t('pick two results or more; the first is the baseline', '请选择两个或更多结果，第一个为基线')
            : t('the first is the baseline', '第一个为基线')}
        </p>
        {data !== null && (
          <div class="actions">
            <Downloads path="/compare/report" forms={data.forms} more={ids.map((id) => ['id', id])} />
          </div>
        )}
      </div>
      <ComparePicker ids={ids} names={data?.comparison.names ?? []} />
      {trouble !== null && <TroubleBox trouble={trouble} again={again} />}
      {ids.length >= 2 && data === null && trouble === null && <Waiting height={600} />}
      {data !== null && ids.length >= 2 && (
        <>
          <ComparedResults compared={data} query={place.query} />
          <Frontier ids={ids} names={data.comparison.names} changed={again} />
        </>
      )}
    </>
  );
}

function ComparedResults({ compared, query }: { compared: Compared; query: URLSearchParams }) {
  const { comparison, figures } = compared;
  const answers = compareInWords(comparison);
  const doubts = doubtsInWords([{ name: null, findings: comparison.findings }]);
  const remarks = comparison.findings.filter(({ severity }) => severity === 'info');
  return (
    <>
      {answers.map(({ tone, says }, i) => (
        <section class={`verdict ${tone}`} key={i} aria-label={t('Verdict', '结论')}>
          <p class="verdict-line">
            <strong>{t(says)}</strong>
          </p>
        </section>
      ))}
      {comparison.names.slice(1).map((name, i) => (
        <ForestPlot key={`${name}${i}`} comparison={comparison} candidate={i} />
      ))}
      {doubts.length > 0 && <Doubts doubts={doubts} cautions={[]} />}
      {comparison.metrics.length > 0 && (
        <section aria-labelledby="differences-title">
          <h2 id="differences-title">{t('Differences', '差异')}</h2>
          <CompareTable comparison={comparison} />
        </section>
      )}
      {remarks.length > 0 && (
        <details>
          <summary>{t(`Remarks (${remarks.length})`, `备注（${remarks.length}）`)}</summary>
          {remarks.map((finding, i) => (
            <FindingBox key={i} finding={finding} at={[]} many={false} />
          ))}
        </details>
      )}
      {figures.length > 0 && (
        <section aria-labelledby="charts-title">
          <h2 id="charts-title">{t('Charts', '图表')}</h2>
          <Figures figures={figures} query={query} />
        </section>
      )}
    </>
  );
}
