import { printable } from '../../core/index.ts';
import type { Phrase, Summary, Sweep } from '../../core/index.ts';
import { countColumns, missedOf } from '../count-columns.ts';
import { secondsOf } from '../figure-text.ts';
import { sweepName, variableOf } from '../point-name.ts';
import { words } from '../words.ts';
import { chartWords } from './chart-words.ts';
import type { Axis, ChartPoint, ChartSeries, Figure, LinePanel, Words } from './figure.ts';

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

/** The 2×3 panel of a sweep: duration, QPS, latency, throughput, p50, p90 against the load. */
export function sweepFigure(sweep: Sweep, intervals: IntervalsOf = none): Figure {
  const wanted = [readings.duration, readings.qps, readings.latency, readings.throughput, readings.p50, readings.p90];
  return {
    id: 'sweep',
    title: sweepName(sweep),
    about: {
      en: `Six panels against the load: duration, requests per second, mean latency, throughput, p50 and p90 of latency; ${sweep.points.length} points.`,
      zh: `六个面板：用时、QPS、平均延迟、吞吐量、延迟 p50 与 p90 随负载的变化，共 ${sweep.points.length} 个点。`,
    },
    columns: 3,
    panels: wanted.map((reading) => panelOf(reading, [sweep], intervals)),
    notes: notesOf([sweep], intervals),
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
      en: `Four panels against the load: requests per second, mean latency, throughput and failed requests of ${names.join(', ')}.`,
      zh: `四个面板：${names.join('、')} 的 QPS、平均延迟、吞吐量与失败数随负载的变化。`,
    },
    columns: 2,
    panels: wanted.map((reading) => panelOf(reading, sweeps, intervals)),
    notes: notesOf(sweeps, intervals),
  };
}

/** One figure against the load, a line per sweep. */
export function panelOf(reading: Reading, sweeps: readonly Sweep[], intervals: IntervalsOf): LinePanel {
  return {
    kind: 'lines',
    title: reading.title,
    x: loadAxis(sweeps[0]),
    y: { name: reading.title, ...(reading.whole === true && { whole: true }) },
    series: distinctNames(sweeps).map(([name, sweep]): ChartSeries => ({
      name,
      kind: 'line',
      points: loadPoints(sweep).map(({ x, point }) => chartPoint(reading, x, point, intervals)),
    })),
  };
}

/** The axis of the load that a sweep varies. */
export function loadAxis(sweep: Sweep | undefined): Axis {
  return { name: sweep?.variable === 'rate' ? chartWords.rate : chartWords.concurrency };
}

/** The points whose load is known, in its order. */
export function loadPoints(sweep: Sweep): { x: number; point: Summary }[] {
  return sweep.points
    .flatMap((point) => {
      const x = variableOf(sweep, point);
      return x === null ? [] : [{ x, point }];
    })
    .toSorted((a, b) => a.x - b.x);
}

/** Each sweep with a name of its own, so that the legend tells two of the same name apart. */
export function distinctNames(sweeps: readonly Sweep[]): [string, Sweep][] {
  const seen = new Map<string, number>();
  return sweeps.map((sweep) => {
    const name = sweepName(sweep);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return [times === 1 ? name : `${name} (${times})`, sweep];
  });
}

function chartPoint(reading: Reading, x: number, point: Summary, intervals: IntervalsOf): ChartPoint {
  const range = reading.interval === undefined ? null : (intervals(point)?.[reading.interval] ?? null);
  const y = reading.of(point) ?? null;
  return {
    x,
    y,
    ...(range !== null && y !== null && { low: y * range[0], high: y * range[1] }),
    ...(point.verdict.valid ? {} : { why: reasonOf(point) }),
  };
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
  const hollow = distinctNames(sweeps).flatMap(([name, sweep]) =>
    sweep.points.filter((point) => !point.verdict.valid).map((point) => ({ name, sweep, point })),
  );
  // The same doubt about many points is told once, in the words of the first of them.
  const byCode = new Map<string, { reason: Phrase; places: Map<string, number[]> }>();
  for (const { name, sweep, point } of hollow) {
    const code = point.verdict.findings.find(({ severity }) => severity === 'invalid')?.code ?? '';
    const known = byCode.get(code) ?? { reason: reasonOf(point) as Phrase, places: new Map<string, number[]>() };
    known.places.set(name, [...(known.places.get(name) ?? []), variableOf(sweep, point) ?? 0]);
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
