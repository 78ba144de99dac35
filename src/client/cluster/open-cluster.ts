import type { Redis } from './redis.ts';
import type { PhaseName } from '../load/index.ts';
import { exitCodes, jsonIn, membersOf, mistake, printable, userError, UserError } from '../../core/index.ts';
import type { StopSignals } from '../../core/index.ts';
import { openWorkerSlotQueue } from './job-engine.ts';
import type { WorkerSlotQueue } from './job-engine.ts';
import { queueKeys } from './keys.ts';
import type { QueueKeys } from './keys.ts';
import { takeLease } from './lease.ts';
import type { Lease } from './lease.ts';
import { answered, checkRedis, openRedis, shown } from './redis.ts';
import type { Patience, RedisPlace } from './redis.ts';

/** A run as the queue holds it: enough to know whose it is and to go on with it. */
export interface HeldRun {
  token: string;
  /** monotonicOriginNs of the run's plan.json, which names the run. */
  originNs: string;
  zeroRedisNs: string;
  llmdyno: string;
  startedAt: string;
}

/** What is asked of a cluster before the first run. */
export interface ClusterOptions {
  place: RedisPlace;
  queue: string;
  version: string;
  minWorkers: number;
  /** How long to wait for that many. */
  waitMs: number;
  /** Throw away what an older run left in the queue. */
  clear: boolean;
  /** The run to go on with, by its monotonicOriginNs; null = a new one. */
  resume: string | null;
  /** Asks of a lost worker are sent again by the others. */
  resend: boolean;
  /** How long Redis may be away before the run is ended without it. */
  redisWaitMs: number;
  /** Whoever stops does not wait for workers, and who cancels not for a Redis that is away. */
  stops: StopSignals;
  tell(event: ClusterEvent): void;
}

/** What a controller shows on the way. */
export type ClusterEvent =
  | { say: 'waiting'; present: number; wanted: number }
  | { say: 'refused'; names: readonly string[] }
  | { say: 'members'; names: readonly string[] }
  | { say: 'joined' | 'left' | 'lost'; name: string; phase: PhaseName | null; asks: number }
  | { say: 'cannot'; name: string }
  | { say: 'redis-away' | 'redis-back' | 'redis-gone' | 'strange' };

/** A queue under our control, with workers on it. */
export interface Cluster {
  options: ClusterOptions;
  keys: QueueKeys;
  redis: Redis;
  /** How long each connection of the controller waits for Redis. */
  patienceMs: Patience;
  lease: Lease;
  workerSlots: WorkerSlotQueue;
  /** The run that is to be gone on with; null = none. */
  held: HeldRun | null;
  /** Whether a run of ours is in the queue. */
  running: { now: boolean };
  /** Called with worker slots whose worker is lost. */
  onLost: { call(id: string): void };
  close(): Promise<void>;
}

const lookEveryMs = 100;
/** After a cancel Redis is waited for this long, so that what it holds can still be read if it comes back at once. */
const cancelledMs = 1000;

/** Takes control of a queue and waits for its workers; everything that can be wrong is told here, before any run. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { place, queue, version } = options;
  await checkRedis(place, '--workers');
  const keys = queueKeys(queue, version);
  let isClosed = false;
  const patienceMs = (): number => {
    // Connections that are being closed while Redis is away would keep this process alive.
    if (isClosed) return 0;
    return options.stops.cancel.aborted ? Math.min(cancelledMs, options.redisWaitMs) : options.redisWaitMs;
  };
  const redis = openRedis(place, patienceMs);
  const running = { now: false };
  const onLost = { call: (_id: string): void => {} };
  let lease: Lease | null = null;
  let workerSlots: WorkerSlotQueue | null = null;
  const close = async (): Promise<void> => {
    isClosed = true;
    await lease?.release();
    await workerSlots?.close();
    redis.disconnect();
  };
  const open = async (): Promise<Cluster> => {
    lease = await takeLease(place, queue, {
      redis,
      keys,
      version,
      waitForDead: options.resume !== null,
      running: () => running.now,
    });
    const held = await heldRun(options, keys, redis);
    workerSlots = openWorkerSlotQueue(place, keys, patienceMs, (id) => onLost.call(id));
    const cluster: Cluster = { options, keys, redis, patienceMs, lease, workerSlots, held, running, onLost, close };
    if (held === null) await waitForWorkers(cluster);
    return cluster;
  };
  try {
    return await answered(place, open());
  } catch (failure) {
    await close();
    throw failure;
  }
}

/** The run that the queue holds, if it is the one to go on with; any other one is in the way. */
async function heldRun(options: ClusterOptions, keys: QueueKeys, redis: Redis): Promise<HeldRun | null> {
  const text = await redis.get(keys.run);
  const held = text === null ? null : heldIn(text);
  if (options.resume !== null && (held === null || held.originNs !== options.resume)) throw notHeld(options);
  if (options.resume !== null) return held;
  if (held === null) return null;
  if (!options.clear) throw leftOver(options, held);
  await clearQueue({ redis, keys, running: { now: false } });
  return null;
}

function heldIn(text: string): HeldRun {
  const { token, originNs, zeroRedisNs, llmdyno, startedAt } = membersOf(jsonIn(text));
  return {
    token: String(token),
    originNs: String(originNs),
    zeroRedisNs: String(zeroRedisNs),
    llmdyno: printable(String(llmdyno)),
    startedAt: printable(String(startedAt)),
  };
}

/** Takes everything under a queue's prefix away but the lease; from now on the queue need not hold a run of ours. */
export async function clearQueue({ redis, keys, running }: Pick<Cluster, 'redis' | 'keys' | 'running'>): Promise<void> {
  // Set first, because the next renewal of the lease would report the deleted run as lost.
  running.now = false;
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', `${globbed(keys.prefix)}:*`, 'COUNT', 500);
    cursor = next;
    const gone = found.filter((key) => key !== keys.controller);
    if (gone.length > 0) await redis.unlink(...gone);
  } while (cursor !== '0');
}

function globbed(text: string): string {
  return text.replaceAll(/[\\*?[\]]/g, String.raw`\$&`);
}

async function waitForWorkers(cluster: Cluster): Promise<void> {
  const { options, workerSlots } = cluster;
  const wanted = Math.max(1, options.minWorkers);
  const deadlineMs = performance.now() + options.waitMs;
  let told = -1;
  for (;;) {
    const present = await workerSlots.present();
    if (present.length >= wanted || options.stops.drain.aborted) break;
    if (present.length !== told) {
      told = present.length;
      options.tell({ say: 'waiting', present: told, wanted });
      const refused = await otherVersions(cluster);
      if (refused.length > 0) options.tell({ say: 'refused', names: refused });
    }
    if (performance.now() > deadlineMs) throw tooFew(options, present.length, wanted);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

/** Workers on this queue that are of another version of llmdyno, by the names of their connections. */
async function otherVersions({ redis, keys }: Cluster): Promise<string[]> {
  const list = (await redis.client('LIST')) as string;
  const found = new Set<string>();
  for (const [, queue, name] of list.matchAll(
    new RegExp(`name=${escaped(keys.prefix)}:([A-Za-z0-9+/=]+):w:(\\S+)`, 'g'),
  )) {
    const workerSlots = Buffer.from(queue!, 'base64').toString('utf8');
    if (workerSlots.startsWith('worker-slots-') && workerSlots !== keys.workerSlots && name !== 'checker')
      found.add(printable(`${name} (llmdyno ${workerSlots.replace(/^worker-slots-/, '')})`));
  }
  return [...found];
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function leftOver({ place, queue }: ClusterOptions, held: HeldRun): UserError {
  return userError(
    'queue-left-over',
    `queue "${queue}" at ${shown(place)} still holds a run begun ${held.startedAt} whose controller is gone`,
    `${shown(place)} 的队列 "${queue}" 仍保留着 ${held.startedAt} 开始、控制端已不在的运行`,
    'Go on with it: dyno run --resume RUN --workers …; or throw it away: add --clear-queue.',
    '可继续该运行：dyno run --resume RUN --workers …；或加 --clear-queue 丢弃。',
    '--workers',
  );
}

function notHeld({ place, queue }: ClusterOptions): UserError {
  return userError(
    'run-not-in-queue',
    `queue "${queue}" at ${shown(place)} does not hold that run: it was called off, thrown away by --clear-queue, or its controller ended before the queue had it`,
    `${shown(place)} 的队列 "${queue}" 没有该运行：它已被取消、被 --clear-queue 丢弃，或控制端在写入队列前就已结束`,
    'What was received stands in its folder: dyno report RUN. Where it ran on another queue or address, name them with --queue and --workers; else measure anew with dyno run and the same flags.',
    '已收到的结果在其目录中：dyno report RUN。如当时使用其他队列或地址，请用 --queue 与 --workers 指明；否则请用相同参数重新运行 dyno run。',
    '--resume',
  );
}

export function tooFew(
  { place, queue }: Pick<ClusterOptions, 'place' | 'queue'>,
  present: number,
  wanted: number,
): UserError {
  const start = `dyno worker ${shown(place)}${queue === 'dyno' ? '' : ` --queue ${queue}`}`;
  return new UserError(
    mistake(
      'no-workers',
      `${present} of ${wanted} workers are on queue "${queue}" at ${shown(place)}`,
      `${shown(place)} 的队列 "${queue}" 上只有 ${present} 个 worker，需要 ${wanted} 个`,
      `Start ${wanted > 1 ? 'more' : 'one'} on other machines: ${start}${wanted > 1 ? '; or ask for fewer: --min-workers' : ''}.`,
      `请在其他机器上启动：${start}${wanted > 1 ? '；或用 --min-workers 减少' : ''}。`,
      wanted > 1 ? '--min-workers' : '--workers',
    ),
    exitCodes.unreachable,
  );
}
