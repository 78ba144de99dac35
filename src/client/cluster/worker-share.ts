import type { Redis } from './redis.ts';
import { conversationPacing } from '../../inputs/arrival/index.ts';
import type { DealtPhase } from '../../inputs/arrival/index.ts';
import { jsonIn, membersOf, UserError } from '../../core/index.ts';
import type { Ended, Phrase, RunPlan, Workload } from '../../core/index.ts';
import { LoadSession, startClock } from '../load/index.ts';
import type { PhaseName, Rehearsal } from '../load/index.ts';
import type { HeardWork, Order, ReturnedAsk, WorkerMessage, WorkerFacts } from './cluster-words.ts';
import type { TakenWorkerSlot } from './job-engine.ts';
import { readOrder } from './heard.ts';
import { runKeys } from './keys.ts';
import { readRedisClock } from './redis-clock.ts';
import { ResultSender } from './result-sender.ts';
import { ShareRequestSource } from './share-request-source.ts';

/** What a worker makes of a worker slot's source: prompts and secrets of its own. */
export interface WorkerInputs {
  workload(phase: PhaseName): Workload;
  secrets: Readonly<Record<string, string>>;
}

/** What one share of a run is done with. */
export interface WorkerShareParts {
  workerSlot: TakenWorkerSlot;
  prefix: string;
  /** Two connections: one waits for orders, the other speaks. */
  redis: Redis;
  listener: Redis;
  worker: WorkerFacts;
  lostAfterMs: number;
  /** The controller counts as gone when nobody renews its key for so long. */
  orphanAfterMs: number;
  controllerKey: string;
  /** Where the queue says which run it holds. */
  runKey: string;
  equip(source: unknown, plan: RunPlan): Promise<WorkerInputs>;
  rehearsal: Rehearsal;
  /** Aborted when this worker wants to leave: no more asks, drain, go. */
  leave: AbortSignal;
  tell(event: ShareEvent): void;
}

/** What a worker shows of a share. */
export type ShareEvent =
  | { say: 'began'; phase: PhaseName; model: string; slots: number | null }
  | { say: 'ended'; exchanges: number }
  /** Refused by this worker, or something is missing here; the controller is told too. */
  | { say: 'failed'; why: Phrase }
  | { say: 'lost' | 'orphaned' };

const listenMs = 1000;

/** Does one share of a run, from joining to the last exchange; settles when there is nothing left to do. */
export async function doShare(parts: WorkerShareParts): Promise<void> {
  const { workerSlot, redis, worker } = parts;
  const { data } = workerSlot;
  const keys = runKeys(parts.prefix, data.token);
  const member = workerSlot.id;
  // Leaves a slot alone that went back to the queue after its worker was lost: the controller has accounted for it.
  if ((await redis.set(keys.workerSlot(member), worker.name, 'NX')) === null) return;
  const say = async (word: WorkerMessage): Promise<void> => {
    await redis.xadd(keys.words, '*', 'w', JSON.stringify(word));
  };
  const reading = await readRedisClock(redis);
  const clock = startClock(BigInt(data.zeroRedisNs) - reading.offsetNs);
  const share = new WorkerShare(parts, clock, say);
  try {
    await say({ say: 'joined', member, worker, clock: { rttMs: reading.rttMs } });
    await share.equip();
    await share.obey();
    const after = await readRedisClock(redis);
    const driftMs = Number(after.offsetNs - reading.offsetNs) / 1e6;
    await say({
      say: 'health',
      member,
      health: share.health,
      clock: { rttMs: reading.rttMs, driftMs },
      buffered: share.mostWaiting,
    });
  } catch (error) {
    if (workerSlot.lost.aborted) return;
    const known = error instanceof UserError;
    share.failed(known ? error.mistakes[0]!.message : { en: String(error), zh: String(error) });
    await say({
      say: 'failed',
      member,
      mistakes: known ? error.mistakes : null,
      exitCode: known ? error.exitCode : 70,
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  } finally {
    share.close();
  }
}

class WorkerShare {
  readonly #keys: ReturnType<typeof runKeys>;
  readonly #sender: ResultSender;
  #session: LoadSession | null = null;
  #requestSource: ShareRequestSource | null = null;
  #phase: PhaseName = 'measure';
  #startMs = 0;
  #begun: PhaseName | null = null;
  /** Unsent asks go back to be dealt again, instead of being cancelled. */
  #giveBack = false;
  #returned: ReturnedAsk[] = [];
  /** Whole conversations are dealt, not asks. */
  #dealsConversations = false;
  #over: 'no' | 'ended' | 'left' | 'gone' = 'no';
  #exchanges = 0;
  #phases: Promise<void>[] = [];
  #broken: unknown = null;
  #failed = false;

  constructor(
    private readonly parts: WorkerShareParts,
    private readonly clock: ReturnType<typeof startClock>,
    private readonly say: (word: WorkerMessage) => Promise<void>,
  ) {
    this.#keys = runKeys(parts.prefix, parts.workerSlot.data.token);
    this.#sender = new ResultSender({
      redis: parts.redis,
      stream: this.#keys.results,
      member: parts.workerSlot.id,
      beatMs: 20,
      nowMs: () => clock.nowMs(),
      progress: () => ({
        ...(this.#session?.progress ?? { due: 0, sent: 0, inFlight: 0, taken: 0 }),
        deals: this.#requestSource?.heard.deals ?? 0,
      }),
    });
  }

  get health(): LoadSession['health'] {
    return this.#session?.health ?? null;
  }

  get mostWaiting(): number {
    return this.#sender.mostWaiting;
  }

  async equip(): Promise<void> {
    const { workerSlot, equip } = this.parts;
    const { plan, source } = workerSlot.data;
    const { workload, secrets } = await equip(source, plan);
    this.#session = new LoadSession({
      plan,
      clock: this.clock,
      workload,
      secrets,
      behind: null,
      deal: (phase, wake) => this.#deal(phase, wake),
      emit: (ending) => this.#emit(ending.record()),
    });
  }

  #deal({ load, limits, seed, conversations }: DealtPhase, wake: () => void): ShareRequestSource {
    const { workerSlot, lostAfterMs } = this.parts;
    const phase = this.#phase;
    this.#dealsConversations = conversations && conversationPacing(load) !== 'requests';
    this.#requestSource = new ShareRequestSource({
      member: workerSlot.id,
      load,
      limits,
      seed,
      wake,
      conversations: this.#dealsConversations,
      claim: (count) => this.#claim(phase, count, this.#dealsConversations ? null : limits.requests),
      ...(conversations &&
        !this.#dealsConversations && { claimConversations: (count) => this.#claimConversations(phase, count) }),
      allowed: () => this.#over === 'no' && workerSlot.sinceRenewedMs() < lostAfterMs,
      idle: (heard) => void this.#sayIdle(phase, heard),
    });
    return this.#requestSource;
  }

  /** Listens to the controller until the run is over, this worker leaves, or its worker slot is lost. */
  async obey(): Promise<void> {
    const { workerSlot, leave } = this.parts;
    const goLeaving = (): void => void this.#leave();
    const drop = (): void => this.#drop('lost');
    leave.addEventListener('abort', goLeaving);
    workerSlot.lost.addEventListener('abort', drop);
    try {
      if (leave.aborted) goLeaving();
      let from = '0';
      let controllerSeenMs = performance.now();
      while (this.#over === 'no') {
        const heard = await this.#listen(from);
        if (this.#broken !== null) throw this.#broken;
        for (const { id, order } of heard) {
          from = id;
          if (order !== null) await this.#do(order);
        }
        if (heard.length > 0) controllerSeenMs = performance.now();
        else if (await this.#isCleared()) this.#drop('orphaned');
        else if (await this.#controllerLives()) controllerSeenMs = performance.now();
        else if (performance.now() - controllerSeenMs > this.parts.orphanAfterMs) this.#drop('orphaned');
      }
      if (this.#over !== 'gone') await Promise.all(this.#phases);
      if (this.#broken !== null) throw this.#broken;
    } finally {
      leave.removeEventListener('abort', goLeaving);
      workerSlot.lost.removeEventListener('abort', drop);
    }
  }

  /** Tells the user of this worker that the share cannot be done here. */
  failed(why: Phrase): void {
    this.#failed = true;
    this.parts.tell({ say: 'failed', why });
  }

  close(): void {
    this.#sender.close();
    this.#session?.close();
    if (!this.#failed) this.parts.tell({ say: 'ended', exchanges: this.#exchanges });
  }

  async #listen(from: string): Promise<{ id: string; order: Order | null }[]> {
    const { listener } = this.parts;
    const block = this.#over === 'no' ? listenMs : 1;
    const read = await listener
      .xread('COUNT', 100, 'BLOCK', block, 'STREAMS', this.#keys.orders, from)
      .catch(() => new Promise<null>((resolve) => setTimeout(() => resolve(null), 100)));
    return (read?.[0]?.[1] ?? []).map(([id, fields]) => ({ id, order: readOrder(fields[1]) }));
  }

  /** Whether the queue holds another run or none, so that no more orders for this one will come. */
  async #isCleared(): Promise<boolean> {
    const { redis, runKey, workerSlot } = this.parts;
    const text = await redis.get(runKey).catch(() => undefined);
    if (text === undefined) return false;
    return text === null || membersOf(jsonIn(text))['token'] !== workerSlot.data.token;
  }

  async #controllerLives(): Promise<boolean> {
    return (await this.parts.redis.exists(this.parts.controllerKey).catch(() => 1)) === 1;
  }

  async #do(order: Order): Promise<void> {
    const member = this.parts.workerSlot.id;
    const session = this.#session!;
    if (order.say === 'prepare') {
      if (!order.members.includes(member)) return;
      this.#phase = order.phase;
      await session.prepare(order.phase);
      await this.parts.rehearsal(this.parts.workerSlot.data.plan, this.clock, order.phase);
      await this.say({ say: 'ready', member, phase: order.phase });
    } else if (order.say === 'begin') {
      if (this.#requestSource === null || order.phase !== this.#phase || this.#begun === order.phase) return;
      this.#begun = order.phase;
      this.#startMs = order.startMs;
      this.#sender.begin(order.phase);
      const run = this.#run(order.phase, order.startMs);
      this.#phases.push(run);
      run.catch((error: unknown) => {
        this.#broken = error;
      });
    } else if (order.say === 'deal') {
      if (order.phase === this.#phase) this.#requestSource?.deal(order.deal);
    } else if (order.say === 'again') {
      if (order.phase === this.#phase && order.member === member) this.#requestSource?.again(order.asks);
    } else if (order.say === 'finish') {
      if (order.phase === this.#phase) this.#requestSource?.finish();
    } else if (order.say === 'stop-sending') session.stopSending();
    else if (order.say === 'cancel-all') session.cancelAll();
    else if (order.say === 'end') this.#over = this.#over === 'no' ? 'ended' : this.#over;
  }

  async #run(phase: PhaseName, startMs: number): Promise<void> {
    const { workerSlot, tell } = this.parts;
    tell({ say: 'began', phase, model: workerSlot.data.plan.target.model, slots: this.#requestSource!.slots() });
    await this.#session!.run(phase, startMs);
    if (this.#over === 'gone') return;
    await this.#sender.finish();
    if (this.#returned.length > 0)
      await this.say({ say: 'returned', member: workerSlot.id, phase, asks: this.#returned });
    await this.say({ say: 'drained', member: workerSlot.id, phase });
    if (this.#giveBack) {
      await this.say({ say: 'left', member: workerSlot.id, phase });
      this.#over = 'left';
    }
  }

  #emit(ended: Ended): void {
    const { exchange } = ended;
    if (this.#over === 'gone') return;
    if (this.#giveBack && !this.#dealsConversations && exchange.problem?.code === 'not-sent') {
      const open = this.parts.workerSlot.data.plan.load.kind === 'open';
      const seq = exchange.warmup ? -1 - exchange.seq : exchange.seq;
      this.#returned.push({ seq, dueMs: open ? exchange.dueMs - this.#startMs : null });
      return;
    }
    this.#exchanges++;
    const labels = { ...exchange.labels, worker: this.parts.worker.name };
    // The next turn needs the answer here; the controller gets it only if the plan keeps texts.
    const answer = this.parts.workerSlot.data.plan.keepText ? ended.answer : null;
    this.#sender.push({ answer, exchange: { ...exchange, labels } });
  }

  async #claim(phase: PhaseName, count: number, limit: number | null): Promise<{ from: number; to: number }> {
    const { redis, workerSlot } = this.parts;
    const reply = (await redis.eval(
      claimScript,
      2,
      this.#keys.counter(phase),
      this.#keys.claims,
      count,
      limit ?? -1,
      workerSlot.id,
      phase,
    )) as [number, number];
    return { from: reply[0], to: reply[1] };
  }

  async #claimConversations(phase: PhaseName, count: number): Promise<{ from: number; to: number }> {
    const to = await this.parts.redis.incrby(this.#keys.counter(`conversations-${phase}`), count);
    return { from: to - count, to };
  }

  async #sayIdle(phase: PhaseName, heard: HeardWork): Promise<void> {
    await this.#sender.flush();
    await this.say({ say: 'idle', member: this.parts.workerSlot.id, phase, heard });
  }

  /** The worker was told to leave: other workers take its other requests, and it drains what is in flight. */
  async #leave(): Promise<void> {
    const member = this.parts.workerSlot.id;
    this.#giveBack = true;
    await this.say({ say: 'leaving', member, phase: this.#phase });
    // A conversation is finished by the worker that began it.
    if (this.#dealsConversations) this.#returned.push(...(this.#requestSource?.retire() ?? []));
    else this.#session?.stopSending();
    if (this.#phases.length === 0) {
      await this.say({ say: 'left', member, phase: null });
      this.#over = 'left';
    }
  }

  /** Drops the share, because another worker has it by now or the run is over: results from here would be counted twice or never. */
  #drop(why: 'lost' | 'orphaned'): void {
    this.#over = 'gone';
    this.#session?.cancelAll();
    this.#requestSource?.finish();
    this.parts.tell({ say: why });
  }
}

/** Takes the next numbers and says so in one step, so that the controller knows whose they are whatever happens. */
const claimScript = `
local to = redis.call('INCRBY', KEYS[1], ARGV[1])
local from = to - tonumber(ARGV[1])
local limit = tonumber(ARGV[2])
if limit >= 0 and to > limit then to = limit end
if from >= to then return {from, from} end
redis.call('XADD', KEYS[2], '*', 'm', ARGV[3], 'p', ARGV[4], 'f', from, 't', to)
return {from, to}
`;
