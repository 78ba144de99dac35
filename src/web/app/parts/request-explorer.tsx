import type { Sweep } from '../../../core/index.ts';
import { timelineData } from '../charts/timeline-data.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { count, time } from '../format.ts';
import { useEffect, useMemo, useState } from '../preact.ts';
import { ApiError } from '../state/ask.ts';
import { rewriteQuery } from '../state/place.ts';
import { loadRequests } from '../state/load-requests.ts';
import { windowFigures } from '../state/request-data.ts';
import type { RequestData } from '../state/request-data.ts';
import { t } from '../state/settings.ts';
import { RequestDetail } from './request-detail.tsx';
import { RequestTable } from './request-table.tsx';
import { TroubleBox, Waiting } from './states.tsx';
import { DistributionTable, loadName } from './summary-figures.tsx';

interface ExplorerProps {
  id: string;
  sweep: Sweep | null;
  runs: readonly string[];
  query: URLSearchParams;
  /** Told once all requests are there, or cannot be had. */
  whole(): void;
}

/** Every request of a run: a time window to brush, percentiles for it, a table of all, and one in full. */
export function RequestExplorer({ id, sweep, runs, query, whole }: ExplorerProps) {
  const [data, setData] = useState<RequestData | null>(null);
  const [rows, setRows] = useState(0);
  const [trouble, setTrouble] = useState<ApiError | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    loadRequests(id, stop.signal, (now) => {
      setData(now);
      setRows(now.whole ? now.rows + 0.5 : now.rows);
    })
      .catch((error: unknown) => {
        if (!stop.signal.aborted && error instanceof ApiError) setTrouble(error);
      })
      .finally(whole);
    return () => stop.abort();
  }, [id]);
  const startMs = useMemo(() => data?.startMs() ?? 0, [data, rows]);
  const window = windowOf(query, startMs);
  const figures = useMemo(
    () => (data === null ? null : windowFigures(data, window)),
    [data, rows, window?.[0], window?.[1]],
  );
  const brush = window === null ? null : ([(window[0] - startMs) / 1000, (window[1] - startMs) / 1000] as const);
  const chart = useMemo(() => (data === null ? null : timelineData(data, startMs)), [data, rows]);
  const request = query.get('request');
  return (
    <section aria-labelledby="requests-title" class="explorer">
      <h2 id="requests-title">
        {t('Requests', '请求')}{' '}
        {data !== null && (
          <span class="faint">
            {count(data.rows)}
            {data.whole ? '' : ' …'}
          </span>
        )}
      </h2>
      {sweep !== null && (
        <label class="point-choice">
          {t('of the point', '测试点')}{' '}
          <select
            value={id.split('/')[1]}
            onChange={(event) =>
              rewriteQuery({ point: event.currentTarget.value, from: null, to: null, request: null })
            }
          >
            {sweep.points
              .filter(({ runId }) => runs.includes(runId))
              .map((point) => (
                <option key={point.runId} value={point.runId}>
                  {loadName(point)}
                </option>
              ))}
          </select>
        </label>
      )}
      {trouble !== null && <TroubleBox trouble={trouble} />}
      {data === null && trouble === null && <Waiting height={560} />}
      {data !== null && figures !== null && (
        <>
          <TimeChart
            title={t(
              'Drag over a stretch of time: percentiles below are of the requests sent in it',
              '拖选一段时间：下方百分位只统计其间发送的请求',
            )}
            data={chart!}
            series={[
              { name: t('in flight', '并发'), color: 0 },
              { name: t('finished/s', '完成/秒'), color: 2 },
              { name: t('failed/s', '失败/秒'), color: 6 },
            ]}
            brush={brush}
            onBrush={(range) =>
              rewriteQuery({
                from: range === null ? null : range[0].toFixed(2),
                to: range === null ? null : range[1].toFixed(2),
              })
            }
          />
          <p class="window-line" aria-live="polite">
            {brush === null ? (
              t('The whole run: ', '整个运行：')
            ) : (
              <>
                <strong>
                  {time(brush[0] * 1000)} – {time(brush[1] * 1000)}
                </strong>{' '}
                <button type="button" class="small" onClick={() => rewriteQuery({ from: null, to: null })}>
                  {t('Whole run', '整个运行')}
                </button>{' '}
              </>
            )}
            {t(
              `${count(figures.sent)} sent, ${count(figures.ok)} ok, ${count(figures.failed)} failed`,
              `发送 ${count(figures.sent)}，成功 ${count(figures.ok)}，失败 ${count(figures.failed)}`,
            )}
          </p>
          <div id="window-figures">
            <DistributionTable
              caption={t('Percentiles of the window', '所选时间段的百分位')}
              rows={[
                [t('Latency', '延迟'), figures.latencyMs, true],
                [t('First token (TTFT)', '首 Token (TTFT)'), figures.ttftMs, true],
                [t('Per output token (TPOT)', '每 Token (TPOT)'), figures.tpotMs, true],
                [t('Lateness of sends', '发送滞后'), figures.latenessMs, true],
                [t('Output tokens', '输出 token'), figures.outputTokens, false],
              ]}
            />
          </div>
          <RequestTable data={data} version={rows} startMs={startMs} window={window} query={query} />
          {request !== null && <RequestDetail key={request} id={id} data={data} seq={Number(request)} />}
        </>
      )}
    </section>
  );
}

function windowOf(query: URLSearchParams, startMs: number): [number, number] | null {
  const [from, to] = [query.get('from'), query.get('to')].map((text) => (text === null ? NaN : Number(text)));
  return Number.isFinite(from) && Number.isFinite(to) ? [startMs + from! * 1000, startMs + to! * 1000] : null;
}
