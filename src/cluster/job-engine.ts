import { Queue, QueueEvents, Worker as JobWorker } from 'bullmq';
import type { ConnectionOptions, Job } from 'bullmq';
import type { Seat } from './cluster-words.ts';
import type { QueueKeys } from './keys.ts';
import { redisOptions } from './redis.ts';
import type { RedisPlace } from './redis.ts';

/** A worker that does not renew its lock for so long is lost. Noticed within this time and two checks. */
export const defaultLostAfterMs = 5000;
const checkEveryMs = 500;

/** The queue of seats as the controller sees it. */
export interface SeatQueue {
  add(id: string, data: Seat): Promise<void>;
  /** Takes back a seat that nobody has taken, or that a lost worker left. */
  remove(id: string): Promise<void>;
  /** Whether somebody sits on it, as far as the queue knows. */
  isTaken(id: string): Promise<boolean>;
  /** Names of the workers that wait for seats or sit on one. */
  present(): Promise<string[]>;
  /** Takes every trace of the queue away. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue; `lost` is called with the id of each seat whose worker no longer renews its lock. */
export function openSeatQueue(place: RedisPlace, keys: QueueKeys, lost: (id: string) => void): SeatQueue {
  const connection = connectionTo(place);
  const queue = new Queue<Seat>(keys.seats, { connection, prefix: keys.prefix });
  // Takes no jobs: it is there for BullMQ's check of stalled ones, which workers leave to it.
  const checker = new JobWorker<Seat>(keys.seats, null, {
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
      await queue.add('seat', data, {
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
      const workers = await queue.getWorkers();
      const names = workers.map(({ rawname }) => /:w:(.*)$/.exec(rawname ?? '')?.[1] ?? '');
      return [...new Set(names.filter((name) => name !== '' && name !== 'checker'))];
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

/** One seat as a worker holds it. */
export interface TakenSeat {
  id: string;
  data: Seat;
  /** Time since the lock was last known to be ours. */
  sinceRenewedMs(): number;
  /** Aborted when the seat is known to be lost. */
  lost: AbortSignal;
}

/** Takes seats one after the other until told to leave. */
export interface SeatTaker {
  /** patient: the seat it sits on is finished first. */
  close(patient: boolean): Promise<void>;
}

/** Waits for seats and sits on them one at a time; BullMQ renews the lock while `sit` runs. */
export function takeSeats(
  place: RedisPlace,
  keys: QueueKeys,
  worker: { name: string; lostAfterMs: number },
  sit: (seat: TakenSeat) => Promise<void>,
): SeatTaker {
  let renewedMs = performance.now();
  let loss: AbortController | null = null;
  let sitting = false;
  const taker = new JobWorker<Seat>(
    keys.seats,
    async (job: Job<Seat>) => {
      renewedMs = performance.now();
      loss = new AbortController();
      sitting = true;
      const seat = {
        id: job.id!,
        data: job.data,
        sinceRenewedMs: () => performance.now() - renewedMs,
        lost: loss.signal,
      };
      await sit(seat).finally(() => {
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

/** Work for the CPUs of whoever is on the queue: each job goes to one worker, and to another when that one is lost. */
export interface Workbench {
  /** The answer to a job, by whoever did it. */
  ask(job: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens the queue of CPU work. */
export async function openWorkbench(place: RedisPlace, keys: QueueKeys): Promise<Workbench> {
  const about = { connection: connectionTo(place), prefix: keys.prefix };
  const queue = new Queue(keys.work, about);
  const events = new QueueEvents(keys.work, about);
  queue.on('error', () => {});
  events.on('error', () => {});
  await events.waitUntilReady();
  return {
    async ask(job) {
      const options = { attempts: 2, removeOnComplete: { age: 600 }, removeOnFail: { age: 600 } };
      return (await queue.add('job', job, options)).waitUntilFinished(events);
    },
    async close() {
      await withinASecond(Promise.all([events.close(), queue.close()]));
      await withinASecond(Promise.all([events.disconnect(), queue.disconnect()]));
    },
  };
}

/** Takes CPU work one job at a time. */
export interface BenchHand {
  /** While load is sent nothing else shall use the CPU. */
  rest(): Promise<void>;
  goOn(): Promise<void>;
  close(): Promise<void>;
}

export function takeWork(
  place: RedisPlace,
  keys: QueueKeys,
  worker: { name: string; lostAfterMs: number },
  work: (job: unknown) => Promise<unknown>,
): BenchHand {
  const hand = new JobWorker(keys.work, (job: Job<unknown>) => work(job.data), {
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
function connectionTo(place: RedisPlace): ConnectionOptions {
  return redisOptions(place) as ConnectionOptions;
}
