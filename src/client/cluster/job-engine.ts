import { Queue, QueueEvents, Worker as JobWorker } from 'bullmq';
import type { ConnectionOptions, Job } from 'bullmq';
import { BrokenPromise } from '../../core/index.ts';
import type { WorkerSlot } from './cluster-words.ts';
import type { QueueKeys } from './keys.ts';
import { redisOptions } from './redis.ts';
import type { Patience, RedisPlace } from './redis.ts';

/** A worker that does not renew its lock for so long is lost. Noticed within this time and two checks. */
export const defaultLostAfterMs = 5000;
const checkEveryMs = 500;

/** The queue of worker slots as the controller sees it. */
export interface WorkerSlotQueue {
  add(id: string, data: WorkerSlot): Promise<void>;
  /** Takes back a worker slot that nobody has taken, or that a lost worker left. */
  remove(id: string): Promise<void>;
  /** Whether somebody holds it, as far as the queue knows. */
  isTaken(id: string): Promise<boolean>;
  /** Names of the workers that wait for worker slots or hold one. */
  present(): Promise<string[]>;
  /** Takes every trace of the queue away. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue; `lost` is called with the id of each worker slot whose worker no longer renews its lock. */
export function openWorkerSlotQueue(
  place: RedisPlace,
  keys: QueueKeys,
  patienceMs: Patience,
  lost: (id: string) => void,
): WorkerSlotQueue {
  const connection = connectionTo(place, patienceMs);
  const queue = new Queue<WorkerSlot>(keys.workerSlots, { connection, prefix: keys.prefix });
  // Takes no jobs: it runs BullMQ's check for stalled ones, which the workers skip.
  const checker = new JobWorker<WorkerSlot>(keys.workerSlots, null, {
    connection,
    prefix: keys.prefix,
    autorun: false,
    stalledInterval: checkEveryMs,
    maxStalledCount: 0,
    name: 'checker',
  });
  queue.on('error', () => {});
  checker.on('error', () => {});
  checker.on('stalled', (id) => lost(id));
  void checker.startStalledCheckTimer().catch(() => {});
  return {
    async add(id, data) {
      await queue.add('worker-slot', data, {
        jobId: id,
        attempts: 1,
        removeOnComplete: true,
        removeOnFail: true,
      });
    },
    async remove(id) {
      await queue.remove(id).catch(() => {});
    },
    async isTaken(id) {
      return (await queue.getJobState(id)) === 'active';
    },
    async present() {
      return namesOf(await queue.getWorkers());
    },
    async clear() {
      await queue.obliterate({ force: true });
    },
    async close() {
      await withinASecond(Promise.all([checker.close(true), queue.close()]));
      // A Redis that is gone answers no goodbye, and connections that wait for it would keep this process alive.
      await withinASecond(Promise.all([checker.disconnect(), queue.disconnect()]));
    },
  };
}

/** One worker slot as a worker holds it. */
export interface TakenWorkerSlot {
  id: string;
  data: WorkerSlot;
  /** Time since Redis last confirmed our lock. */
  sinceRenewedMs(): number;
  /** Aborted when the worker slot is known to be lost. */
  lost: AbortSignal;
}

/** Takes worker slots one after the other until told to leave. */
export interface WorkerSlotTaker {
  /** patient: the slot that it holds is finished first. */
  close(patient: boolean): Promise<void>;
}

/** Waits for worker slots and fills them one at a time; BullMQ renews the lock while `fill` runs. */
export function takeWorkerSlots(
  place: RedisPlace,
  keys: QueueKeys,
  worker: { name: string; lostAfterMs: number },
  fill: (workerSlot: TakenWorkerSlot) => Promise<void>,
): WorkerSlotTaker {
  let renewedMs = performance.now();
  let loss: AbortController | null = null;
  let sitting = false;
  const taker = new JobWorker<WorkerSlot>(
    keys.workerSlots,
    async (job: Job<WorkerSlot>) => {
      renewedMs = performance.now();
      loss = new AbortController();
      sitting = true;
      const workerSlot = {
        id: job.id!,
        data: job.data,
        sinceRenewedMs: () => performance.now() - renewedMs,
        lost: loss.signal,
      };
      await fill(workerSlot).finally(() => {
        sitting = false;
      });
    },
    {
      connection: connectionTo(place),
      prefix: keys.prefix,
      name: worker.name,
      concurrency: 1,
      lockDuration: worker.lostAfterMs,
      lockRenewTime: worker.lostAfterMs / 4,
      // Waiting for a job is a read that must answer before the connection counts as silent.
      drainDelay: 2,
      skipStalledCheck: true,
      runRetryDelay: 500,
      maxStalledCount: 0,
    },
  );
  taker.on('error', () => {});
  taker.on('locksRenewed', () => {
    renewedMs = performance.now();
  });
  taker.on('lockRenewalFailed', () => loss?.abort());
  return {
    async close(patient) {
      if (patient && sitting) await taker.close();
      await withinASecond(taker.close(true));
      await withinASecond(taker.disconnect());
    },
  };
}

/** A job that a worker set aside, because load is sent there now. */
export const setAside = 'set aside';

/** Work for the CPUs of whoever is on the queue: each job goes to one worker, and to another when that one is lost. */
export interface RemoteComputers {
  /** Names of the workers that are there. */
  present(): Promise<string[]>;
  /** The answer to a job, by whoever did it; null = nobody did: the workers are gone or send load, or Redis is gone. */
  ask(job: string): Promise<string | null>;
  close(): Promise<void>;
}

interface Pending {
  job: Job<{ text: string }>;
  settle(answer: string | null): void;
  fail(reason: string): void;
}

/** Jobs that nobody works on for so long, or while nobody is there, are given up. */
const unheardMs = 15_000;
const absenceMs = 3000;

/** Opens the queue of CPU work. */
export async function openWorkbench(
  place: RedisPlace,
  keys: QueueKeys,
  patienceMs: Patience,
): Promise<RemoteComputers> {
  const about = { connection: connectionTo(place, patienceMs), prefix: keys.prefix };
  // Events carry the answers; few are kept, because a caller that misses one reads the job itself.
  const queue = new Queue<{ text: string }>(keys.work, { ...about, streams: { events: { maxLen: 50 } } });
  const events = new QueueEvents(keys.work, about);
  // Takes no jobs: it finds those whose worker is lost when no other worker is there to do so.
  const checker = new JobWorker(keys.work, null, {
    ...about,
    autorun: false,
    stalledInterval: 1000,
    maxStalledCount: 3,
    name: 'checker',
  });
  queue.on('error', () => {});
  events.on('error', () => {});
  // Every waiting caller adds a listener, so their number has no limit.
  queue.setMaxListeners(0);
  events.setMaxListeners(0);
  checker.on('error', () => {});
  void checker.startStalledCheckTimer().catch(() => {});
  await events.waitUntilReady();
  const pending = new Set<Pending>();
  const present = async (): Promise<string[]> => namesOf(await queue.getWorkers());
  const seen = { workingMs: performance.now(), somebodyMs: performance.now() };
  const look = async (): Promise<void> => {
    if (pending.size === 0) seen.workingMs = seen.somebodyMs = performance.now();
    for (const one of [...pending].slice(0, 20)) {
      const state = await one.job.getState();
      if (state === 'active') seen.workingMs = performance.now();
      if (state !== 'completed' && state !== 'failed') continue;
      const done = await queue.getJob(one.job.id!);
      if (state === 'completed') one.settle(answerIn(done?.returnvalue));
      else one.fail(done?.failedReason ?? '');
    }
    if ((await present()).length > 0) seen.somebodyMs = performance.now();
    else if (performance.now() - seen.somebodyMs > absenceMs) giveUp();
  };
  const giveUp = (): void => {
    for (const one of pending) one.settle(null);
  };
  let looking = false;
  const timer = setInterval(() => {
    if (performance.now() - seen.workingMs > unheardMs) giveUp();
    if (looking) return;
    looking = true;
    void look()
      .catch(() => {})
      .finally(() => {
        looking = false;
      });
  }, 1000);
  return {
    present,
    async ask(text) {
      const options = { attempts: 5, removeOnComplete: { age: 600 }, removeOnFail: { age: 600 } };
      const adding = queue.add('job', { text }, options);
      const job = await Promise.race([adding, later(unheardMs)]);
      if (job === null) return null;
      return new Promise((resolve, reject) => {
        const end = (): void => {
          pending.delete(mine);
          seen.workingMs = performance.now();
          void job.remove().catch(() => {});
        };
        const mine: Pending = {
          job,
          settle: (answer) => (end(), resolve(answer)),
          fail: (reason) => (end(), reason === setAside ? resolve(null) : reject(new BrokenPromise(reason))),
        };
        pending.add(mine);
        job.waitUntilFinished(events).then(
          (answer) => mine.settle(answerIn(answer)),
          (error: Error) => {
            if (pending.has(mine)) mine.fail(error.message);
          },
        );
      });
    },
    async close() {
      clearInterval(timer);
      await withinASecond(Promise.all([events.close(), queue.close(), checker.close(true)]));
      await withinASecond(Promise.all([events.disconnect(), queue.disconnect(), checker.disconnect()]));
    },
  };
}

function later(ms: number): Promise<null> {
  return new Promise((resolve) => void setTimeout(() => resolve(null), ms).unref());
}

/** The answer is null unless it is a text, because anybody may write into Redis. */
function answerIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('not a piece of work');
}

function namesOf(workers: Awaited<ReturnType<Queue['getWorkers']>>): string[] {
  const names = workers.map(({ rawname }) => /:w:(.*)$/.exec(rawname ?? '')?.[1] ?? '');
  return [...new Set(names.filter((name) => name !== '' && name !== 'checker'))];
}

/** Takes CPU work one job at a time. */
export interface WorkTaker {
  /** Takes no jobs while this worker sends load, because a job would delay the load. */
  rest(): Promise<void>;
  goOn(): Promise<void>;
  close(): Promise<void>;
}

export function takeWork(
  place: RedisPlace,
  keys: QueueKeys,
  worker: { name: string; lostAfterMs: number },
  work: (job: string) => Promise<string>,
): WorkTaker {
  const hand = new JobWorker(keys.work, (job: Job<{ text?: unknown }>) => work(asText(job.data.text)), {
    connection: connectionTo(place),
    prefix: keys.prefix,
    name: worker.name,
    concurrency: 1,
    lockDuration: worker.lostAfterMs * 2,
    stalledInterval: 1000,
    maxStalledCount: 3,
    drainDelay: 2,
    runRetryDelay: 500,
  });
  hand.on('error', () => {});
  return {
    rest: () => hand.pause(true),
    goOn: () => hand.resume(),
    async close() {
      await withinASecond(hand.close(true));
      await withinASecond(hand.disconnect());
    },
  };
}

async function withinASecond(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | null = null;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 1000);
  });
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer!);
}

/** BullMQ's own type of the same options leaves no room for an option that is undefined. */
function connectionTo(place: RedisPlace, patienceMs?: Patience): ConnectionOptions {
  return redisOptions(place, patienceMs === undefined ? {} : { patienceMs }) as ConnectionOptions;
}
