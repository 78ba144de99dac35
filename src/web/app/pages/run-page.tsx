import { isGrid, shellWord } from '../../../core/index.ts';
import type { Sweep } from '../../../core/index.ts';
import {
  askedInWords,
  asSweep,
  doubtsInWords,
  pointName,
  runInWords,
  simulationNotes,
  sweepFigure,
} from '../../../results/report/index.ts';
import type { Figure } from '../../../results/report/index.ts';
import type { EntryPage } from '../../api/shapes.ts';
import { KindBadges, VerdictBadge } from '../parts/badge.tsx';
import { Downloads } from '../parts/downloads.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { FigureBox } from '../parts/figure-box.tsx';
import { Frontier } from '../parts/frontier.tsx';
import { Figures } from '../parts/figures.tsx';
import { Doubts } from '../parts/findings.tsx';
import { promisedIn, SweepAnswer } from '../parts/sweep-answer.tsx';
import { FirstTiles, MoreFigures, PointsTable } from '../parts/summary-figures.tsx';
import { RequestExplorer } from '../parts/request-explorer.tsx';
import { TroubleBox, Waiting } from '../parts/states.tsx';
import { Workers } from '../parts/workers.tsx';
import { useMemo, useState } from '../preact.ts';
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
  return <StoredResult page={data} id={id} query={place.query} />;
}

function StoredResult({ page, id, query }: { page: EntryPage; id: string; query: URLSearchParams }) {
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
  const figures = useLoaded(chartsMayLoad ? id : null, (signal) =>
    ask<Figure[]>(`/runs/${encodeURIComponent(id)}/figures`, { signal }),
  );
  const promised = useMemo(() => (sweep === null ? null : promisedIn(sweep, query)), [sweep, query.toString()]);
  // Made here where other limits than those that were promised are typed, and until the server has read every request for its bands.
  const first = useMemo(() => {
    const made = promised === null || isGrid(promised.sweep.points) ? undefined : sweepFigure(promised.sweep);
    const own = made !== undefined && made.panels.length > 0 ? made : undefined;
    return promised?.changed === true ? (own ?? figures.data?.[0]) : (figures.data?.[0] ?? own);
  }, [promised, figures.data]);
  const doubts = useMemo(
    () =>
      doubtsInWords([
        ...points.map((one) => ({
          name: sweep === null ? null : pointName(sweep, one),
          findings: one.verdict.findings,
        })),
        { name: null, findings: sweep?.findings ?? [] },
      ]),
    [what],
  );
  const cautions = [
    ...simulationNotes(points),
    ...(sweep !== null && points.some(({ partial }) => partial)
      ? [both('Partial: a point did not end by itself.', '不完整：有测试点未正常结束。')]
      : []),
  ];
  return (
    <>
      <nav class="crumbs" aria-label={t('Path', '路径')}>
        <a href={linkTo('runs')}>{t('Runs', '运行')}</a>
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
              {t('Watch live', '实时观察')}
            </a>
          )}
          <a class="button" href={linkTo('compare', '', new URLSearchParams([['id', id]]))}>
            {t('Compare with…', '与…比较')}
          </a>
          <Downloads path={`/runs/${encodeURIComponent(id)}/report`} forms={page.forms} />
        </div>
      </div>
      {points.length > 0 && <p class="faint asked">{t(askedInWords(points, targetOf(record)))}</p>}
      {run !== null && <p class="lead">{t(runInWords(run).says)}</p>}
      {run !== null && <FirstTiles summary={run} />}
      {sweep !== null && promised !== null && <SweepAnswer sweep={promised.sweep} limits={promised} />}
      {first !== undefined ? (
        <FigureBox figure={first} query={query} />
      ) : figures.data === null ? (
        <Waiting height={420} />
      ) : null}
      {figures.trouble !== null && <TroubleBox trouble={figures.trouble} again={figures.again} />}
      <Doubts doubts={doubts} cautions={cautions} />
      {run !== null && <MoreFigures summary={run} />}
      {promised !== null && <PointsTable sweep={promised.sweep} runs={runs} id={outer!} />}
      {what !== null && <Workers sweep={what.schema === 'llmdyno.sweep/1' ? what : asSweep(what)} />}
      <section aria-labelledby="charts-title">
        <h2 id="charts-title">{t('Charts', '图表')}</h2>
        <p class="faint hint">
          {t(
            'Hover for exact numbers · drag over a panel to zoom · click a name to hide it · the address keeps what you see',
            '悬停查看精确数值 · 拖动可放大 · 点击图例可隐藏 · 网址记录当前视图',
          )}
        </p>
        {figures.data === null ? <Waiting height={520} /> : <Figures figures={figures.data.slice(1)} query={query} />}
      </section>
      {what !== null && !row.live && inner === undefined && (
        <Frontier ids={[id]} names={[row.label ?? id]} changed={figures.again} />
      )}
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
        <h2 id="plan-title">{t('Plan', '计划')}</h2>
        {command !== null && <CodeBlock text={command.map(shellWord).join(' ')} />}
        <details>
          <summary>{sweep === null ? 'plan.json' : 'sweep.json'}</summary>
          <CodeBlock text={JSON.stringify(record, null, 2)} />
        </details>
      </section>
    </>
  );
}

/** The server's address, as the record of a run has it. */
function targetOf(record: EntryPage['record']): string | null {
  const target = (record['plan'] as { target?: { url?: unknown } } | undefined)?.target?.url;
  return typeof target === 'string' ? target : null;
}

/** The point whose requests are shown: the one asked for, else the one with the highest load. */
function pointOf(sweep: Sweep, runs: readonly string[], asked: string | null, outer: string): string | null {
  const inner =
    asked !== null && runs.includes(asked) ? asked : sweep.points.findLast(({ runId }) => runs.includes(runId))?.runId;
  return inner === undefined ? null : `${outer}/${inner}`;
}
