import { BrokenPromise, UserError, problem } from '../../core/index.ts';
import type { Ended, RunPlan, Workload } from '../../core/index.ts';
import { limitsOf, phasesOf } from '../load/index.ts';
import type { PhaseName, RunClock } from '../load/index.ts';
import type { Batch, Claim, WorkerMessage } from './cluster-words.ts';
import { AckTracker } from './ack-tracker.ts';
import { ClaimedRanges } from './claimed-ranges.ts';
import { standOf } from './former-orders.ts';
import { runKeys } from './keys.ts';
import { countShare, isFreeWorkerSlot, lastWorkerSlot, newMember, resetForPhase } from './members.ts';
import type { Member } from './members.ts';
import { OfferedSlots } from './offered-slots.ts';
import { clearQueue } from './open-cluster.ts';
import type { Cluster, HeldRun } from './open-cluster.ts';
import { leadMs, PhaseControl } from './phase-control.ts';
import { isGivenUp, openRedis, wentAway } from './redis.ts';
import { watchRedis } from './redis-watch.ts';
import { RunStop } from './run-stop.ts';
import { RunStreams } from './run-streams.ts';
import { Waiting } from './waiting.ts';

/** What one run over machines is controlled with. */
export interface RunControlParts {
  cluster: Cluster;
  plan: RunPlan;
  held: HeldRun;
  /** What the workers make their prompts and secrets from. */
  source: unknown;
  clock: RunClock;
  /** The plan's conversations; null = every prompt is asked by itself. */
  talks: ((phase: PhaseName) => Workload) | null;
  /** Numbers that are on disk already, as recorded (warm-up below 0); empty for a new run. */
  known: Iterable<number>;
  emit(ended: Ended): void;
}

/** Workers that were present are waited for this long to join. */
const joinMs = 5000;
const healthMs = 5000;
/** A run whose workers are all gone is given up after this long, or sooner where less was asked for. */
const nobodyMs = 30_000;
const trimEveryMs = 1000;

/** Controls one run: gives workers their slots, deals requests, reads messages, and accounts for every request whatever happens. */
export class RunControl {
  readonly #streams: RunStreams;
  readonly members = new Map<string, Member>();
  readonly #kept = new AckTracker();
  readonly #reader;
  #phase: PhaseControl | null = null;
  #phaseName: PhaseName | null = null;
  #begun = false;
  readonly #slots: OfferedSlots;
  readonly #waiting = new Waiting();
  readonly #stop = new RunStop();
  #failure: unknown = null;
  #ending = false;
  #abandoned = false;
  #replaying = false;
  #toldStrange = false;
  #trimmedMs = 0;
  readonly #claims = new ClaimedRanges();
  /** Why the run ended without its workers; null = it did not. */
  gone: 'redis-gone' | 'redis-empty' | 'taken-over' | null = null;

  /** Whether Redis or every worker went away before the plan was done. */
  get cutShort(): boolean {
    return this.gone !== null || this.#abandoned;
  }

  constructor(private readonly parts: RunControlParts) {
    const { cluster, held, plan, source } = parts;
    const { token, zeroRedisNs, llmdyno } = held;
    this.#slots = new OfferedSlots(cluster.workerSlots, { token, plan, source, zeroRedisNs, llmdyno });
    this.#reader = openRedis(cluster.options.place, cluster.patienceMs);
    this.#streams = new RunStreams(cluster.redis, this.#reader, runKeys(cluster.keys.prefix, held.token), {
      word: (word) => this.#word(word),
      claim: (claim, entry) => this.#claim(claim, entry),
      batch: (batch, entry) => this.#batch(batch, entry),
      strange: () => this.#strange(),
      round: () => this.#changed(),
    });
    void cluster.lease.lost.then((why) => this.#end(why === 'taken' ? 'taken-over' : 'redis-empty'));
  }

  /** The whole run, to its last record. */
  async run(): Promise<void> {
    const { cluster, plan } = this.parts;
    const resumed = cluster.held !== null;
    cluster.onLost.call = (id) => void this.#lost(id);
    const unwatch = watchRedis(cluster, () => this.#end('redis-gone'));
    try {
      const done = await this.#enter(resumed);
      for (const phase of phasesOf(plan, null)) {
        if (done.has(phase)) continue;
        if (phase === 'warmup' && this.#stop.said) continue;
        await this.#runPhase(phase);
      }
      await this.#endRun();
    } finally {
      cluster.onLost.call = () => {};
      unwatch();
      await this.#streams.stop();
    }
    if (this.#failure === null) return;
    // A run that cannot be done is not kept for a resume.
    if (this.gone === null) await clearQueue(cluster);
    throw this.#failure;
  }

  /** Gives each worker its slot, or continues a previous controller's run; returns the phases that are done. */
  async #enter(resumed: boolean): Promise<Set<PhaseName>> {
    let done = new Set<PhaseName>();
    try {
      if (resumed) done = await this.#catchUp();
      else await this.#fillWorkerSlots();
    } catch (failure) {
      if (!isGivenUp(failure)) throw failure;
      this.#end('redis-gone');
    }
    // Nothing was sent, so the run's folder stays as it was; a user who has stopped it meanwhile gets what is there.
    if (this.gone === 'redis-gone' && !this.#stop.said) throw wentAway(this.parts.cluster.options.place);
    return done;
  }

  /** Takes the number of emitted exchanges that are on disk. */
  kept(count: number): void {
    const entry = this.#kept.kept(count);
    if (entry !== null) this.#streams.trim('results', entry);
  }

  order(word: 'stop-sending' | 'cancel-all'): void {
    if (this.#stop.word === 'cancel-all' || this.#stop.word === word) return;
    this.#halt(word);
    this.#streams.order({ say: word });
    this.#changed();
  }

  #halt(word: 'stop-sending' | 'cancel-all'): void {
    this.#stop.say(word, () => this.#changed());
    this.#phase?.stop();
  }

  get #nobodyMs(): number {
    return Math.min(nobodyMs, this.parts.cluster.options.waitMs);
  }

  get #present(): Member[] {
    return [...this.members.values()].filter(({ state }) => state === 'here');
  }

  async #fillWorkerSlots(): Promise<void> {
    const { cluster, plan, held } = this.parts;
    // Slots and messages of an earlier point are useless now, so the queue is cleared.
    await clearQueue(cluster);
    await cluster.redis.set(cluster.keys.run, JSON.stringify(held));
    cluster.running.now = true;
    this.#streams.start();
    const present = await cluster.workerSlots.present();
    const most = Math.min(present.length, plan.load.concurrency ?? Infinity);
    for (let i = 0; i < most; i++) await this.#slots.add();
    const filled = (): boolean => this.members.size >= most || this.#stop.said;
    await this.#until(filled, joinMs);
    if (!filled()) await this.#until(() => this.members.size > 0 || this.#stop.said, cluster.options.waitMs);
    cluster.options.tell({ say: 'members', names: this.#present.map(({ worker }) => worker.name) });
    // One more worker slot, for whoever comes later.
    await this.#slots.add();
  }

  async #runPhase(name: PhaseName): Promise<void> {
    if (this.#failure !== null) return;
    const resumed = this.#phaseName === name;
    // Redis went away before the phase began; its requests are recorded as not sent.
    if (this.gone !== null && !resumed) return this.#newPhase(name).close(null);
    if (!resumed) {
      this.#phase = this.#newPhase(name);
      this.#phaseName = name;
      this.#begun = false;
      for (const member of this.members.values()) resetForPhase(member);
      await this.#until(() => this.#present.length > 0 || this.#stop.said, this.#nobodyMs);
      const asked = this.#present;
      this.#streams.order({ say: 'prepare', phase: name, members: asked.map(({ id }) => id) });
      const ready = (member: Member): boolean => member.ready.has(name) || member.state !== 'here';
      await this.#phase.ledger.ready();
      await this.#until(() => asked.every(ready) || this.#stop.said, null);
      const starting = this.#present.filter((member) => member.ready.has(name));
      if (this.#stop.said) this.#phase.stop();
      else if (asked.length === 0) this.#abandoned = true;
      else if (this.#failure === null && this.gone === null) {
        this.#phase.begin(this.parts.clock.nowMs() + leadMs, starting);
        this.#begun = true;
      }
    }
    const phase = this.#phase!;
    if (this.#begun) await this.#until(() => phase.advance() === 'over' || this.#stop.overdue, null);
    this.#abandoned ||= phase.abandoned;
    await phase.ledger.ready();
    const lost = this.gone !== null ? 'lost-with-redis' : this.#stop.overdue ? 'lost-with-worker' : null;
    phase.close(lost === null ? null : problem(lost));
    // Whoever took the run over decides when its phases end.
    if (this.#begun && this.gone === null) this.#streams.order({ say: 'finish', phase: name });
  }

  #newPhase(name: PhaseName): PhaseControl {
    const { plan, cluster, clock, known, talks } = this.parts;
    const control = new PhaseControl({
      phase: name,
      plan,
      limits: limitsOf(plan, name),
      talks: talks === null ? null : () => talks(name),
      members: this.members,
      resend: cluster.options.resend,
      nobodyMs: this.#nobodyMs,
      nowMs: () => clock.nowMs(),
      order: (order) => this.#streams.order(order),
      emit: (ended) => {
        this.#kept.emitted(ended);
        this.parts.emit(ended);
      },
    });
    for (const seq of known) if (seq < 0 === (name === 'warmup')) control.known(seq < 0 ? -1 - seq : seq);
    return control;
  }

  /** Ends the run at every worker, hears their health, and takes every trace of it out of Redis. */
  async #endRun(): Promise<void> {
    this.#ending = true;
    if (this.gone !== null) return;
    // The worker that is done first would take an offered slot again.
    await this.#slots.withdraw();
    this.#streams.order({ say: 'end' });
    const told = ({ state, ended, health }: Member): boolean => state !== 'here' || ended || health !== null;
    await this.#waiting.until(() => this.gone !== null || [...this.members.values()].every(told), healthMs);
  }

  /** Replays what the former controller ordered and what was said to it. */
  async #catchUp(): Promise<Set<PhaseName>> {
    const { cluster } = this.parts;
    cluster.running.now = true;
    const orders = await this.#streams.orders();
    const { phase, done, stop } = standOf(orders);
    if (phase !== null) {
      this.#phaseName = phase.phase;
      this.#phase = this.#newPhase(phase.phase);
      await this.#phase.ledger.ready();
      this.#phase.takeOver(phase.startMs, orders);
      this.#begun = true;
    }
    // Stopped by the user meanwhile, or before by the previous controller.
    if (stop !== null) this.#halt(stop);
    else if (this.#stop.said) this.#phase?.stop();
    this.#replaying = true;
    this.#streams.start();
    await this.#streams.caughtUp();
    this.#replaying = false;
    if (this.#begun) this.#phase!.takeIn();
    // A worker that was lost while no controller ran has lost its slot, too.
    for (const { id, state } of this.members.values())
      if (state !== 'left' && !(await cluster.workerSlots.isTaken(id))) await this.#lost(id);
    this.#slots.last = lastWorkerSlot(this.members) + 1;
    cluster.options.tell({ say: 'members', names: this.#present.map(({ worker }) => worker.name) });
    await this.#slots.add();
    return done;
  }

  #word(word: WorkerMessage): void {
    const { cluster, held } = this.parts;
    if (word.say === 'joined') {
      if (!isFreeWorkerSlot(this.members, held.token, word.member)) return this.#strange();
      const member = newMember(word.member, word.worker, word.clock);
      this.members.set(word.member, member);
      this.#slots.taken(word.member);
      if (this.#begun && !this.#replaying && !this.#ending && this.#phase?.stopped === false) {
        this.#streams.order({ say: 'prepare', phase: this.#phaseName!, members: [member.id] });
        void this.#slots.add();
        cluster.options.tell({ say: 'joined', name: word.worker.name, phase: this.#phaseName, asks: 0 });
      }
      return;
    }
    const member = this.members.get(word.member);
    if (member === undefined || member.state === 'lost') return;
    if (word.say === 'ready') {
      member.ready.add(word.phase!);
      if (this.#begun && word.phase === this.#phaseName) this.#readyLate(member);
    } else if (word.say === 'leaving') {
      member.state = 'leaving';
      if (this.#begun) this.#phase?.release();
      cluster.options.tell({ say: 'left', name: member.worker.name, phase: this.#phaseName, asks: 0 });
    } else if (word.say === 'left') {
      member.state = 'left';
      if (this.#begun) this.#phase?.release();
    } else if (word.say === 'returned') this.#phase?.returned(word.asks);
    else if (word.say === 'idle' || word.say === 'drained') {
      if (word.phase !== this.#phaseName) return;
      if (word.say === 'drained') member.drained = true;
      else if (this.#phase?.knowsAll(member.id, word.heard) === false) return;
      void this.#settle(member);
    } else if (word.say === 'health') {
      member.health = word.health;
      member.clock = { ...word.clock };
      member.buffered = word.buffered;
      member.ended = true;
    } else if (word.say === 'failed') this.#fail(member, word);
  }

  /** A member reports that it is idle; it counts as settled once everything it sent before has been read. */
  async #settle(member: Member): Promise<void> {
    const turn = ++member.turn;
    await this.#streams.caughtUp();
    if (member.turn !== turn) return;
    member.settled = true;
    this.#changed();
  }

  /** A member that became ready after the phase began: a newcomer, or one that a former controller knew. */
  #readyLate(member: Member): void {
    if (this.#phase!.knows(member.id)) this.#phase!.rejoin(member);
    else if (!this.#replaying) this.#phase!.integrate(member);
  }

  /** A worker cannot do its share: the run ends with the user's mistake that it reports, or with a bug. */
  #fail(member: Member, word: Extract<WorkerMessage, { say: 'failed' }>): void {
    member.state = 'left';
    this.parts.cluster.options.tell({ say: 'cannot', name: member.worker.name });
    const said = `${member.worker.name}: ${word.message}`;
    this.#failure ??= word.mistakes === null ? new BrokenPromise(said) : new UserError(word.mistakes, word.exitCode);
  }

  #claim({ member, phase, from, to }: Claim, entry: string): void {
    if (phase !== this.#phaseName) return;
    this.#phase?.ledger.claimed(member, from, to);
    this.#claims.add({ entry, from, to, phase });
  }

  #batch(batch: Batch, entry: string): void {
    const member = this.members.get(batch.member);
    const phase = this.#phase;
    if (member === undefined || phase === null || batch.number <= member.lastBatch) {
      this.#kept.came(entry, []);
      return;
    }
    member.lastBatch = batch.number;
    if (member.state === 'lost' || batch.phase !== this.#phaseName) {
      member.late += batch.ended.length;
      this.#kept.came(entry, []);
      return;
    }
    phase.take(member, batch, (fresh) => {
      countShare(member, fresh);
      this.#kept.came(entry, fresh);
    });
  }

  #strange(): void {
    if (!this.#toldStrange) this.parts.cluster.options.tell({ say: 'strange' });
    this.#toldStrange = true;
  }

  /** The worker of this slot no longer renews its lock; what it has sent before is read first. */
  async #lost(id: string): Promise<void> {
    const { cluster } = this.parts;
    await cluster.workerSlots.remove(id);
    await this.#streams.caughtUp();
    await this.#phase?.ledger.ready();
    const member = this.members.get(id);
    if (member === undefined || member.state === 'lost' || member.state === 'left' || member.ended) return;
    member.state = 'lost';
    member.lostAsks = this.#begun && member.active ? this.#phase!.lose(member) : 0;
    cluster.options.tell({ say: 'lost', name: member.worker.name, phase: this.#phaseName, asks: member.lostAsks });
    if (!this.#ending) await this.#slots.add();
    this.#changed();
  }

  #end(why: 'redis-gone' | 'redis-empty' | 'taken-over'): void {
    if (this.#ending || this.gone !== null) return;
    this.gone = why;
    this.parts.cluster.options.tell({ say: 'redis-gone' });
    // Stops the streams, so that nobody waits for messages that Redis will not bring.
    void this.#streams.stop();
    this.#changed();
  }

  #changed(): void {
    this.#waiting.look();
    const nowMs = this.parts.clock.nowMs();
    if (nowMs - this.#trimmedMs < trimEveryMs || this.#phase === null) return;
    this.#trimmedMs = nowMs;
    const { ledger } = this.#phase;
    ledger.ready().catch((failure: unknown) => (this.#failure ??= failure));
    const needed = this.#claims.forget(this.#phaseName, ledger);
    if (needed !== null) this.#streams.trim('claims', needed);
  }

  /** Settles when the condition holds, the run failed, Redis is gone, or time is up. */
  #until(condition: () => boolean, timeoutMs: number | null): Promise<void> {
    return this.#waiting.until(() => this.#failure !== null || this.gone !== null || condition(), timeoutMs);
  }
}
