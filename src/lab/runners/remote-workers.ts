import { isBehind, userError } from '../../core/index.ts';
import type { Phrase, ResumePoint, Runner, RunPlan } from '../../core/index.ts';
import type { Cluster, ClusterEvent } from '../../client/cluster/index.ts';
import type { StoredRun } from '../../results/store/index.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import type { Prepared } from '../prepare/prepare.ts';
import type { PromptSource } from '../prepare/prompt-source.ts';
import { version } from '../version.ts';
import type { World } from '../world.ts';
import { redisPlace } from './redis-place.ts';
import { workerSource } from './worker-source.ts';

/** Machines that do a run together; this one only controls. */
export interface RemoteWorkers {
  /** Takes the queue and waits for the workers, where that was not done yet. */
  ready(): Promise<void>;
  /** `behind` is what an interrupted run of this queue has on disk. */
  runner(plan: RunPlan, prepared: Prepared, prompts: PromptSource, behind: ResumePoint | null): Promise<Runner>;
  close(): Promise<void>;
}

const defaults = { queue: 'dyno', waitMs: 60_000, redisWaitMs: 30_000 } as const;

/**
 * The machines that the settings name; their queue is taken, and they are waited for, before the first run. `resume` = the run to go
 * on with; the queue holds it under the origin of its clock.
 */
export function remoteWorkers(
  { settings, reopenable }: Pick<Prepared, 'settings' | 'reopenable'>,
  world: Pick<World, 'env' | 'notify' | 'stops'>,
  resume: StoredRun | null,
): RemoteWorkers {
  if (!reopenable)
    throw userError(
      'prompts-of-one-machine',
      "prompts that another tool's rules choose are not spread over machines",
      '按其他工具规则选取的提示词不能分到多台机器',
      'Use dyno run with --dataset.',
      '请使用 dyno run 与 --dataset。',
      '--workers',
    );
  let opened: Promise<Cluster> | null = null;
  return {
    async ready() {
      opened ??= openWorkers(settings, world, resume);
      await opened;
    },
    async runner(plan, { dataset }, prompts, behind) {
      const source = workerSource(settings, plan, prompts);
      const { makeClusterRunner } = await import('../../client/cluster/index.ts');
      opened ??= openWorkers(settings, world, resume);
      const { offsets } = prompts;
      const talks = dataset.workload(0).conversations === true;
      return makeClusterRunner({
        cluster: await opened,
        source,
        known: numbersOf(behind),
        talks: talks ? (phase) => dataset.workload(offsets[phase]) : null,
      });
    },
    async close() {
      await (await opened?.catch(() => null))?.close();
    },
  };
}

/** The job engine is loaded only here. */
async function openWorkers(
  settings: PlanSettings,
  { env, notify, stops }: Pick<World, 'env' | 'notify' | 'stops'>,
  resume: StoredRun | null,
): Promise<Cluster> {
  const { openCluster } = await import('../../client/cluster/index.ts');
  return openCluster({
    place: redisPlace(settings.workers!, env),
    queue: settings.queue ?? defaults.queue,
    version,
    minWorkers: settings.minWorkers ?? 1,
    waitMs: settings.waitWorkers ?? defaults.waitMs,
    clear: settings.clearQueue === true,
    resume: resume?.record.monotonicOriginNs ?? null,
    resend: settings.resend === true,
    redisWaitMs: settings.redisWait ?? defaults.redisWaitMs,
    stops,
    tell: (event) => notify({ event: 'note', note: eventPhrase(event) }),
  });
}

function* numbersOf(behind: ResumePoint | null): Generator<number> {
  for (let seq = 0; seq < (behind?.done.length ?? 0) * 8; seq++) if (isBehind(behind, seq)) yield seq;
}

function eventPhrase(event: ClusterEvent): Phrase {
  if (event.say === 'waiting')
    return {
      en: `waiting for workers: ${event.present} of ${event.wanted} are there`,
      zh: `等待 worker：已有 ${event.present} 个，需要 ${event.wanted} 个`,
    };
  if (event.say === 'refused')
    return {
      en: `not used, other version (here: llmdyno ${version}): ${event.names.join(', ')}`,
      zh: `版本不同，未使用（本机：llmdyno ${version}）：${event.names.join('、')}`,
    };
  if (event.say === 'members')
    return { en: `workers: ${event.names.join(', ')}`, zh: `worker：${event.names.join('、')}` };
  if (event.say === 'joined') return { en: `worker ${event.name} joined`, zh: `worker ${event.name} 加入` };
  if (event.say === 'left') return { en: `worker ${event.name} leaves`, zh: `worker ${event.name} 离开` };
  if (event.say === 'lost')
    return {
      en: `worker ${event.name} is lost; requests lost with it: ${event.asks}`,
      zh: `worker ${event.name} 丢失；随之丢失的请求：${event.asks}`,
    };
  if (event.say === 'cannot')
    return { en: `worker ${event.name} cannot do its share`, zh: `worker ${event.name} 无法完成其份额` };
  if (event.say === 'strange')
    return {
      en: 'something in Redis that no worker of this run writes is passed over; who else writes there?',
      zh: 'Redis 中有并非本次运行的 worker 写入的内容，已忽略；请检查还有谁在写入',
    };
  if (event.say === 'redis-away') return { en: 'Redis does not answer; waiting for it', zh: 'Redis 无响应，正在等待' };
  if (event.say === 'redis-back') return { en: 'Redis is back', zh: 'Redis 已恢复' };
  return {
    en: 'Redis is gone for good: the run ends with what was received',
    zh: 'Redis 已不可用：以已收到的结果结束运行',
  };
}
