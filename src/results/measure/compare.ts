import type { RunPlan, Summary } from '../../core/index.ts';
import { changeBetween } from './change.ts';
import { standingOf } from './certainty.ts';
import { metricOf } from './check-slo.ts';
import { holds } from './gate.ts';
import type { Gate } from './gate.ts';
import { comparedMetrics, splitMetric } from './intervals.ts';
import type { CompareDoubts, LoadFinding } from './load-finding.ts';
import type { Slices } from './slices.ts';
import { sliceStatistic } from './slice-statistic.ts';
import { normalQuantile } from './student.ts';
import type { Trace } from './trace.ts';

/** One run to compare; slices null = its requests are not at hand (an import), or it is too short. */
export interface ComparedRun {
  id: string;
  name: string;
  summary: Summary;
  plan: RunPlan | null;
  slices: Slices | null;
  /** Its requests, for limits; absent or null = not at hand. */
  trace?: Trace | null;
}

/** How a candidate differs from the baseline in one metric. */
export interface MetricChange {
  /** null = one of the figures is not known, or the baseline is 0. */
  changeRatio: number | null;
  /** 95 % interval of the change; null = no requests at hand, or too few. */
  interval: readonly [number, number] | null;
  pValue: number | null;
  /** After Holm's correction over all metrics of the comparison, so that one look at many metrics stays honest. */
  significant: boolean;
}

/** One metric of all runs at one load; the change is that of the second run, `changes` has one for each candidate. */
export interface ComparedMetricRow extends MetricChange {
  metric: string;
  /** Concurrency or rate; null = not known. */
  load: number | null;
  /** What the points are called, where more than their load tells them from the others; absent = the load does. */
  place?: string;
  values: (number | null)[];
  /** steady: over the stretch in which the asked load stood; whole: over the whole run. */
  basis: 'steady' | 'whole';
  /** false = another load, or figures that must not be used. */
  comparable: boolean;
  changes: MetricChange[];
}

/** What became of one `--fail-if`. */
export interface GateResult {
  text: string;
  load: number | null;
  /** As in the rows. */
  place?: string;
  run: string;
  /** failed and passed are sure, each wrong in 5 % at the most; unsure: it lies too near; unknown: there is no such figure. */
  state: 'passed' | 'failed' | 'unsure' | 'unknown';
  failed: boolean;
  /** Requests of each run with which it would be sure; null = that cannot be told, or it is sure already. */
  needs: number | null;
  /** The runs can be compared at this load. */
  comparable: boolean;
  /** interval: of the change, or of the requests counted; value: a fact of the run. null = nothing decided it. */
  decidedBy: 'interval' | 'value' | null;
  measured: number | null;
}

/** Runs of the same load side by side. */
export interface PointComparison {
  rows: ComparedMetricRow[];
  findings: LoadFinding[];
  gates: GateResult[];
}

const level = 0.05;

/** Compares candidates with the first run, which is the baseline. */
export function comparePoint(
  runs: readonly ComparedRun[],
  load: number | null,
  gates: readonly Gate[],
  doubts: CompareDoubts,
): PointComparison {
  const [baseline, ...candidates] = runs as [ComparedRun, ...ComparedRun[]];
  const findings = candidates.flatMap((candidate) => doubts(baseline, candidate));
  const comparable = findings.every(({ finding }) => finding.severity !== 'invalid');
  const rows = comparedMetrics.flatMap((word): ComparedMetricRow[] => {
    const { metric, statistic } = splitMetric(word);
    const steady = runs.every(({ slices }) => slices?.basis === 'steady');
    const values = runs.map((run) => valueOf(run, word, steady));
    if (values.every((value) => value === null)) return [];
    const changes = candidates.map((candidate, i): MetricChange => {
      const [before, after] = [values[0]!, values[i + 1]!];
      const ratio = before === null || after === null || before === 0 ? null : after / before - 1;
      const figures = [baseline, candidate].map(({ slices }) =>
        slices === null ? null : sliceStatistic(slices, metric, statistic),
      );
      const change =
        figures[0] && figures[1] ? changeBetween(figures[0], figures[1], { name: `change ${word}` }) : null;
      return {
        changeRatio: change?.ratio ?? ratio,
        interval: change?.interval ?? null,
        pValue: change?.pValue ?? null,
        significant: change?.significant ?? false,
      };
    });
    return [{ metric: word, load, values, basis: steady ? 'steady' : 'whole', comparable, ...changes[0]!, changes }];
  });
  // A condition speaks of one metric, so it is judged before the correction for looking at many.
  const judged = gates.flatMap((gate) =>
    candidates.map((candidate, i) => {
      const result = { ...judge(gate, rows, candidate, i, load, baseline), comparable };
      // A change between what cannot be compared says nothing, however large it is.
      const saysNothing = !comparable && gate.kind === 'change' && result.state !== 'unknown';
      return saysNothing ? { ...result, ...outcome('unsure'), needs: null, decidedBy: null } : result;
    }),
  );
  holm(rows);
  return { rows, findings, gates: judged };
}

/** The figure itself: of the steady stretch where all runs have one, as the change is, else of the whole run. */
function valueOf({ summary, slices }: ComparedRun, word: string, steady: boolean): number | null {
  const { metric, statistic } = splitMetric(word);
  if (steady && slices !== null) {
    const figure = sliceStatistic(slices, metric, statistic);
    if (figure !== null) return figure.of(new Float64Array(slices.count).fill(1));
  }
  return metricOf(summary, metric, statistic);
}

/** Holm's step-down correction over every change of the comparison. */
export function holm(rows: readonly ComparedMetricRow[]): void {
  const all = rows.flatMap((row) => row.changes).filter(({ pValue }) => pValue !== null);
  const ascending = all.toSorted((a, b) => a.pValue! - b.pValue!);
  let still = true;
  for (const [i, change] of ascending.entries()) {
    still &&= change.pValue! <= level / (ascending.length - i);
    change.significant = still;
  }
  for (const row of rows) row.significant = row.changes[0]!.significant;
}

function judge(
  gate: Gate,
  rows: readonly ComparedMetricRow[],
  candidate: ComparedRun,
  index: number,
  load: number | null,
  baseline: ComparedRun,
): Omit<GateResult, 'comparable'> {
  const shared = { text: gate.text, load, run: candidate.id };
  if (gate.kind === 'value') {
    const { state, measured, needs } = standingOf(gate.promise, candidate.summary, candidate.trace ?? null);
    const told = state === 'kept' ? 'passed' : state === 'broken' ? 'failed' : state;
    const sure = told === 'passed' || told === 'failed';
    return { ...shared, ...outcome(told), needs, decidedBy: sure ? 'value' : null, measured };
  }
  const { metric, statistic, op, ratio } = gate;
  if (metric === 'failed') {
    const change = failedChange(baseline, candidate);
    return { ...shared, ...against(change?.points ?? null, change?.interval ?? null, gate, candidate) };
  }
  const word = rows.some((row) => row.metric === metric) ? metric : `${metric}.${statistic}`;
  const change = rows.find((row) => row.metric === word)?.changes[index] ?? plainChange(baseline, candidate, gate);
  return { ...shared, ...against(change?.changeRatio ?? null, change?.interval ?? null, { op, ratio }, candidate) };
}

type Judged = Pick<GateResult, 'state' | 'failed' | 'needs' | 'decidedBy' | 'measured'>;

const outcome = (state: GateResult['state']): Pick<GateResult, 'state' | 'failed'> => ({
  state,
  failed: state === 'failed',
});

/** A change is beyond a limit, or within it, for sure once its whole interval is. */
function against(
  measured: number | null,
  interval: readonly [number, number] | null,
  { op, ratio }: Pick<Gate & { kind: 'change' }, 'op' | 'ratio'>,
  { summary }: ComparedRun,
): Judged {
  if (measured === null) return { ...outcome('unknown'), needs: null, decidedBy: null, measured };
  if (interval === null) return { ...outcome('unsure'), needs: null, decidedBy: null, measured };
  const [low, high] = interval.map((edge) => holds(op, edge, ratio));
  if (low === high) return { ...outcome(low ? 'failed' : 'passed'), needs: null, decidedBy: 'interval', measured };
  const [half, apart] = [(interval[1] - interval[0]) / 2, Math.abs(measured - ratio)];
  const needs = apart === 0 ? Infinity : Math.ceil(summary.counts.issued * (half / apart) ** 2);
  return { ...outcome('unsure'), needs: needs < mostNeeded ? needs : null, decidedBy: 'interval', measured };
}

/** Nobody is told to send more. */
const mostNeeded = 10_000_000;

/** The difference of the failed shares in points, with its interval by Newcombe's hybrid of two Wilson scores. */
function failedChange(
  { summary: before }: ComparedRun,
  { summary: after }: ComparedRun,
): { points: number; interval: readonly [number, number] } | null {
  if (!(before.counts.issued > 0) || !(after.counts.issued > 0)) return null;
  const [a, b] = [before, after].map(({ counts }) => wilson(counts.failed, counts.issued)) as [Share, Share];
  const points = b.share - a.share;
  return {
    points,
    interval: [
      points - Math.hypot(b.share - b.low, a.high - a.share),
      points + Math.hypot(b.high - b.share, a.share - a.low),
    ],
  };
}

interface Share {
  share: number;
  low: number;
  high: number;
}

function wilson(hits: number, of: number): Share {
  const z = normalQuantile(0.975);
  const share = hits / of;
  const centre = share + (z * z) / (2 * of);
  const width = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const scale = 1 + (z * z) / of;
  return { share, low: Math.max(0, (centre - width) / scale), high: Math.min(1, (centre + width) / scale) };
}

/** The change of a metric that no row has (goodput, a rarer percentile), by its value alone. */
function plainChange(
  baseline: ComparedRun,
  candidate: ComparedRun,
  gate: Gate & { kind: 'change' },
): MetricChange | null {
  const [before, after] = [baseline, candidate].map(({ summary }) => metricOf(summary, gate.metric, gate.statistic));
  if (typeof before !== 'number' || typeof after !== 'number' || before === 0) return null;
  return { changeRatio: after / before - 1, interval: null, pValue: null, significant: false };
}
