import { dimensionWords, keyOf, placeName, placesOf } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import { runFigure } from './change.ts';
import type { RunFigure } from './change.ts';
import { metricOf } from './check-slo.ts';
import { splitMetric } from './intervals.ts';
import { between, levelsOf, meanOf } from './levels.ts';
import { sliceStatistic } from './slice-statistic.ts';
import type { Slices } from './slices.ts';
import { studentQuantile } from './student.ts';

/** One run of a history; slices null = its requests are not at hand, or it is too short. */
export interface HistoryRun {
  id: string;
  label: string | null;
  /** ISO 8601; null = not known. */
  startedAt: string | null;
  summary: Summary;
  slices: Slices | null;
}

/** A run's place on a curve. */
export interface TrendPoint {
  runId: string;
  label: string | null;
  startedAt: string | null;
  /** null = the run does not know the figure: it is on the curve's list and takes no part. */
  value: number | null;
  /** 95 % interval by the run's own ups and downs; null = not known. */
  interval: readonly [number, number] | null;
  /** What the runs between two changes have in common: their geometric mean (of shares the mean). */
  level: number | null;
  valid: boolean;
}

/** A place where a metric went to another level and stayed there, or left it for a while. */
export interface TrendChange {
  /** Place of the first run of the new level, from 0. */
  at: number;
  runId: string;
  /** New level over old, less one; null = the old one is zero. */
  changeRatio: number | null;
  /** 95 % interval of the change; null = no ratio. */
  interval: readonly [number, number] | null;
  /** How many runs make the level before and after. */
  before: number;
  after: number;
}

/** One metric over runs that were asked the same, oldest first. */
export interface TrendCurve {
  /** What tells it from the other curves; empty = it is the only one. */
  name: string;
  points: TrendPoint[];
  changes: TrendChange[];
}

/** Runs differ in these without having been asked anything else. */
const incidental = new Set(['requests', 'repetition', 'engine', 'tool']);

/** Whether a value comes back after another one: settings that are tried by turns are several curves, one that was changed once is what a curve is there to show. */
function returns(values: readonly unknown[]): boolean {
  const changes = values.filter((value, i) => i > 0 && value !== values[i - 1]).length;
  return changes >= new Set(values).size;
}

/**
 * One metric over many runs, as a curve for each load, model and setting that is tried by turns, and where it changed; the curve of
 * the most runs first. The error of each run is
 * that of `compare`; two runs are judged exactly as there. From six on, what runs of one level differ by counts where it is
 * larger, because nights differ in more than one run can see.
 */
export function trendOf(runs: readonly HistoryRun[], metric: string): TrendCurve[] {
  const ordered = runs.toSorted((a, b) => {
    const [x, y] = [a.startedAt ?? a.id, b.startedAt ?? b.id];
    return x < y ? -1 : x > y ? 1 : 0;
  });
  const summaries = ordered.map(({ summary }) => summary);
  const places = placesOf(summaries);
  const names = places.names.filter(
    (name) =>
      !incidental.has(name) &&
      (Object.hasOwn(dimensionWords, name) || returns(summaries.map((one) => places.of(one).get(name)))),
  );
  const curves = new Map<string, HistoryRun[]>();
  for (const run of ordered) {
    const key = keyOf(places.of(run.summary), names);
    curves.set(key, [...(curves.get(key) ?? []), run]);
  }
  const known = ({ points }: TrendCurve): number => points.filter(({ value }) => value !== null).length;
  return [...curves.values()]
    .map((of) => ({
      name: names.length === 0 ? '' : withoutUnknown(placeName({ ...places, names }, of[0]!.summary)),
      ...curveOf(of, metric),
    }))
    .toSorted((a, b) => known(b) - known(a));
}

/** Of imports of many kinds, most settings are unknown to most. */
function withoutUnknown(name: string): string {
  const parts = name.split(' · ').filter((part) => !/(^|=)–(\/s)?$/.test(part));
  return parts.length === 0 ? name : parts.join(' · ');
}

function curveOf(runs: readonly HistoryRun[], metric: string): Pick<TrendCurve, 'points' | 'changes'> {
  const figures = figuresOf(runs, metric);
  const known = [...figures.keys()].filter((i) => figures[i] !== null);
  const all = known.map((i) => figures[i]!);
  // Shares are zero as a rule, and have no logarithm.
  const plain = metric.startsWith('failed') || all.some(({ value }) => !(value > 0));
  const scaled = all.map(({ value, error, freedom }) => ({ y: plain ? value : Math.log(value), error, freedom }));
  const edges = plain && !metric.startsWith('failed') ? [] : levelsOf(scaled);
  const starts = [0, ...edges];
  const ends = [...edges, scaled.length];
  const levels = starts.map((from, i) => meanOf(scaled, from, ends[i]!));
  const unscaled = (y: number): number => (plain ? y : Math.exp(y));
  const changes = edges.map((at, i): TrendChange => {
    const found = between(scaled, starts[i]!, at, ends[i + 1]!);
    const [old, now] = [levels[i]!, levels[i + 1]!];
    const ratio = plain ? (old > 0 ? now / old - 1 : null) : Math.expm1(now - old);
    const half = found === null ? null : studentQuantile(0.975, found.freedom) * found.error;
    const edge = (side: number): number => (plain ? (now - old + side) / old : Math.expm1(now - old + side));
    return {
      at: known[at]!,
      runId: runs[known[at]!]!.id,
      changeRatio: ratio,
      interval: ratio === null || half === null ? null : [edge(-half), edge(half)],
      before: at - starts[i]!,
      after: ends[i + 1]! - at,
    };
  });
  const points = runs.map(({ id, label, startedAt, summary }, i): TrendPoint => {
    const at = known.indexOf(i);
    const figure = at === -1 ? null : scaled[at]!;
    const half = figure?.error == null ? null : studentQuantile(0.975, figure.freedom) * figure.error;
    const inLevel = at === -1 ? -1 : ends.findIndex((end) => at < end);
    return {
      runId: id,
      label,
      startedAt,
      value: figures[i]?.value ?? null,
      // Shares and times are never below zero.
      interval:
        figure === null || half === null ? null : [Math.max(0, unscaled(figure.y - half)), unscaled(figure.y + half)],
      level: inLevel === -1 ? null : unscaled(levels[inLevel]!),
      valid: summary.verdict.valid,
    };
  });
  return { points, changes };
}

/** Figures of the steady part where every run has one, else of the whole; a run that is not valid takes no part. */
function figuresOf(runs: readonly HistoryRun[], word: string): (RunFigure | null)[] {
  const { metric, statistic } = splitMetric(word);
  const steady = runs.every(({ slices }) => slices?.basis === 'steady');
  return runs.map(({ summary, slices }) => {
    if (!summary.verdict.valid) return null;
    const whole = metricOf(summary, metric, statistic);
    if (metric === 'failed') {
      if (whole === null) return null;
      // Agresti and Coull's share: none of few requests is no proof of none.
      const { failed, issued } = summary.counts;
      const share = (failed + 2) / (issued + 4);
      return { value: whole, error: Math.sqrt((share * (1 - share)) / (issued + 4)), freedom: Math.max(1, issued - 1) };
    }
    const statistics = slices === null ? null : sliceStatistic(slices, metric, statistic);
    const figure = statistics === null ? null : runFigure(statistics, { name: `change ${word}` });
    if (steady && figure !== null) return figure;
    return whole === null ? null : { value: whole, error: figure?.error ?? null, freedom: figure?.freedom ?? 1 };
  });
}
