import { auditedComparison } from '../../results/audit/index.ts';
import { userError } from '../../core/index.ts';
import { slicesOf } from '../../results/measure/index.ts';
import type { ComparedSweep, Comparison, Gate } from '../../results/measure/index.ts';
import { isNamed, sweepName } from '../../results/report/index.ts';
import { eachPoint, traceOf } from './report-source.ts';
import type { ReportSource } from './report-source.ts';

/** The sides of a comparison: several results, or the variants of one; a UserError where there is nothing to compare. */
export function sidesOf(sources: readonly ReportSource[]): readonly ReportSource[] {
  if (sources.length >= 2) return sources;
  // Variants of one sweep are sides of their own.
  const [only] = sources;
  if (only !== undefined && only.sweep.points.length >= 2 && isNamed(only.sweep)) return eachPoint(only);
  throw userError(
    'one-run',
    'a comparison needs two results',
    '比较需要两个结果',
    'Name two runs, sweeps or files; dyno runs lists them.',
    '请给出两个运行、扫描或文件；dyno runs 可列出。',
  );
}

/** The comparison of what was named; requests are read where they are at hand. */
export async function comparisonOf(
  sources: readonly ReportSource[],
  gates: readonly Gate[],
  limits: readonly string[] = [],
): Promise<Comparison> {
  const sweeps: ComparedSweep[] = [];
  for (const { sweep, runs } of sources) {
    const points: ComparedSweep['points'] = [];
    for (const summary of sweep.points) {
      const run = runs.get(summary.runId);
      const trace = run === undefined ? null : await traceOf(run);
      points.push({
        id: summary.runId,
        name: sweepName(sweep),
        summary,
        plan: run?.record.plan ?? null,
        slices: trace === null ? null : slicesOf(trace),
        trace,
      });
    }
    sweeps.push({ id: sweep.id, name: sweepName(sweep), points });
  }
  return auditedComparison(sweeps, gates, limits);
}
