import { percentileRanks, placesOf, printable, say } from '../../../core/index.ts';
import type { DimensionValue, Phrase, Summary, Sweep } from '../../../core/index.ts';
import { countColumns, missedOf } from '../count-columns.ts';
import { secondsOf } from '../figure-text.ts';
import { pointName, sweepName } from '../point-name.ts';
import { words } from '../words.ts';
import { chartWords } from './chart-words.ts';
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
}

const none: IntervalsOf = () => null;

const readings = {
  duration: { title: chartWords.duration, of: (p) => secondsOf(p.durationMs) },
  qps: { title: chartWords.qps, of: (p) => p.requestsPerSec, interval: 'requestsPerSec' },
  latency: {
    title: chartWords.latency,
    of: (p) => secondsOf(p.latencyMs?.mean),
    interval: 'latency.mean',
  },
  throughput: {
    title: chartWords.throughput,
    of: (p) => p.outputTokensPerSec,
    interval: 'outputTokensPerSec',
  },
  p50: {
    title: chartWords.latencyP50,
    of: (p) => secondsOf(p.latencyMs?.p50),
    interval: 'latency.p50',
  },
  ttft: { title: chartWords.ttft, of: (p) => p.ttftMs?.mean },
  itl: { title: chartWords.itl, of: (p) => p.itlMs?.mean },
  tpot: { title: chartWords.tpot, of: (p) => p.tpotMs?.mean },
  p90: {
    title: chartWords.latencyP90,
    of: (p) => secondsOf(p.latencyMs?.p90),
    interval: 'latency.p90',
  },
} satisfies Record<string, Reading>;

/** Failed requests, with the lost ones where any were lost. */
function failures(sweeps: readonly Sweep[]): Reading {
  const [, ...more] = countColumns(sweeps.flatMap(({ points }) => points));
  const lost = more.some(({ name }) => name === words.missed);
  return {
    title: lost ? chartWords.missed : chartWords.failures,
    of: (p) => missedOf(p.counts),
    whole: true,
  };
}

/** The panels of a sweep, at most six, against what varies: duration, QPS, latency, throughput, p50, p90; tokens' times where those are not known. */
export function sweepFigure(sweep: Sweep, intervals: IntervalsOf = none): Figure {
  const wanted = [
    readings.duration,
    readings.qps,
    readings.latency,
    readings.throughput,
    readings.p50,
    readings.p90,
    readings.ttft,
    readings.itl,
    readings.tpot,
  ];
  const panels = drawable(wanted.map((reading) => panelOf(reading, [sweep], intervals))).slice(0, 6);
  return {
    id: 'sweep',
    title: sweepName(sweep),
    about: {
      en: `${panels.length} panels: ${panels.map(({ title }) => say(title, 'en')).join(', ')}; ${sweep.points.length} points.`,
      zh: `${panels.length} 个面板：${panels.map(({ title }) => say(title, 'zh')).join('、')}，共 ${sweep.points.length} 个点。`,
    },
    columns: panels.length === 4 ? 2 : 3,
    panels,
    notes: panels.length === 0 ? [chartWords.nothing] : notesOf([sweep], intervals),
  };
}

/** The 2×2 comparison of any number of sweeps: QPS, latency, throughput, failures; each keeps its own x points. */
export function comparisonFigure(sweeps: readonly Sweep[], intervals: IntervalsOf = none): Figure {
  const names = sweeps.map(sweepName);
  const title = names.length <= 3 ? names.join(' vs ') : null;
  const wanted = [readings.qps, readings.latency, readings.throughput, failures(sweeps)];
  return {
    id: 'comparison',
    title: title ?? { en: `Comparison of ${names.length} systems`, zh: `${names.length} 个系统的对比` },
    about: {
      en: `Requests per second, mean latency, throughput and failed requests of ${names.join(', ')}.`,
      zh: `${names.join('、')} 的 QPS、平均延迟、吞吐量与失败数。`,
    },
    columns: 2,
    panels: drawable(wanted.map((reading) => panelOf(reading, sweeps, intervals))),
    notes: notesOf(sweeps, intervals),
  };
}

/** The percentiles of one point whose requests are not at hand; null where none is known. */
export function percentilesFigure(sweep: Sweep): Figure | null {
  const [point] = sweep.points;
  if (point === undefined) return null;
  const kinds = [
    ['latencyMs', chartWords.latencyMs],
    ['ttftMs', chartWords.ttft],
    ['tpotMs', chartWords.tpot],
    ['itlMs', chartWords.itl],
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
    const x: Axis = { name: chartWords.percentile, from: 0, to: 100 };
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
    series: loadLines(sweeps).map(({ name, points }): ChartSeries => ({
      name,
      kind: 'line',
      points: points.map(({ x: at, runs }) => chartPoint(reading, at, runs, intervals)),
    })),
  };
}

function chartPoint(reading: Reading, x: number, runs: readonly Summary[], intervals: IntervalsOf): ChartPoint {
  const values = runs.map((run) => reading.of(run) ?? null).filter((value) => value !== null);
  const y = values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
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
  if (points.some((point) => point.simulated)) return [chartWords.simulated];
  return points.some((point) => point.engine?.simulated === true) ? [chartWords.simulatedEngine] : [];
}

const mostNotes = 6;

/** What the picture itself must say: simulated, bands, and why points are hollow (each reason once, with its points). */
export function notesOf(sweeps: readonly Sweep[], intervals: IntervalsOf = none): Words[] {
  const points = sweeps.flatMap((sweep) => sweep.points);
  const notes: Words[] = [];
  notes.push(...simulationNotes(points));
  if (points.some((point) => intervals(point) !== null)) notes.push(chartWords.bands);
  if (sweeps.some((sweep) => placesOf(sweep.points).names.includes('repetition'))) notes.push(chartWords.range);
  const hollow = distinctNames(sweeps).flatMap(([name, sweep]) =>
    sweep.points.filter((point) => !point.verdict.valid).map((point) => ({ name, sweep, point })),
  );
  // The same doubt about many points is told once, in the words of the first of them.
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
  const told = [...byCode.values()].slice(0, mostNotes).map(({ reason, places }): Phrase => {
    const where = [...places].map(([name, loads]) => `${sweeps.length > 1 ? `${name} ` : ''}${loads.join(', ')}`);
    const several = [...places.values()].flat().length > 1;
    return {
      en: `○ ${where.join('; ')}: ${several ? 'at the first of them: ' : ''}${reason.en}`,
      zh: `○ ${where.join('；')}：${several ? '以首个点为例，' : ''}${reason.zh}`,
    };
  });
  const rest = byCode.size - told.length;
  if (rest > 0) told.push({ en: `○ and ${rest} more reasons; see the audit`, zh: `○ 另有 ${rest} 个原因，见审计` });
  return [...notes, ...told];
}
