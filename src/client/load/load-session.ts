import { onlyPlace } from '../../inputs/arrival/index.ts';
import type { Place } from '../../inputs/arrival/index.ts';
import type { ClientHealth, ResumePoint, RunPlan, Workload } from '../../core/index.ts';
import { makeScrub, secretValues } from '../../core/index.ts';
import { protocolFor } from '../protocol/index.ts';
import type { Protocol, ServerStamp } from '../protocol/index.ts';
import { ClientWatch } from './client-watch.ts';
import { ConnectionTally } from './connection-tally.ts';
import type { LazyRecord } from './lazy-record.ts';
import { endpointsOf } from './endpoint.ts';
import { HeldBytes, mostHeldBytes } from './held-bytes.ts';
import { currentRead, readAt, tokensHeard } from './current-read.ts';
import { Http2Pool } from './http2/http2-pool.ts';
import { Phase } from './phase.ts';
import type { MakeRequestSource, PhaseParts } from './phase-parts.ts';
import { Pool } from './pool.ts';
import { Pools } from './pools.ts';
import type { ConnectionSource } from './pools.ts';
import { ReadPoller } from './read-poller.ts';
import { requestWriter } from './request-text.ts';
import type { Secrets } from './request-text.ts';
import { wallOriginNs } from './run-clock.ts';
import type { RunClock } from './run-clock.ts';
import { ServerClock } from './server-clock.ts';

/** The two stretches of a run. */
export type PhaseName = 'warmup' | 'measure';

/** Connections opened ahead of a phase at the most. */
const mostWarmed = 10_000;

/** How often timeouts are looked at; a timeout is noticed at most this much late. */
const timeoutTickMs = 20;

/** What one thread is given to do its part of a run. */
export interface SessionParts {
  plan: RunPlan;
  clock: RunClock;
  /** A fresh stream of prompts for each phase; warm-up and measuring ask different ones. */
  workload(phase: PhaseName): Workload;
  secrets: Secrets;
  /** Which part of the run is this thread's, phase by phase; absent = all of it. */
  place?(phase: PhaseName): Place;
  /** The part of the run that was done before an interruption; null = none. */
  behind: ResumePoint | null;
  /** The measured part takes the warm-up's slots over as they are freed; absent = the warm-up is drained first. */
  inStride?: boolean;
  /** Deals asks from elsewhere; absent = this process deals them itself. */
  deal?: MakeRequestSource;
  /** How the server stamps its events; absent = as servers made for this tool do, where it does. */
  stamp?: ServerStamp;
  /** A wire that a program brings; absent = the plan's. */
  protocol?: Protocol;
  emit(ending: LazyRecord): void;
}

/** One thread's part of a run: its connections, its phases, its health. */
export class LoadSession {
  readonly #pool: ConnectionSource;
  readonly #servers: number;
  readonly #isUncapped: boolean;
  readonly #watch = new ClientWatch();
  readonly #tally = new ConnectionTally();
  readonly #serverClock = new ServerClock();
  readonly #phaseParts: Omit<PhaseParts, 'place'>;
  readonly #poller: ReadPoller;
  readonly #ticker: NodeJS.Timeout;
  #phase: Phase | null = null;
  /** Time of the last read before this session, which belongs to another run. */
  readonly #readBefore = currentRead[readAt]!;
  /** The measured part that takes over from the warm-up under way. */
  #next: Phase | null = null;
  /** What is left of a warm-up that was taken over from. */
  #left: { phase: Phase; drained: Promise<void> } | null = null;
  #before = { opened: 0, reused: 0 };
  health: ClientHealth | null = null;

  constructor(private readonly parts: SessionParts) {
    const { plan, clock } = parts;
    const endpoints = endpointsOf(plan.target, parts.secrets);
    const endpoint = endpoints[0]!;
    const protocol = parts.protocol ?? protocolFor(plan.target);
    const write = requestWriter(endpoint, plan.target, parts.secrets);
    this.#isUncapped = plan.load.kind === 'open' && plan.load.concurrency === null;
    const pools = endpoints.map((each) =>
      each.http2 === true
        ? new Http2Pool(each, clock, this.#tally)
        : new Pool(each, clock, this.#tally, this.#isUncapped),
    );
    this.#pool = pools.length === 1 ? pools[0]! : new Pools(pools);
    this.#servers = pools.length;
    this.#poller = new ReadPoller(clock, () => this.#inFlight > 0);
    this.#phaseParts = {
      plan,
      clock,
      pool: this.#pool,
      settings: {
        protocol,
        timeouts: plan.timeouts,
        keepText: plan.keepText,
        scrub: makeScrub(
          secretValues({ ...plan.target.headers, ...parts.secrets }, plan.generation.body, [plan.target.url]),
        ),
        originNs: parts.stamp?.clock === 'realtime' ? wallOriginNs(clock) : clock.originNs,
        ...(parts.stamp !== undefined && { stamp: parts.stamp }),
        serverClock: this.#serverClock,
        held: new HeldBytes(mostHeldBytes / (parts.place?.('measure').of ?? 1)),
        touched: () => this.#poller.wake(),
      },
      behind: parts.behind,
      ...(parts.deal !== undefined && { deal: parts.deal }),
      encode: (ask) => write(protocol.encode(ask, plan.target)),
      emit: (ending) => parts.emit(ending),
    };
    // Looked at after the sockets have been read: when this process was held up, what came meanwhile is not too late.
    const check = (): void => {
      const nowMs = clock.nowMs();
      this.#phase?.checkTimeouts(nowMs);
      this.#left?.phase.checkTimeouts(nowMs);
      this.#poller.look();
    };
    this.#ticker = setInterval(() => setImmediate(check), timeoutTickMs);
  }

  /** Gets the first prompts of a phase at hand, and its connections. */
  async prepare(name: PhaseName): Promise<void> {
    if (name === 'measure' && this.#next !== null) {
      this.#phase = this.#next;
      return;
    }
    const phase = this.#newPhase(name, null);
    this.#phase = phase;
    await phase.ready();
    // Without a cap nobody knows how many are needed: one for each server, and a request that takes the last one has a spare opened.
    const wanted = this.#isUncapped ? this.#servers : phase.slots;
    await this.#pool.warm(Math.min(wanted, limitsOf(this.parts.plan, name).requests ?? Infinity, mostWarmed));
    if (name !== 'warmup' || this.parts.inStride !== true || phase.conversations) return;
    this.#next = this.#newPhase('measure', phase);
    await this.#next.ready();
  }

  /** The measured part begins with the first slot that the warm-up frees, and is prepared with it. */
  get handsOver(): boolean {
    return this.#next !== null;
  }

  #newPhase(name: PhaseName, before: Phase | null): Phase {
    const { plan, workload } = this.parts;
    const place = this.parts.place?.(name) ?? onlyPlace();
    const limits = { ...limitsOf(plan, name), ...(before !== null && { inStride: true as const }) };
    return new Phase({ ...this.#phaseParts, place }, () => workload(name), limits, name === 'warmup', before);
  }

  get #inFlight(): number {
    return (this.#phase?.inFlight ?? 0) + (this.#left?.phase.inFlight ?? 0);
  }

  /**
   * Runs the prepared phase from startMs of the run's clock on, until all of it has ended; null = as soon as all is set up for it.
   * A warm-up that hands over until all of it was sent and a slot is free.
   */
  async run(name: PhaseName, startMs: number | null): Promise<void> {
    const { clock } = this.parts;
    if (name === 'warmup') {
      const phase = this.#phase!;
      const drained = phase.run(startMs ?? clock.nowMs());
      if (!this.handsOver) return drained;
      this.#left = { phase, drained };
      return Promise.race([drained, phase.dealtOut()]);
    }
    this.#before = { opened: this.#pool.opened, reused: this.#pool.reused };
    this.#watch.start();
    this.#poller.start();
    await Promise.all([this.#phase!.run(startMs ?? clock.nowMs()), this.#left?.drained]);
    const { skewMs } = this.#serverClock;
    this.health = this.#watch.stop(this.#phase!.spunMs + this.#poller.spunMs, {
      ...this.#poller.ratios,
      opened: this.#pool.opened - this.#before.opened,
      reused: this.#pool.reused - this.#before.reused,
      ...this.#tally.read(),
      ...(skewMs !== null && { serverClockSkewMs: skewMs }),
    });
  }

  stopSending(): void {
    this.#left?.phase.stopSending();
    this.#phase?.stopSending();
  }

  cancelAll(): void {
    this.#left?.phase.cancelAll();
    this.#phase?.cancelAll();
  }

  /** How far the phase under way is. */
  get progress(): { due: number; sent: number; inFlight: number; taken: number; heardMs: number; heardTokens: number } {
    const phase = this.#phase;
    return {
      heardMs: phase === null || currentRead[readAt] === this.#readBefore ? 0 : currentRead[readAt]!,
      heardTokens: currentRead[tokensHeard]!,
      due: phase?.due ?? 0,
      sent: phase?.sent ?? 0,
      inFlight: this.#inFlight,
      taken: phase?.taken ?? 0,
    };
  }

  close(): void {
    clearInterval(this.#ticker);
    this.#pool.close();
  }
}

/** The phases of a plan, in order; a run that goes on in its measured part does not warm up again. */
export function phasesOf(plan: RunPlan, behind: ResumePoint | null): PhaseName[] {
  return plan.warmup === null || (behind !== null && behind.doneCount > 0) ? ['measure'] : ['warmup', 'measure'];
}

/** Where a phase of a plan ends. */
export function limitsOf(plan: RunPlan, name: PhaseName): { requests: number | null; durationMs: number | null } {
  if (name === 'measure' || plan.warmup === null) return { requests: plan.requests, durationMs: plan.durationMs };
  return 'requests' in plan.warmup
    ? { requests: plan.warmup.requests, durationMs: null }
    : { requests: null, durationMs: plan.warmup.forMs };
}
