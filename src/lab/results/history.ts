import { listRuns } from '../../results/store/index.ts';
import type { ListFilter } from '../../results/store/index.ts';
import { slicesOf } from '../../results/measure/index.ts';
import type { HistoryRun } from '../../results/measure/index.ts';
import { storedSource, traceOf } from './report-source.ts';

/** Every run that a filter lets through, and every point of its sweeps, with what is needed to see a metric over time. */
export async function historyOf(store: string, filter: Pick<ListFilter, 'label' | 'tag'>): Promise<HistoryRun[]> {
  const history: HistoryRun[] = [];
  for (const entry of await listRuns(store, filter)) {
    if ((entry.kind !== 'run' && entry.kind !== 'sweep') || !entry.finished) continue;
    const { sweep, runs } = await storedSource(store, entry);
    for (const summary of sweep.points) {
      const run = runs.get(summary.runId);
      const slices = run === undefined ? null : slicesOf(await traceOf(run));
      history.push({ id: summary.runId, label: entry.label, startedAt: summary.startedAt, summary, slices });
    }
  }
  return history;
}
