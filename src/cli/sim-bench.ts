import type { Workbench } from '../cluster/index.ts';
import type { RunPlan } from '../core/index.ts';
import type { PlanWords } from '../run/index.ts';
import type { Given } from './command.ts';
import { datasetOptionsOf, offsetsOf } from './prepare.ts';
import type { Prepared } from './prepare.ts';
import { redisPlace } from './redis-place.ts';
import type { SimWork } from './sim-work.ts';
import { version } from './version.ts';

/** The workers that --workers names; null = this machine simulates. */
export async function benchOf(given: Given, words: PlanWords): Promise<Workbench | null> {
  if (words.workers === undefined) return null;
  const { benchAt } = await import('../cluster/index.ts');
  return benchAt(redisPlace(words.workers, given.io.env), words.queue ?? 'dyno', version);
}

/** Has a point simulated by whoever is on the queue. */
export async function askBench(
  bench: Workbench,
  kit: Pick<Prepared, 'dataset' | 'words'>,
  plan: RunPlan,
  about: Pick<SimWork, 'profile' | 'befallen' | 'already'>,
): Promise<unknown> {
  const offsets = await offsetsOf(kit.dataset, plan);
  const prompts = { spec: kit.words.dataset, options: datasetOptionsOf(kit.words), offsets };
  const work: SimWork = { ...about, plan, prompts };
  return bench.ask(work);
}
