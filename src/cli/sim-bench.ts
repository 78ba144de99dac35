import type { Workbench } from '../cluster/index.ts';
import { say } from '../core/index.ts';
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
  const { benchAt, shown } = await import('../cluster/index.ts');
  const place = redisPlace(words.workers, given.io.env);
  const bench = await benchAt(place, words.queue ?? 'dyno', version);
  if (!given.common.quiet)
    given.io.err(
      `${say({ en: `simulated by the workers on ${shown(place)}, as soon as one is there`, zh: `由 ${shown(place)} 上的 worker 模拟；没有时等待` }, given.common.lang)}\n`,
    );
  return bench;
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
