import type { RunPlan } from '../core/index.ts';
import type { Bench } from './bench.ts';
import { datasetOptionsOf, offsetsOf } from './prepare.ts';
import type { Prepared } from './prepare.ts';
import type { SimWork } from './sim-work.ts';

/** Has a point simulated by whoever is on the queue. */
export async function askBench(
  bench: Bench,
  kit: Pick<Prepared, 'dataset' | 'words'>,
  plan: RunPlan,
  about: Pick<SimWork, 'profile' | 'befallen' | 'already'>,
): Promise<unknown> {
  const offsets = await offsetsOf(kit.dataset, plan);
  const prompts = { spec: kit.words.dataset, options: datasetOptionsOf(kit.words), offsets };
  return bench.ask({ do: 'simulate', work: { ...about, plan, prompts } });
}
