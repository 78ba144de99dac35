import type { Sweep } from '../../../core/index.ts';
import { asSweep, runInWords, sweepInWords } from '../../../results/report/index.ts';
import type { EntryPage } from '../../api/shapes.ts';
import { KindBadges, VerdictBadge } from '../parts/badge.tsx';
import { Downloads } from '../parts/downloads.tsx';
import { LoadedFigures } from '../parts/figures.tsx';
import { Findings } from '../parts/findings.tsx';
import { PointsTable, SummaryTiles } from '../parts/summary-figures.tsx';
import { RequestExplorer } from '../parts/request-explorer.tsx';
import { TroubleBox, Waiting } from '../parts/states.tsx';
import { Workers } from '../parts/workers.tsx';
import { useState } from '../preact.ts';
import { ask, useLoaded } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import type { Place } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { when } from '../format.ts';

const manyRequests = 20_000;

/** One run or sweep: what to think of it first, then its figures, charts, requests and plan. */
export function RunPage({ place }: { place: Place }) {
  const id = place.rest;
  const { data, trouble, again } = useLoaded(id, (signal) =>
    ask<EntryPage>(`/runs/${encodeURIComponent(id)}`, { signal }),
  );
  if (trouble !== null && data === null) return <TroubleBox trouble={trouble} again={again} />;
  if (data === null) return <Waiting height={640} />;
  return <Told page={data} id={id} query={place.query} />;
}

function Told({ page, id, query }: { page: EntryPage; id: string; query: URLSearchParams }) {
  const { row, record, runs, command } = page;
  const { what } = page;
  const sweep = what?.schema === 'llmdyno.sweep/1' ? what : null;
  const run = what?.schema === 'llmdyno.summary/1' ? what : null;
  const [outer, inner] = id.split('/');
  const point = sweep === null ? id : pointOf(sweep, runs, query.get('point'), outer!);
  // Charts of a long run take the server seconds: the requests come first.
  const [rowsThere, setRowsThere] = useState(false);
  const chartsMayLoad = rowsThere || (run?.counts.planned ?? 0) < manyRequests;
  const points = sweep?.points ?? (run === null ? [] : [run]);
  return (
    <>
      <nav class="crumbs" aria-label={t(both('Path', '路径'))}>
        <a href={linkTo('runs')}>{t(both('Runs', '运行'))}</a>
        {inner !== undefined && (
          <>
            {' / '}
            <a href={linkTo('run', outer)}>{outer}</a>
          </>
        )}
      </nav>
      <div class="page-head">
        <h1>{row.label ?? row.id}</h1>
        <KindBadges row={row} />
        <VerdictBadge verdict={row.verdict} />
        <p class="faint">
          <span class="id">{id}</span> · {when(row.startedAt)}
          {row.model !== null && ` · ${row.model}`}
          {row.engine !== null && ` · ${row.engine}`}
        </p>
        <div class="actions">
          {row.live && (
            <a class="button primary" href={linkTo('live', outer)}>
              {t(both('Watch live', '实时观察'))}
            </a>
          )}
          <a class="button" href={linkTo('compare', '', new URLSearchParams([['id', id]]))}>
            {t(both('Compare with…', '与…比较'))}
          </a>
          <Downloads path={`/runs/${encodeURIComponent(id)}/report`} forms={page.forms} />
        </div>
      </div>
      {run !== null && <p class="lead">{t(runInWords(run).says)}</p>}
      {sweep !== null && (
        <p class="lead">
          {sweepInWords(sweep)
            .says.map((sentence) => t(sentence))
            .join(' ')}
        </p>
      )}
      <Findings points={points} sweepFindings={sweep?.findings ?? []} />
      {run !== null && <SummaryTiles summary={run} />}
      {sweep !== null && <PointsTable sweep={sweep} runs={runs} id={outer!} />}
      {what !== null && <Workers sweep={what.schema === 'llmdyno.sweep/1' ? what : asSweep(what)} />}
      <section aria-labelledby="charts-title">
        <h2 id="charts-title">{t(both('Charts', '图表'))}</h2>
        <p class="faint hint">
          {t(
            both(
              'Hover for exact numbers · drag over a panel to zoom · click a name to hide it · the address keeps what you see',
              '悬停查看精确数值 · 拖动可放大 · 点击图例可隐藏 · 网址记录当前视图',
            ),
          )}
        </p>
        {chartsMayLoad ? <LoadedFigures id={id} query={query} /> : <Waiting height={520} />}
      </section>
      {point !== null && row.tool === 'llmdyno' && (
        <RequestExplorer
          key={point}
          id={point}
          sweep={sweep}
          runs={runs}
          query={query}
          whole={() => setRowsThere(true)}
        />
      )}
      <section aria-labelledby="plan-title">
        <h2 id="plan-title">{t(both('Plan', '计划'))}</h2>
        {command !== null && <pre class="command">{command.map(quoted).join(' ')}</pre>}
        <details>
          <summary>{sweep === null ? 'plan.json' : 'sweep.json'}</summary>
          <pre tabIndex={0}>{JSON.stringify(record, null, 2)}</pre>
        </details>
      </section>
    </>
  );
}

/** The point whose requests are shown: the one asked for, else the one with the highest load. */
function pointOf(sweep: Sweep, runs: readonly string[], asked: string | null, outer: string): string | null {
  const inner =
    asked !== null && runs.includes(asked) ? asked : sweep.points.findLast(({ runId }) => runs.includes(runId))?.runId;
  return inner === undefined ? null : `${outer}/${inner}`;
}

function quoted(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
