import { joined, meanOf, percentileRanks, placesOf, printable, say, quotedFigures } from '../../../core/index.ts';
import type { DimensionValue, Phrase, Summary, Sweep } from '../../../core/index.ts';
import { countColumns, missedOf } from '../count-columns.ts';
import { secondsOf } from '../figure-text.ts';
import { pointName, sweepName } from '../point-name.ts';
import { parseSlo } from '../../measure/index.ts';
import { sweepInWords } from '../sentence/sweep.ts';
import { labels } from '../labels.ts';
import { chartLabels } from './chart-labels.ts';
import type { Axis, BarPanel, ChartPoint, ChartSeries, Figure, LinePanel, Words } from './figure.ts';
import { distinctNames, loadAxis, loadLines, namedRuns, placeOf } from './load-lines.ts';

/** 95 % intervals of a point's figures by metric word (`latency.mean`, `outputTokensPerSec`), as ratios to the figure. */
export type PointIntervals = Readonly<Record<string, readonly [number, number] | null>>;

/** The intervals of a point; null = its requests are not at hand. */
export type IntervalsOf = (point: Summary) => PointIntervals | null;

/** One figure of a point, as a chart needs it. */
export interface Reading {
  title: Phrase;
  of(point: Summary): number | null | undefined;
  /** Metric word of its interval. */
  interval?: string;
  /** A count of something. */
  whole?: boolean;
  /** What was promised of it. */
  limits?: LinePanel['limits'];
}

const none: IntervalsOf = () => null;

const readings = {
  duration: { title: chartLabels.duration, of: (p) => secondsOf(p.durationMs) },
  qps: { title: chartLabels.qps, of: (p) => quotedFigures(p).requestsPerSec, interval: 'requestsPerSec' },
  latency: {
    title: chartLabels.latency,
    of: (p) => secondsOf(quotedFigures(p).latencyMs?.mean),
    interval: 'latency.mean',
  },
  throughput: {
    title: chartLabels.throughput,
    of: (p) => quotedFigures(p).outputTokensPerSec,
    interval: 'outputTokensPerSec',
  },
  p50: {
    title: chartLabels.latencyP50,
    of: (p) => secondsOf(quotedFigures(p).latencyMs?.p50),
    interval: 'latency.p50',
  },
  itl: { title: chartLabels.itl, of: (p) => quotedFigures(p).itlMs?.mean },
  p90: {
    title: chartLabels.latencyP90,
    of: (p) => secondsOf(quotedFigures(p).latencyMs?.p90),
    interval: 'latency.p90',
  },
} satisfies Record<string, Reading>;

const tokenTimes = {
  ttft: { key: 'ttftMs', en: 'Time to first token', zh: '首 Token 时延' },
  tpot: { key: 'tpotMs', en: 'Time per output token', zh: '每 Token 时延' },
} as const;

/** A time of tokens in ms, by the statistic that was promised of it, else p99, else what is known; with the limit that was promised. */
function tokenTime(metric: keyof typeof tokenTimes, points: readonly Summary[]): Reading {
  const { key, en, zh } = tokenTimes[metric];
  const promised = points.flatMap(({ slo = [] }) => slo.map(({ promise }) => parseSlo(promise)));
  const asked = promised.find((slo) => slo.metric === metric);
  const known = (['p99', 'p90', 'p50'] as const).find((name) =>
    points.some((p) => quotedFigures(p)[key]?.[name] != null),
  );
  const statistic = asked?.statistic ?? known ?? 'mean';
  const isLimit = asked !== undefined && (asked.statistic ?? statistic) === statistic;
  return {
    title: { en: `${en} ${statistic} (ms)`, zh: `${zh} ${statistic} (ms)` },
    of: (p) => quotedFigures(p)[key]?.[statistic],
    interval: `${metric}.${statistic}`,
    ...(isLimit && { limits: [{ value: asked.limit, name: printable(asked.text) }] }),
  };
}

/** Failed requests, with the lost ones where any were lost. */
function failures(sweeps: readonly Sweep[]): Reading {
  const [, ...more] = countColumns(sweeps.flatMap(({ points }) => points));
  const lost = more.some(({ name }) => name === labels.missed);
  return {
    title: lost ? chartLabels.missed : chartLabels.failures,
    of: (p) => missedOf(p.counts),
    whole: true,
  };
}

/**
 * The panels of a sweep, at most six, against what varies: throughput, first token, time per token, QPS, latency; percentiles and duration
 * where token times are not known. The point to run at, knee and peak are named in the first.
 */
export function sweepFigure(sweep: Sweep, intervals: IntervalsOf = none): Figure {
  const wanted = [
    readings.throughput,
    tokenTime('ttft', sweep.points),
    tokenTime('tpot', sweep.points),
    readings.qps,
    readings.latency,
    readings.p90,
    readings.p50,
    readings.duration,
    ...(sweep.points.some(({ counts }) => (missedOf(counts) ?? 0) > 0) ? [failures([sweep])] : []),
    readings.itl,
  ];
  const drawn = drawable(wanted.map((reading) => panelOf(reading, [sweep], intervals))).slice(0, 6);
  const panels = drawn.map((panel, i) => (i === 0 ? withMarks(panel, sweep) : panel));
  return {
    id: 'sweep',
    title: sweepName(sweep),
    about: {
      en: `${panels.length} panels: ${panels.map(({ title }) => say(title, 'en')).join(', ')}; ${sweep.points.length} points.`,
      zh: `${panels.length} 个面板：${panels.map(({ title }) => say(title, 'zh')).join('、')}，共 ${sweep.points.length} 个点。`,
    },
    columns: panels.length === 4 ? 2 : 3,
    panels,
    notes: panels.length === 0 ? [chartLabels.nothing] : notesOf([sweep], intervals),
  };
}

/** The panel with the names of the points that the sentence of the sweep speaks of; several lines have none. */
function withMarks(panel: LinePanel | BarPanel, sweep: Sweep): LinePanel | BarPanel {
  const [series, ...others] = panel.kind === 'lines' ? panel.series : [];
  const key = loadAxis([sweep])?.key;
  if (panel.kind !== 'lines' || series === undefined || others.length > 0 || key === undefined) return panel;
  const { best, knee, peak } = sweepInWords(sweep);
  const names = new Map<number, Phrase[]>();
  const name = (point: Summary | null, word: Phrase): void => {
    const x = point === null ? undefined : placesOf(sweep.points).of(point).get(key);
    if (typeof x === 'number') names.set(x, [...(names.get(x) ?? []), word]);
  };
  const promised = (sweep.points[0]?.slo ?? []).length > 0;
  if (promised) name(best, chartLabels.best);
  if (!promised || knee !== best) name(knee, chartLabels.knee);
  name(peak, chartLabels.peak);
  const points = series.points.map((point) => {
    const marks = names.get(point.x);
    if (marks === undefined) return point;
    return { ...point, label: joined(marks, ', ', '、') };
  });
  return { ...panel, series: [{ ...series, labels: 'inward', points }] };
}

/** The 2×2 comparison of any number of sweeps: throughput, QPS, latency, failures where there were any, else first tokens; each keeps its own x points. */
export function comparisonFigure(sweeps: readonly Sweep[], intervals: IntervalsOf = none): Figure {
  const names = sweeps.map(sweepName);
  const title = names.length <= 3 ? names.join(' vs ') : null;
  const all = sweeps.flatMap(({ points }) => points);
  const failed = all.some(({ counts }) => (missedOf(counts) ?? 0) > 0);
  const wanted = [
    readings.throughput,
    readings.qps,
    readings.latency,
    ...(failed ? [failures(sweeps)] : []),
    tokenTime('ttft', all),
    tokenTime('tpot', all),
  ];
  return {
    id: 'comparison',
    title: title ?? { en: `Comparison of ${names.length} systems`, zh: `${names.length} 个系统的对比` },
    about: {
      en: `Throughput, requests per second, mean latency and token times of ${names.join(', ')}.`,
      zh: `${names.join('、')} 的吞吐量、QPS、平均延迟与 token 时延。`,
    },
    columns: 2,
    panels: drawable(wanted.map((reading) => panelOf(reading, sweeps, intervals))).slice(0, 4),
    notes: notesOf(sweeps, intervals),
  };
}

/** The percentiles of one point whose requests are not at hand; null where none is known. */
export function percentilesFigure(sweep: Sweep): Figure | null {
  const [point] = sweep.points;
  if (point === undefined) return null;
  const kinds = [
    ['latencyMs', chartLabels.latencyMs],
    ['ttftMs', chartLabels.ttft],
    ['tpotMs', chartLabels.tpot],
    ['itlMs', chartLabels.itl],
  ] as const;
  const ranks = [
    ['min', 0] as const,
    ...percentileRanks.map((rank) => [`p${rank}`, rank] as const),
    ['max', 100] as const,
  ];
  const panels = kinds.flatMap(([key, title]): LinePanel[] => {
    const points = ranks.flatMap(([statistic, x]): ChartPoint[] => {
      const y = point[key]?.[statistic] ?? null;
      return y === null ? [] : [{ x, y, ...(point.verdict.valid ? {} : { why: reasonOf(point) }) }];
    });
    const x: Axis = { name: chartLabels.percentile, from: 0, to: 100 };
    const name = pointName(sweep, point);
    return points.length < 2
      ? []
      : [{ kind: 'lines', title, x, y: { name: title }, series: [{ name, kind: 'line', points }] }];
  });
  if (panels.length === 0) return null;
  return {
    id: 'percentiles',
    title: sweepName(sweep),
    about: { en: 'Latency and token times by percentile.', zh: '延迟与 token 时延的百分位。' },
    columns: Math.min(2, panels.length),
    panels,
    notes: notesOf([sweep]),
  };
}

/** Panels of which at least one value is known. */
function drawable(panels: readonly (LinePanel | BarPanel)[]): (LinePanel | BarPanel)[] {
  return panels.filter((panel) =>
    panel.kind === 'bars'
      ? panel.bars.some(({ y }) => y !== null)
      : panel.series.some(({ points }) => points.some(({ y }) => y !== null)),
  );
}

/** One figure against the load with a line per sweep and variant; as named bars where no load tells the points apart. */
export function panelOf(reading: Reading, sweeps: readonly Sweep[], intervals: IntervalsOf): LinePanel | BarPanel {
  const y: Axis = { name: reading.title, ...(reading.whole === true && { whole: true }) };
  const x = loadAxis(sweeps);
  if (x === null) {
    return {
      kind: 'bars',
      title: reading.title,
      y,
      bars: namedRuns(sweeps).map(({ name, runs }) => {
        const { y: mean, why } = chartPoint(reading, 0, runs, intervals);
        const each = runs.map((run) => reading.of(run) ?? null).filter((value) => value !== null);
        return { name, y: mean, ...(each.length > 1 && { each }), ...(why !== undefined && { why }) };
      }),
    };
  }
  return {
    kind: 'lines',
    title: reading.title,
    x: { name: x.name },
    y,
    ...(reading.limits !== undefined && { limits: reading.limits }),
    series: loadLines(sweeps).map(({ name, points }): ChartSeries => ({
      name,
      kind: 'line',
      points: points.map(({ x: at, runs }) => chartPoint(reading, at, runs, intervals)),
    })),
  };
}

function chartPoint(reading: Reading, x: number, runs: readonly Summary[], intervals: IntervalsOf): ChartPoint {
  const values = runs.map((run) => reading.of(run) ?? null).filter((value) => value !== null);
  const y = meanOf(values);
  const doubted = runs.find((run) => !run.verdict.valid);
  const [only] = runs;
  const ratio =
    reading.interval === undefined || runs.length > 1 ? null : (intervals(only!)?.[reading.interval] ?? null);
  const range =
    values.length > 1
      ? { low: Math.min(...values), high: Math.max(...values) }
      : ratio !== null && y !== null
        ? { low: y * ratio[0], high: y * ratio[1] }
        : {};
  return { x, y, ...range, ...(doubted !== undefined && { why: reasonOf(doubted) }) };
}

/** Why a point is not valid, in the words of its first invalid finding. */
export function reasonOf(point: Summary): Words {
  const finding = point.verdict.findings.find(({ severity }) => severity === 'invalid');
  return finding === undefined
    ? { en: 'not valid', zh: '无效' }
    : { en: printable(finding.message), zh: printable(finding.zh.message) };
}

/** Whether runs or the engines behind them were simulated. */
export function simulationNotes(points: readonly Pick<Summary, 'simulated' | 'engine'>[]): Phrase[] {
  if (points.some((point) => point.simulated)) return [chartLabels.simulated];
  return points.some((point) => point.engine?.simulated === true) ? [chartLabels.simulatedEngine] : [];
}

const mostNotes = 6;

/** What the picture itself must say: simulated, bands, and why points are hollow (each reason once, with its points). */
export function notesOf(sweeps: readonly Sweep[], intervals: IntervalsOf = none): Words[] {
  const points = sweeps.flatMap((sweep) => sweep.points);
  const notes: Words[] = [];
  notes.push(...simulationNotes(points));
  if (points.some(({ steady }) => steady !== null)) notes.push(chartLabels.steady);
  // Bars have no band.
  if (loadAxis(sweeps) !== null && points.some((point) => intervals(point) !== null)) notes.push(chartLabels.bands);
  if (sweeps.some((sweep) => placesOf(sweep.points).names.includes('repetition'))) notes.push(chartLabels.range);
  const hollow = distinctNames(sweeps).flatMap(([name, sweep]) =>
    sweep.points.filter((point) => !point.verdict.valid).map((point) => ({ name, sweep, point })),
  );
  // The same doubt about many points is reasons once, in the words of the first of them.
  const byCode = new Map<string, { reason: Phrase; places: Map<string, DimensionValue[]> }>();
  for (const { name, sweep, point } of hollow) {
    const code = point.verdict.findings.find(({ severity }) => severity === 'invalid')?.code ?? '';
    const known = byCode.get(code) ?? {
      reason: reasonOf(point) as Phrase,
      places: new Map<string, DimensionValue[]>(),
    };
    known.places.set(name, [...(known.places.get(name) ?? []), placeOf(sweep, point)]);
    byCode.set(code, known);
  }
  const reasons = [...byCode.values()].slice(0, mostNotes).map(({ reason, places }): Phrase => {
    const where = [...places].map(([name, loads]) => `${sweeps.length > 1 ? `${name} ` : ''}${loads.join(', ')}`);
    const several = [...places.values()].flat().length > 1;
    return {
      en: `○ ${where.join('; ')}: ${several ? 'at the first of them: ' : ''}${reason.en}`,
      zh: `○ ${where.join('；')}：${several ? '以首个点为例，' : ''}${reason.zh}`,
    };
  });
  const rest = byCode.size - reasons.length;
  if (rest > 0) reasons.push({ en: `○ and ${rest} more reasons; see the audit`, zh: `○ 另有 ${rest} 个原因，见审计` });
  return [...notes, ...reasons];
}
