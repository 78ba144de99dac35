import type { Finding } from '../core/index.ts';
import { comparePoint } from './compare.ts';
import type { ComparedMetricRow, ComparedRun, GateResult, MetricChange } from './compare.ts';
import type { Gate } from './gate.ts';
import type { CompareDoubts } from './load-finding.ts';
import { mergeFindings } from './merge-findings.ts';
import type { PlacedFinding } from './merge-findings.ts';

/** Runs that belong together: a sweep, or a single run. */
export interface ComparedSweep {
  id: string;
  name: string;
  points: ComparedRun[];
}

/** `llmdyno.compare/1`: the first is the baseline. */
export interface Comparison {
  schema: 'llmdyno.compare/1';
  /** Ids in the order of `values`. */
  runs: string[];
  names: string[];
  baseline: string;
  /** false = at no load can the runs be compared: another load, or figures that must not be used. */
  comparable: boolean;
  metrics: ComparedMetricRow[];
  /** One for each doubt and whose it is, with the loads it was found at. */
  findings: Finding[];
  gates: GateResult[];
}

/** Compares sweeps at every load that the baseline shares with another; two single runs are compared whatever their load. */
export function compareSweeps(
  sweeps: readonly ComparedSweep[],
  gates: readonly Gate[],
  doubts: CompareDoubts,
): Comparison {
  const single = sweeps.every(({ points }) => points.length === 1);
  const loads = single ? [loadOf(sweeps[0]!.points[0]!)] : sharedLoads(sweeps);
  const metrics: ComparedMetricRow[] = [];
  const found: PlacedFinding[] = [];
  const results: GateResult[] = [];
  for (const load of loads) {
    const at = sweeps.map(({ points }) => (single ? points[0] : points.find((point) => loadOf(point) === load)));
    const present = at.filter((run) => run !== undefined);
    const compared = comparePoint(present, load, gates, doubts);
    metrics.push(...compared.rows.map((row) => spreadOut(row, at)));
    results.push(...compared.gates);
    found.push(...compared.findings.map((one) => ({ ...one, load: single ? null : load })));
  }
  return {
    schema: 'llmdyno.compare/1',
    runs: sweeps.map(({ id }) => id),
    names: sweeps.map(({ name }) => name),
    baseline: sweeps[0]!.id,
    comparable: metrics.some((row) => row.comparable),
    metrics,
    findings: loads.length === 0 ? [noSharedLoad(sweeps)] : mergeFindings(found),
    gates: results,
  };
}

function loadOf({ summary }: ComparedRun): number | null {
  return summary.load.concurrency ?? summary.load.ratePerSec;
}

function sharedLoads([baseline, ...others]: readonly ComparedSweep[]): number[] {
  const theirs = new Set(others.flatMap(({ points }) => points.map(loadOf)));
  const shared = baseline!.points.map(loadOf).filter((load): load is number => load !== null && theirs.has(load));
  return [...new Set(shared)].toSorted((a, b) => a - b);
}

const nothing: MetricChange = { changeRatio: null, interval: null, pValue: null, significant: false };

/** A row over the runs that have a load, as a row over all: null where one has not. */
function spreadOut(row: ComparedMetricRow, at: readonly (ComparedRun | undefined)[]): ComparedMetricRow {
  let next = 0;
  const place = at.map((run) => (run === undefined ? -1 : next++));
  const changes = place.slice(1).map((index) => (index < 0 ? nothing : row.changes[index - 1]!));
  return { ...row, ...changes[0]!, values: place.map((index) => (index < 0 ? null : row.values[index]!)), changes };
}

function noSharedLoad(sweeps: readonly ComparedSweep[]): Finding {
  const loads = sweeps.map(({ name, points }) => `${name}: ${points.map(loadOf).join(', ')}`).join('; ');
  return {
    code: 'no-shared-load',
    severity: 'invalid',
    message: `No load was run in both, so nothing can be compared number by number (${loads}).`,
    evidence: { loads },
    advice: 'The charts still show both; run the same loads to compare figures.',
    zh: {
      message: `没有共同的负载点，无法逐点比较（${loads}）。`,
      advice: '图表仍可对照；请以相同负载运行后再比较数值。',
    },
  };
}
