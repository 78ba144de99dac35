import { invariant } from '../../core/index.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import { startComputeThread } from './compute-thread.ts';
import { doComputeJob, mostChars, readAnswer } from './compute-job.ts';
import type { ComputeJob } from './compute-job.ts';
import { toExactJson } from './exact-json.ts';
import { redisPlace } from '../runners/redis-place.ts';
import { version } from '../version.ts';
import { note } from '../world.ts';
import type { World } from '../world.ts';

/** The CPUs of the workers on a queue. */
export interface ComputeQueue {
  /** The result of a piece of work, the same as if it were done here; what no worker does is done here, and that is told. */
  ask(work: ComputeJob): Promise<unknown>;
  close(): Promise<void>;
}

const defaultWaitMs = 60_000;

/** The workers that --workers names, once one is there; null = this machine does it. */
export async function openComputeQueue(
  settings: Pick<PlanSettings, 'workers' | 'queue' | 'waitWorkers'>,
  world: Pick<World, 'env' | 'notify'>,
): Promise<ComputeQueue | null> {
  if (settings.workers === undefined) return null;
  const { benchAt, shown } = await import('../../client/cluster/index.ts');
  const place = redisPlace(settings.workers, world.env);
  const workbench = await benchAt(place, settings.queue ?? 'dyno', version, settings.waitWorkers ?? defaultWaitMs);
  note(world, `computed by the workers on ${shown(place)}`, `由 ${shown(place)} 上的 worker 计算`);
  const thread = startComputeThread('closed');
  let here: Promise<unknown> = Promise.resolve();
  const doHere = (work: ComputeJob, text: string): Promise<unknown> => {
    const done = here.then(async () => {
      // A simulation pauses for whatever else is to be heard; a fit does not, and has a thread.
      if (work.do === 'simulate') return doComputeJob(work);
      const answer = readAnswer(await thread.do(text));
      invariant(answer !== null, 'what a fit finds is small');
      return answer.done;
    });
    here = done.catch(() => {});
    return done;
  };
  return {
    async ask(work) {
      const text = toExactJson(work);
      const sent = text.length <= mostChars;
      const answer = sent ? await workbench.ask(text) : null;
      const read = answer === null ? null : readAnswer(answer);
      if (read !== null) return read.done;
      const why =
        sent && answer === null
          ? {
              en: 'no worker does it any more (gone, or sending load)',
              zh: '已没有 worker 处理（已离开或正在发送负载）',
            }
          : { en: 'too much to be sent, or not an answer', zh: '数据量过大无法传输，或收到的不是答案' };
      note(world, `${why.en}; computed here: ${nameOf(work)}`, `${why.zh}，改在本机计算：${nameOf(work)}`);
      return doHere(work, text);
    },
    async close() {
      await thread.drop();
      await workbench.close();
    },
  };
}

/** What a piece of work is about. */
export function nameOf(work: ComputeJob): string {
  if (work.do === 'tune-step') return `trial ${work.trials.length + 1}`;
  if (work.do !== 'simulate') return `fit ${work.title}`;
  const { concurrency, ratePerSec } = work.work.plan.load;
  return `sim ${ratePerSec === null ? `concurrency ${concurrency}` : `rate ${ratePerSec}`}`;
}
