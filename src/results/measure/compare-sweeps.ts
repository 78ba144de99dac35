import type { Finding, PromiseKept } from '../../core/index.ts';
import { comparePoint } from './compare.ts';
import { loadShare, perInFlight } from './load-explains.ts';
import { loadOf, pairPoints } from './pair-points.ts';
import type { ComparedMetricRow, ComparedRun, GateResult, MetricChange } from './compare.ts';
import type { Gate } from './gate.ts';
import type { CompareDoubts, LoadFinding } from './load-finding.ts';

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
  /** What became of promises at every point; absent = nothing was promised. */
  promises?: ComparedPromise[];
}

/** A promise at one point of one side; place only where the side has several points. */
export interface ComparedPromise extends PromiseKept {
  run: string;
  load: number | null;
  place?: string;
}

/**
 * Compares sweeps wherever the baseline and another were asked the same, by every dimension in which their points differ;
 * two single runs are compared whatever they were asked. What finds no partner is told.
 */
export function compareSweeps(
  sweeps: readonly ComparedSweep[],
  gates: readonly Gate[],
  doubts: CompareDoubts,
): Comparison {
  const single = sweeps.every(({ points }) => points.length === 1);
  const { pairs, left } = pairPoints(sweeps);
  const curve = sweeps[0]!.points.map(({ summary }) => summary);
  const metrics: ComparedMetricRow[] = [];
  const found: PlacedFinding[] = [];
  const results: GateResult[] = [];
  for (const { load, place, at } of pairs) {
    const present = at.filter((run) => run !== undefined);
    const compared = comparePoint(present, load, gates, doubts);
    const share = loadShare(present, load, curve);
    const rows = [...compared.rows, ...(share.row === null ? [] : [share.row])];
    metrics.push(...rows.map((row) => ({ ...spreadOut(row, at), ...(place !== null && { place }) })));
    results.push(...compared.gates.map((gate) => ({ ...gate, ...(place !== null && { place }) })));
    const where = single ? null : (place ?? load);
    // What load explains has figures of its own in every place, so that two places are two findings.
    found.push(...compared.findings.map((one) => ({ ...one, load: where })));
    found.push(...share.findings.map((one) => ({ ...one, about: `${one.about} ${where ?? ''}`, load: where })));
  }
  return {
    schema: 'llmdyno.compare/1',
    runs: sweeps.map(({ id }) => id),
    names: sweeps.map(({ name }) => name),
    baseline: sweeps[0]!.id,
    comparable: metrics.some((row) => row.comparable && row.metric !== perInFlight),
    metrics,
    findings: pairs.length === 0 ? [noSharedLoad(sweeps)] : [...mergeFindings(found), ...left],
    gates: results,
  };
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

/** A finding at one load; null = the load is not worth telling. */
interface PlacedFinding extends LoadFinding {
  load: number | string | null;
}

/**
 * The same doubt about the same runs once, however many loads it was found at: the words are those of the first load,
 * followed by all of them ("… @ 8, 16, 64"), which stand in `evidence.loads` too.
 */
export function mergeFindings(found: readonly PlacedFinding[]): Finding[] {
  const merged = new Map<string, { finding: Finding; loads: Set<number | string> }>();
  for (const { finding, about, load } of found) {
    // Another cause for which figures must not be used is another doubt.
    const key = JSON.stringify([finding.code, about, finding.evidence['codes'] ?? null]);
    const known = merged.get(key) ?? { finding, loads: new Set<number | string>() };
    if (load !== null) known.loads.add(load);
    merged.set(key, known);
  }
  return [...merged.values()].map(({ finding, loads }) => placed(finding, [...loads].join(', ')));
}

function placed(finding: Finding, loads: string): Finding {
  if (loads === '') return finding;
  const at = (message: string): string => `${message} @ ${loads}`;
  const { message, evidence, zh } = finding;
  return { ...finding, message: at(message), evidence: { ...evidence, loads }, zh: { ...zh, message: at(zh.message) } };
}
