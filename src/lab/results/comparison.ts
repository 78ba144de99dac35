import { auditedComparison } from '../../results/audit/index.ts';
import { slicesOf } from '../../results/measure/index.ts';
import type { ComparedSweep, Comparison, Gate } from '../../results/measure/index.ts';
import { sweepName } from '../../results/report/index.ts';
import { traceOf } from './report-source.ts';
import type { ReportSource } from './report-source.ts';

/** The comparison of what was named; requests are read where they are at hand. */
export async function comparisonOf(sources: readonly ReportSource[], gates: readonly Gate[]): Promise<Comparison> {
  const sweeps: ComparedSweep[] = [];
  for (const { sweep, runs } of sources) {
    const points: ComparedSweep['points'] = [];
    for (const summary of sweep.points) {
      const run = runs.get(summary.runId);
      points.push({
        id: summary.runId,
        name: sweepName(sweep),
        summary,
        plan: run?.record.plan ?? null,
        slices: run === undefined ? null : slicesOf(await traceOf(run)),
      });
    }
    sweeps.push({ id: sweep.id, name: sweepName(sweep), points });
  }
  return auditedComparison(sweeps, gates);
}
