import type { RunPlan } from '../core/index.ts';
import type { Bench } from './bench.ts';
import { datasetOptionsOf, offsetsOf } from './prepare.ts';
import type { Prepared } from './prepare.ts';
import type { SimWork } from './sim-work.ts';

/** Has a point simulated by whoever is on the queue; what fails is told to whoever waits for it, and only then. */
export function askBench(
  bench: Bench,
  kit: Pick<Prepared, 'dataset' | 'words'>,
  plan: RunPlan,
  about: Pick<SimWork, 'profile' | 'befallen' | 'already' | 'run'>,
): Promise<unknown> {
  const answer = offsetsOf(kit.dataset, plan).then((offsets) => {
    const prompts = { spec: kit.words.dataset, options: datasetOptionsOf(kit.words), offsets };
    return bench.ask({ do: 'simulate', work: { ...about, plan, prompts } });
  });
  // Points are asked for ahead of their turn: one may fail while another is waited for.
  answer.catch(() => {});
  return answer;
}
