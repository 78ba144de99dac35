import type { Phrase, Summary } from '../../../core/index.ts';
import { cdfOf, requestSpans, timelineOf } from '../../measure/index.ts';
import type { TimelineStep, Trace } from '../../measure/index.ts';
import { chartLabels } from './chart-labels.ts';
import type { Axis, ChartSeries, Figure, LinePanel, Words } from './figure.ts';
import { simulationNotes } from './sweep-figures.ts';

/** Something sampled on the run's clock: a device's power or memory, a metric of the server. */
export interface Sampled {
  /** requests: joins the client's own count of requests in flight. */
  about: 'requests' | 'server' | 'devices' | 'host';
  /** With its unit. */
  title: Words;
  series: readonly { name: Words; points: readonly { atMs: number; value: number | null }[] }[];
}

const percentileNames = ['p50', 'p90', 'p99'] as const;

/** The one picture of a run: how first tokens, times per token and latencies spread, and its throughput over time. */
export function cdfFigure(summary: Summary, trace: Trace): Figure | null {
  const kinds = [
    ['ttftMs', chartLabels.ttft],
    ['tpotMs', chartLabels.tpot],
    ['latencyMs', chartLabels.latencyMs],
  ] as const;
  const panels = kinds.flatMap(([key, title]): LinePanel[] => {
    const pairs = summary[key] === null ? [] : cdfOf(trace, key);
    if (pairs.length < 2) return [];
    return [
      {
        kind: 'lines',
        title,
        x: { name: title, from: 0 },
        y: { name: chartLabels.share, to: 100 },
        series: [
          {
            // The panels say what they show; a legend would say it again.
            name: 'CDF',
            kind: 'steps',
            plain: true,
            points: [{ share: 0, value: pairs[0]!.value }, ...pairs].map(({ share, value }) => ({
              x: value,
              y: share * 100,
            })),
          },
        ],
      },
    ];
  });
  if (panels.length === 0) return null;
  const steps = timelineOf(trace);
  const overTime = ownPanel(chartLabels.throughput, timeAxis(trace), steps, (step) => step.outputTokensPerSec);
  const course =
    steps.length < 2 ? [] : [{ ...overTime, series: overTime.series.map((one) => ({ ...one, name: 'CDF' })) }];
  return {
    id: 'distribution',
    title: {
      en: 'Share of requests at or below a value (%), and throughput over time',
      zh: '不超过某值的请求占比 (%) 与吞吐量变化',
    },
    about: {
      en: `Cumulative distributions; half of the requests took at most ${wholeMs(summary.latencyMs?.p50)}, 99 % at most ${wholeMs(summary.latencyMs?.p99)}.`,
      zh: `累积分布：一半请求的延迟不超过 ${wholeMs(summary.latencyMs?.p50)}，99% 不超过 ${wholeMs(summary.latencyMs?.p99)}。`,
    },
    columns: panels.length + course.length,
    panels: [...panels, ...course],
    notes: simulationNotes([summary]),
  };
}

function wholeMs(value: number | null | undefined): string {
  return typeof value === 'number' ? `${Math.round(value)} ms` : '–';
}

/** The run over time on one axis: in flight at the client and at the server, throughput, token times, and the server's metrics. */
export function overTimeFigure(summary: Summary, trace: Trace, sampled: readonly Sampled[] = []): Figure | null {
  const steps = timelineOf(trace);
  if (steps.length < 2) return null;
  const axis = timeAxis(trace);
  const own = (title: Phrase, of: (step: TimelineStep) => number | null): LinePanel => ownPanel(title, axis, steps, of);
  const bands = (title: Phrase, key: 'ttftMs' | 'itlMs'): LinePanel =>
    timePanel(
      title,
      axis,
      percentileNames.map((name): ChartSeries => ({
        name,
        kind: 'line',
        points: steps.map((step) => ({ x: step.atMs / 1000, y: step[key][name] })),
      })),
    );
  const inFlight = own(chartLabels.inFlight, (step) => step.inFlight);
  const atServer = sampled.filter(({ about }) => about === 'requests').flatMap((one) => seriesOf(one, trace));
  return {
    id: 'over-time',
    title: { en: 'The run over time', zh: '运行过程' },
    about: {
      en: 'Requests in flight, throughput, time to first token and time between tokens over the run, with what the server told of itself; requests are booked when they were sent.',
      zh: '运行过程中的并发、吞吐量、首 Token 时延、token 间隔以及服务器指标；按请求发送时刻统计。',
    },
    columns: 2,
    panels: [
      { ...inFlight, series: [...inFlight.series, ...atServer] },
      own(chartLabels.throughput, (step) => step.outputTokensPerSec),
      ...(summary.ttftMs === null ? [] : [bands(chartLabels.ttft, 'ttftMs')]),
      ...(summary.itlMs === null ? [] : [bands(chartLabels.itl, 'itlMs')]),
      ...sampledPanels(sampled, 'server', trace),
    ],
    notes: simulationNotes([summary]),
  };
}

/** What the cards and the host's CPUs did, on the time axis of the run; null where nothing was sampled. */
export function devicesFigure(summary: Summary, trace: Trace, sampled: readonly Sampled[]): Figure | null {
  const panels = [...sampledPanels(sampled, 'devices', trace), ...sampledPanels(sampled, 'host', trace)];
  // One reading of each is no course of time; the summary tells it.
  if (panels.every(({ series }) => series.every(({ points }) => points.length < 2))) return null;
  return {
    id: 'devices',
    title: { en: 'Cards and host over time', zh: '卡与主机' },
    about: {
      en: 'Power, memory, use and temperature of every card, and the CPUs of the host, over the run.',
      zh: '运行期间各卡的功率、显存、利用率、温度，以及主机 CPU。',
    },
    columns: Math.min(2, panels.length),
    panels,
    notes: simulationNotes([summary]),
  };
}

/** What the client saw over time. */
function ownPanel(
  title: Phrase,
  axis: Axis,
  steps: readonly TimelineStep[],
  of: (step: TimelineStep) => number | null,
): LinePanel {
  return timePanel(title, axis, [
    { name: chartLabels.client, kind: 'line', points: steps.map((step) => ({ x: step.atMs / 1000, y: of(step) })) },
  ]);
}

function sampledPanels(sampled: readonly Sampled[], about: Sampled['about'], trace: Trace): LinePanel[] {
  return sampled.flatMap((one) => {
    const series = one.about === about ? seriesOf(one, trace) : [];
    return series.length === 0 ? [] : [timePanel(one.title, timeAxis(trace), series)];
  });
}

/** Samples within the run; a series with none of them is left out. */
function seriesOf({ series }: Sampled, trace: Trace): ChartSeries[] {
  const { fromMs, toMs } = trace.span()!;
  return series.flatMap(({ name, points }): ChartSeries[] => {
    const inside = points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    const drawn = inside.map(({ atMs, value }) => ({ x: (atMs - fromMs) / 1000, y: value }));
    return drawn.some(({ y }) => y !== null) ? [{ name, kind: 'line', plain: true, points: drawn }] : [];
  });
}

/** The same for every panel of a run, so that what lies above each other happened together. */
function timeAxis(trace: Trace): Axis {
  const { fromMs, toMs } = trace.span()!;
  return { name: chartLabels.seconds, from: 0, to: Math.max(0.001, (toMs - fromMs) / 1000) };
}

function timePanel(title: Words, x: Axis, series: readonly ChartSeries[]): LinePanel {
  return { kind: 'lines', title, x, y: { name: title }, series: series.map((one) => ({ ...one, plain: true })) };
}

/** Each request as a bar: waiting for the first token, then receiving; thinned evenly where there are many. */
export function timelineFigure(summary: Summary, trace: Trace): Figure | null {
  const spans = requestSpans(trace, 160);
  if (spans.length === 0) return null;
  const all = trace.table.sent.length;
  const thinned: Words[] =
    spans.length < all
      ? [
          {
            en: `${spans.length} of ${all} requests, evenly picked.`,
            zh: `均匀抽取 ${all} 个请求中的 ${spans.length} 个。`,
          },
        ]
      : [];
  const streamed = summary.ttftMs !== null;
  return {
    id: 'requests',
    title: { en: 'Requests one by one', zh: '逐个请求' },
    about: {
      en: 'Every row is a request: waiting for the first token, then receiving tokens; failed requests in a colour of their own.',
      zh: '每行一个请求：先等待首 Token，再接收 token；失败请求另用颜色标出。',
    },
    columns: 1,
    panels: [
      {
        kind: 'spans',
        title: { en: 'Requests, in the order they were sent', zh: '请求（按发送顺序）' },
        x: { name: chartLabels.seconds, from: 0 },
        y: { name: chartLabels.requestNumber },
        phases: [
          { name: chartLabels.waiting, tone: 'wait' },
          { name: chartLabels.decoding, tone: 'work' },
          { name: chartLabels.failed, tone: 'bad' },
        ],
        rows: spans.map((span) => ({
          name: String(span.seq),
          spans: span.ok
            ? [
                {
                  fromX: span.sentMs / 1000,
                  toX: (streamed ? (span.firstOutputMs ?? span.endMs) : span.endMs) / 1000,
                  phase: 0,
                },
                ...(streamed && span.firstOutputMs !== null
                  ? [{ fromX: span.firstOutputMs / 1000, toX: span.endMs / 1000, phase: 1 }]
                  : []),
              ]
            : [{ fromX: span.sentMs / 1000, toX: span.endMs / 1000, phase: 2 }],
        })),
      },
    ],
    notes: [...simulationNotes([summary]), ...thinned],
  };
}
