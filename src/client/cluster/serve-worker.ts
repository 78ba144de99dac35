import { hostname } from 'node:os';
import { UserError, userError } from '../../core/index.ts';
import type { RunPlan } from '../../core/index.ts';
import { rehearse } from '../load/index.ts';
import type { Rehearsal } from '../load/index.ts';
import type { WorkerFacts } from './cluster-words.ts';
import { takeWorkerSlots, takeWork } from './job-engine.ts';
import { queueKeys } from './keys.ts';
import { controllingIn } from './lease.ts';
import { checkRedis, openRedis, shown } from './redis.ts';
import type { RedisPlace } from './redis.ts';
import { doShare } from './worker-share.ts';
import type { WorkerInputs, ShareEvent } from './worker-share.ts';

/** What a worker is started with. */
export interface WorkerOptions {
  place: RedisPlace;
  queue: string;
  /** Version of llmdyno; a run of another one is refused. */
  version: string;
  name: string;
  labels: Readonly<Record<string, string>>;
  lostAfterMs: number;
  orphanAfterMs: number;
  equip(source: unknown, plan: RunPlan): Promise<WorkerInputs>;
  /** Does jobs that need only CPU (simulations, fits); absent = it takes none. */
  compute?: {
    do(job: string): Promise<string>;
    /** Drops the job under way: it fails with `setAside`. */
    drop(): Promise<void>;
  };
  tell(event: ShareEvent): void;
  /** Absent = `rehearse`; whoever reads no stamps needs none. */
  rehearsal?: Rehearsal;
}

/** A worker that waits for shares of runs. */
export interface RunningWorker {
  /** Fails when this worker is refused. */
  failed: Promise<never>;
  /** No more shares; drains the one under way, then ends. */
  leave(): Promise<void>;
}

const lookEveryMs = 500;

/** Joins a queue and does shares of whatever run comes, until told to leave. */
export async function serveWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { place, queue, version, lostAfterMs } = options;
  await checkRedis(place, 'redis');
  const keys = queueKeys(queue, version);
  const redis = openRedis(place);
  const listener = openRedis(place);
  const leaving = new AbortController();
  const worker: WorkerFacts = { name: options.name, host: hostname(), pid: process.pid, labels: options.labels };
  const about = { name: worker.name, lostAfterMs };
  const hand = options.compute === undefined ? null : takeWork(place, keys, about, (job) => options.compute!.do(job));
  const taker = takeWorkerSlots(place, keys, about, async (workerSlot) => {
    await hand?.rest();
    await options.compute?.drop();
    try {
      await doShare({
        workerSlot,
        prefix: keys.prefix,
        redis,
        listener,
        worker,
        lostAfterMs,
        orphanAfterMs: options.orphanAfterMs,
        controllerKey: keys.controller,
        runKey: keys.run,
        equip: (source, plan) => options.equip(source, plan),
        rehearsal: options.rehearsal ?? rehearse,
        leave: leaving.signal,
        tell: (event) => options.tell(event),
      });
    } finally {
      await hand?.goOn();
    }
  });
  // The queue of another version is never seen; without a look at who controls, this worker would wait for ever.
  let look: NodeJS.Timeout | null = null;
  const failed = new Promise<never>((_, reject) => {
    const looking = async (): Promise<void> => {
      const text = await redis.get(keys.controller).catch(() => null);
      const run = text === null ? null : controllingIn(text);
      if (run !== null && run.llmdyno !== version) reject(otherVersion(place, queue, version, run));
      else if (!leaving.signal.aborted) look = setTimeout(() => void looking(), lookEveryMs);
    };
    void looking();
  });
  failed.catch(() => {});
  return {
    failed,
    async leave() {
      if (look !== null) clearTimeout(look);
      leaving.abort();
      await options.compute?.drop();
      await hand?.close();
      // Without Redis nobody will say that the share is over.
      await taker.close(redis.status === 'ready');
      redis.disconnect();
      listener.disconnect();
    },
  };
}

function otherVersion(
  place: RedisPlace,
  queue: string,
  version: string,
  run: { llmdyno: string; host: string },
): UserError {
  const where = `${shown(place)} (${queue})`;
  return userError(
    'other-version',
    `this worker is llmdyno ${version}, the run on ${where} is made by llmdyno ${run.llmdyno} on ${run.host}`,
    `本 worker 为 llmdyno ${version}，而 ${where} 上的运行由 ${run.host} 的 llmdyno ${run.llmdyno} 发起`,
    `Install the same version on all machines: npm i -g llmdyno@${run.llmdyno}.`,
    `请在所有机器上安装相同版本：npm i -g llmdyno@${run.llmdyno}。`,
    'redis',
  );
}
