import type { EntryPage } from '../../api/shapes.ts';
import { liveSeries, sampleCharts } from '../charts/live-data.ts';
import { sampleName } from '../charts/sample-names.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { count, num, time } from '../format.ts';
import { useMemo, useState } from '../preact.ts';
import { ask, tell, useLoaded } from '../state/ask.ts';
import { useLiveRun } from '../state/live-run.ts';
import type { LiveRun } from '../state/live-run.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { windowFigures } from '../state/request-data.ts';
import { Icon } from './icon.tsx';
import { causeName } from './request-table.tsx';
import { TroubleBox } from './states.tsx';
import { toast } from './toasts.tsx';

/** A run or sweep as it goes: progress, time left, charts that move, a way to stop it. */
export function LiveView({ id }: { id: string }) {
  const { data: page, trouble } = useLoaded(id, (signal) =>
    ask<EntryPage>(`/runs/${encodeURIComponent(id)}`, { signal }),
  );
  const run = useLiveRun(id);
  if (trouble !== null && page === null) return <TroubleBox trouble={trouble} />;
  const point = run.points.at(-1) ?? null;
  return (
    <>
      <nav class="crumbs" aria-label={t(both('Path', '路径'))}>
        <a href={linkTo('live')}>{t(both('Live', '实时'))}</a>
      </nav>
      <div class="page-head">
        <h1>{page?.row.label ?? id}</h1>
        {run.ended === null ? (
          <span class="badge live">{t(both('live', '进行中'))}</span>
        ) : (
          <span class="badge good" id="ended">
            {t(both('finished', '已结束'))}
          </span>
        )}
        {run.broken && <span class="badge warn">{t(both('reconnecting…', '重新连接中…'))}</span>}
        <p class="faint">
          <span class="id">{id}</span>
        </p>
        <div class="actions">
          {run.ended === null && <StopButton id={id} />}
          {run.ended !== null && (
            <a class="button primary" id="open-result" href={linkTo('run', id)}>
              {t(both('Open the result', '查看结果'))}
            </a>
          )}
        </div>
      </div>
      <Progress run={run} />
      {point !== null && <Moving run={run} />}
    </>
  );
}

function StopButton({ id }: { id: string }) {
  const [asked, setAsked] = useState(false);
  const stop = (): void => {
    setAsked(true);
    tell(`/runs/${encodeURIComponent(id)}/stop`, {}).then(
      () => toast(t(both('It sends no more and waits for what is in flight', '不再发送，等待进行中的请求完成'))),
      () => setAsked(false),
    );
  };
  return (
    <button type="button" class="danger" id="stop-run" disabled={asked} onClick={stop}>
      <Icon name="stop" /> {asked ? t(both('Stopping…', '正在停止…')) : t(both('Stop gracefully', '平稳停止'))}
    </button>
  );
}

function Progress({ run }: { run: LiveRun }) {
  const point = run.points.at(-1);
  const done = run.data.rows;
  const elapsedMs = Math.max(run.state?.nowMs ?? 0, 0);
  const share =
    run.ended !== null
      ? 1
      : point === undefined
        ? 0
        : Math.min(
            1,
            Math.max(
              point.planned === null ? 0 : done / point.planned,
              point.durationMs === null ? 0 : elapsedMs / point.durationMs,
            ),
          );
  const leftMs = share > 0.02 && share < 1 && elapsedMs > 0 ? (elapsedMs / share) * (1 - share) : null;
  const load =
    point === undefined
      ? ''
      : point.ratePerSec === null
        ? t(both(`concurrency ${point.concurrency}`, `并发 ${point.concurrency}`))
        : `${num(point.ratePerSec)}/s`;
  return (
    <div class="progress-box">
      <div
        class="progress"
        role="progressbar"
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-label={t(both('Progress', '进度'))}
      >
        <div class="progress-done" style={{ width: `${share * 100}%` }} />
      </div>
      <p class="progress-line">
        {run.points.length > 1 && (
          <strong>{t(both(`point ${run.points.length}: `, `第 ${run.points.length} 个点：`))}</strong>
        )}
        {load} · {count(done)}
        {point?.planned != null && ` / ${count(point.planned)}`}
        {run.state?.warmup === true && ` · ${t(both('warming up', '预热中'))}`}
        {leftMs !== null && run.ended === null && ` · ${t(both(`about ${time(leftMs)} left`, `约剩 ${time(leftMs)}`))}`}
      </p>
    </div>
  );
}

function Moving({ run }: { run: LiveRun }) {
  const { data, samples, state } = run;
  const startMs = useMemo(() => data.startMs(), [data, data.rows]);
  const series = useMemo(() => liveSeries(data, startMs), [data, data.rows]);
  const figures = useMemo(() => windowFigures(data, null), [data, data.rows]);
  const watched = useMemo(() => sampleCharts(samples, startMs), [samples, samples.length, startMs]);
  const causes = useMemo(() => causesOf(run), [data, data.rows]);
  const recent = series.tokensPerSec.at(-2) ?? series.tokensPerSec.at(-1);
  const tiles: [string, string][] = [
    [t(both('In flight', '进行中')), run.ended === null ? count(state?.inFlight ?? null) : '0'],
    [t(both('Tokens/s now', '当前 token/秒')), num(recent ?? null)],
    [t(both('Requests/s now', '当前请求/秒')), num(series.donePerSec.at(-2) ?? series.donePerSec.at(-1) ?? null)],
    ['TTFT p50 / p99', `${time(figures.ttftMs?.p50)} / ${time(figures.ttftMs?.p99)}`],
    [t(both('Latency p50', '延迟 p50')), time(figures.latencyMs?.p50)],
    [t(both('ok', '成功')), count(figures.ok)],
    [t(both('failed', '失败')), count(figures.failed)],
  ];
  return (
    <>
      <div class="tiles">
        {tiles.map(([name, value]) => (
          <div class="tile" key={name}>
            <div class="tile-name">{name}</div>
            <div class="tile-value">{value}</div>
          </div>
        ))}
      </div>
      {causes.length > 0 && (
        <p class="bad-text">{causes.map(([cause, n]) => `${causeName(cause)}: ${n}`).join(' · ')}</p>
      )}
      <div class="chart-grid">
        <TimeChart
          title={t(both('Output tokens/s of finished requests', '已完成请求的输出 token/秒'))}
          data={[series.seconds, series.tokensPerSec]}
          series={[{ name: 'tokens/s', color: 0 }]}
        />
        <TimeChart
          title={t(both('In flight (of finished requests)', '并发（按已完成请求）'))}
          data={[series.seconds, series.inFlight]}
          series={[{ name: t(both('in flight', '并发')), color: 2 }]}
        />
        <TimeChart
          title={t(both('Time to first token (ms)', '首 token 时延 (ms)'))}
          data={[series.seconds, series.ttftP50Ms, series.ttftP99Ms]}
          series={[
            { name: 'p50', color: 0 },
            { name: 'p99', color: 1 },
          ]}
        />
        <TimeChart
          title={t(both('Requests finished and failed per second', '每秒完成与失败的请求'))}
          data={[series.seconds, series.donePerSec, series.failedPerSec]}
          series={[
            { name: t(both('finished', '完成')), color: 2 },
            { name: t(both('failed', '失败')), color: 6 },
          ]}
        />
        {watched.map(({ what, lines, data: lists }) => (
          <TimeChart
            key={`${what} ${lines.length}`}
            title={t(sampleName(what).title)}
            data={lists}
            series={lines.map((line, i) => ({ name: line === '' ? t(sampleName(what).title) : line, color: i + 3 }))}
          />
        ))}
      </div>
    </>
  );
}

function causesOf({ data }: LiveRun): [string, number][] {
  const counts = new Map<string, number>();
  for (let row = 0; row < data.rows; row++)
    if (!data.isOk(row)) counts.set(data.cause(row), (counts.get(data.cause(row)) ?? 0) + 1);
  return [...counts];
}
