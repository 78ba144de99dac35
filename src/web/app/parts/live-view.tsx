import type { EntryPage } from '../../api/shapes.ts';
import { remainingMs } from '../../../core/index.ts';
import { runInWords, shortFigure, sweepInWords } from '../../../results/report/index.ts';
import type { LiveState } from '../../api/live-events.ts';
import { endedPerSec, liveSeries, sampleCharts } from '../charts/live-data.ts';
import { sampleName } from '../charts/sample-names.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { count, num, time, unknown } from '../format.ts';
import { useMemo, useState } from '../preact.ts';
import { ask, tell, useLoaded } from '../state/ask.ts';
import { useLiveRun } from '../state/live-run.ts';
import type { LiveRun } from '../state/live-run.ts';
import { linkTo } from '../state/place.ts';
import { t } from '../state/settings.ts';
import { windowFigures } from '../state/request-data.ts';
import { Icon } from './icon.tsx';
import { causeName } from './request-table.tsx';
import { TroubleBox } from './states.tsx';

/** A run or sweep as it goes: progress, time left, charts that move, ways to stop it; what came of it, once it is over. */
export function LiveView({ id }: { id: string }) {
  const run = useLiveRun(id);
  const isOver = run.ended !== null;
  const { data: page, trouble } = useLoaded(isOver ? `${id} over` : id, (signal) =>
    ask<EntryPage>(`/runs/${encodeURIComponent(id)}`, { signal }),
  );
  if (trouble !== null && page === null) return <TroubleBox trouble={trouble} />;
  const point = run.points.at(-1) ?? null;
  return (
    <>
      <nav class="crumbs" aria-label={t('Path', '路径')}>
        <a href={linkTo('live')}>{t('Live', '实时')}</a>
      </nav>
      <div class="page-head">
        <h1>{page?.row.label ?? id}</h1>
        <StateBadge run={run} what={isOver ? (page?.what ?? null) : null} />
        {run.broken && <span class="badge warn">{t('reconnecting…', '重新连接中…')}</span>}
        <p class="faint">
          <span class="id">{id}</span>
        </p>
        <div class="actions">
          {!isOver && <StopButton id={id} stopping={run.state?.stopping ?? null} />}
          {isOver && (
            <a class="button primary" id="open-result" href={linkTo('run', id)}>
              {t('Open the result', '查看结果')}
            </a>
          )}
        </div>
      </div>
      {isOver && page !== null && <p class="lead">{outcomeOf(page.what)}</p>}
      <Progress run={run} />
      {point !== null && <Moving run={run} />}
    </>
  );
}

function outcomeOf(what: EntryPage['what']): string {
  if (what === null) return t('It ended without a summary.', '已结束，但没有汇总。');
  const says = what.schema === 'llmdyno.summary/1' ? [runInWords(what).says] : sweepInWords(what).says;
  return says.map((one) => t(one)).join(' ');
}

function StateBadge({ run, what }: { run: LiveRun; what: EntryPage['what'] }) {
  if (run.ended !== null) {
    const stopped = !run.ended.finished || (what?.schema === 'llmdyno.summary/1' && what.partial);
    return (
      <span class={`badge ${stopped ? 'warn' : 'good'}`} id="ended">
        {stopped ? t('stopped', '已停止') : t('finished', '已结束')}
      </span>
    );
  }
  const { state } = run;
  if (state?.stopping === 'cancel')
    return <span class="badge warn">{t('cancelling what is in flight', '正在取消进行中的请求')}</span>;
  if (state?.stopping === 'stop')
    return (
      <span class="badge warn" id="stopping">
        {t(`stopping: ${count(state.inFlight)} still in flight`, `正在停止：还有 ${count(state.inFlight)} 个进行中`)}
      </span>
    );
  return <span class="badge live">{t('live', '进行中')}</span>;
}

/** First to stop, then to cancel; what anybody asked for already is seen here, too. */
function StopButton({ id, stopping }: { id: string; stopping: LiveState['stopping'] }) {
  const [asked, setAsked] = useState<LiveState['stopping']>(null);
  const pending = stopping ?? asked;
  const how = pending === null ? 'stop' : 'cancel';
  const press = (): void => {
    setAsked(how);
    tell(`/runs/${encodeURIComponent(id)}/stop`, { how }).catch(() => setAsked(pending));
  };
  return (
    <button type="button" class="danger" id={`${how}-run`} disabled={(stopping ?? asked) === 'cancel'} onClick={press}>
      <Icon name="stop" />{' '}
      {how === 'stop' ? t('Stop gracefully', '平稳停止') : t('Cancel what is in flight', '取消进行中的请求')}
    </button>
  );
}

function Progress({ run }: { run: LiveRun }) {
  const point = run.points.at(-1);
  const { state, data, pace } = run;
  const done = data.rows;
  const elapsedMs = state === null ? null : Math.max(0, state.nowMs - (done > 0 ? data.startMs() : 0));
  const share =
    run.ended !== null && (point?.planned == null || done >= point.planned)
      ? 1
      : point === undefined
        ? 0
        : Math.min(
            1,
            Math.max(
              point.planned === null ? 0 : done / point.planned,
              point.durationMs === null ? 0 : (elapsedMs ?? 0) / point.durationMs,
            ),
          );
  const isMoving = run.ended === null && pace !== null && state?.stopping === null;
  const leftMs = isMoving && elapsedMs !== null ? remainingMs(elapsedMs, share, pace) : null;
  const load =
    point === undefined
      ? ''
      : point.ratePerSec === null
        ? t(`concurrency ${point.concurrency}`, `并发 ${point.concurrency}`)
        : `${num(point.ratePerSec)}/s`;
  return (
    <div class="progress-box">
      <div
        class="progress"
        role="progressbar"
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-label={t('Progress', '进度')}
      >
        <div class="progress-done" style={{ width: `${share * 100}%` }} />
      </div>
      <p class="progress-line">
        {run.points.length > 1 && (
          <strong>{t(`point ${run.points.length}: `, `第 ${run.points.length} 个点：`)}</strong>
        )}
        {load} · {count(done)}
        {point?.planned != null && ` / ${count(point.planned)}`}
        {elapsedMs !== null && ` · ${t(`${time(elapsedMs)} so far`, `已用 ${time(elapsedMs)}`)}`}
        {state?.warmup === true && ` · ${t('warming up', '预热中')}`}
        {leftMs !== null && ` · ${t(`about ${time(leftMs)} left`, `约剩 ${time(leftMs)}`)}`}
      </p>
    </div>
  );
}

/** A client that says nothing new for so long is told to be silent itself. */
const clientSilentMs = 4000;

function Moving({ run }: { run: LiveRun }) {
  const { data, samples, state, pace, told } = run;
  const isLive = run.ended === null;
  const startMs = useMemo(() => data.startMs(), [data, data.rows]);
  const series = useMemo(
    () => liveSeries(data, startMs, isLive ? told : []),
    [data, data.rows, told.at(-1), isLive, startMs],
  );
  const figures = useMemo(() => windowFigures(data, null), [data, data.rows]);
  const watched = useMemo(() => sampleCharts(samples, startMs), [samples, samples.length, startMs]);
  const causes = useMemo(() => causesOf(run), [data, data.rows]);
  const ended = state === null ? null : endedPerSec(data, state.nowMs);
  const now = (byClient: number | null | undefined, byEnds: number | undefined): string =>
    isLive ? shortFigure(byClient ?? byEnds) : '0';
  const clientSilent = performance.now() - run.heardOfMs;
  const silent = isLive && pace?.isSilent === true;
  const tiles: [string, string, string][] = [
    [t('In flight', '进行中'), isLive ? count(state?.inFlight ?? null) : '0', ''],
    [t('Tokens/s now', '当前 tok/s'), now(pace?.tokensPerSec, ended?.tokens), ''],
    [t('Requests/s now', '当前请求/秒'), now(pace?.requestsPerSec, ended?.requests), ''],
    [
      t('Last token', '最近 token'),
      !isLive || pace?.silentMs == null ? unknown : t(`${time(pace.silentMs)} ago`, `${time(pace.silentMs)}前`),
      silent ? 'silent' : '',
    ],
    ['TTFT p50', time(figures.ttftMs?.p50), ''],
    ['TTFT p99', time(figures.ttftMs?.p99), ''],
    [t('Latency p50', '延迟 p50'), time(figures.latencyMs?.p50), ''],
    [t('ok', '成功'), count(figures.ok), ''],
    [t('failed', '失败'), count(figures.failed), figures.failed > 0 ? 'bad' : ''],
  ];
  return (
    <>
      <div class="tiles">
        {tiles.map(([name, value, tone]) => (
          <div class={`tile ${tone}`} key={name}>
            <div class="tile-name">{name}</div>
            <div class="tile-value">{value}</div>
          </div>
        ))}
      </div>
      <p class="warn-text" id="silence" role="status">
        {silent &&
          t(
            `The server is silent: nothing has come for ${time(pace.silentMs)}, ${count(state!.inFlight)} requests wait.`,
            `服务端静默：已有 ${time(pace.silentMs)} 没有任何数据，${count(state!.inFlight)} 个请求在等待。`,
          )}
        {isLive &&
          clientSilent > clientSilentMs &&
          t(
            `The client itself has said nothing for ${time(clientSilent)}: what stands here is that old.`,
            `压测端自身已 ${time(clientSilent)} 没有更新：以下内容即为当时的状态。`,
          )}
      </p>
      {causes.length > 0 && (
        <p class="bad-text">{causes.map(([cause, n]) => `${causeName(cause)}: ${n}`).join(' · ')}</p>
      )}
      <div class="chart-grid">
        <TimeChart
          title={t('Output tokens/s', '输出 tok/s')}
          data={[series.seconds, series.tokensPerSec]}
          series={[{ name: 'tokens/s', color: 0 }]}
        />
        <TimeChart
          title={t('Requests in flight', '进行中的请求')}
          data={[series.seconds, series.inFlight]}
          series={[{ name: t('in flight', '并发'), color: 2 }]}
        />
        <TimeChart
          title={t('Time to first token (ms)', '首 Token 时延 (ms)')}
          data={[series.seconds, series.ttftP50Ms, series.ttftP99Ms]}
          series={[
            { name: 'p50', color: 0 },
            { name: 'p99', color: 1 },
          ]}
        />
        <TimeChart
          title={t('Requests finished and failed per second', '每秒完成与失败的请求')}
          data={[series.seconds, series.donePerSec, series.failedPerSec]}
          series={[
            { name: t('finished', '完成'), color: 2 },
            { name: t('failed', '失败'), color: 6 },
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
