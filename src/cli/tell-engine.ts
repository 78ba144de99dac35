import { beginningPath, isSimulatedEngine } from '../core/index.ts';
import type { RunPlan } from '../core/index.ts';
import { fetchOnce } from '../load/index.ts';
import type { Prepared } from './prepare.ts';

const timeoutMs = 3000;

/**
 * Tells a simulated engine that a run begins, and with which seed: the run's seed is that of everything random, so that what such an
 * engine served before makes no difference, and its chance is that of the same plan in virtual time. Other servers are not told
 * anything. An engine that does not understand goes on with its own chance, which is no fault of the run.
 */
export async function tellEngine({ secrets, run = 0 }: Prepared, { target, seed }: RunPlan): Promise<void> {
  if (target.server === undefined || !isSimulatedEngine(target.server)) return;
  const url = new URL(beginningPath(seed, run), target.url).href;
  await fetchOnce(target, { method: 'POST', url, body: '' }, secrets, timeoutMs);
}
