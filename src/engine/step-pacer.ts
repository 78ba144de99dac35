import { wakeMsAfter } from '../sim/index.ts';
import type { Emission, EngineCore, EngineRequest, Step } from '../sim/index.ts';
import { Lag } from './lag.ts';
import type { Lead } from './lead.ts';
import { nap } from './nap.ts';
import { Outgoing } from './outgoing.ts';

/** Timers wake up late by a millisecond or so, on a busy host by three more: the last stretch is waited out in turns of the event loop. */
const spinMs = 4.5;
/** Between two turns it naps, until shortly before the time: a client that is about to ask may need the processor. */
const napMs = 0.1;
const awakeMs = 0.2;
/** For so long, wall clock, a request whose client told when it was due may be on its way here and still join the step that began meanwhile. */
const mostLateMs = 10;
/** But for no longer than this part of a step: its tokens must be known when it ends. */
const mostOfStep = 0.5;
/** So long before a step's end, wall clock, it is worked out what it makes: that takes time, and the first token of a request that was sent early leaves early. */
export const mostEarlyMs = 1;
/** And so much longer where many first tokens are to be written, the first of them earlier than they should be. */
const mostFirstsMs = 4;
/** Where there is nothing to do for longer, wall clock, something else may be done. */
const quietMs = 8;
/** Who was late or early by less was in time. */
const leastLateMs = 0.05;
/** What is urgent is let be heard for so long before the rest is written. */
const hearingMs = 0.05;

/** A request on its way into the engine. */
export interface Arriving extends EngineRequest {
  /** When virtual time has it sent, where its client told; absent = it arrived when it was read. */
  askedMs?: number;
  /** So much later its client sent it (negative: earlier): its tokens lag, since what the client measures began then. */
  lateMs?: number;
}

/** Gets tokens of a step when they are due, first and last ones apart from others; `tokens` = how many it made. */
export type Emit = (emissions: readonly Emission[], step: Step, tokens: number) => void;

/**
 * Drives an engine core by the wall clock. A step that has ended late does not shift the next one: while there is
 * work, each step begins where the one before was meant to end, so that lateness never adds up. A request is there for the first step
 * that begins at or after its arrival (the one after it where steps are formed ahead), as in virtual time, however late the wall clock is.
 * Where clients tell when and why requests were sent, who is in a step is decided a moment after it began, so that those still on their way are, too.
 */
export class StepPacer {
  readonly #core: EngineCore;
  readonly #speed: number;
  readonly #emit: Emit;
  readonly #lead: Pick<Lead, 'ms' | 'takesMs'>;
  readonly #quiet: () => void;
  readonly #originMs = monotonicMs();
  /** The step under way, and when it ends. */
  #step: Step | null = null;
  #endMs: number | null = null;
  /** Who had arrived by then is in it. */
  #begunMs = -Infinity;
  /** Nobody joins it: the engine rested, and begins with the first that came. */
  #isFirst = false;
  /** So many times it was looked at the clock, each after a look at the sockets, and as many before it began or somebody joined it last. */
  #looks = 0;
  #touchedAt = 0;
  /** A step ends or has ended then, and who is in the next is not decided yet. */
  #beginMs: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #worstLagMs = 0;
  #lastStepMs = Infinity;
  /** Clients tell when and why their requests were sent: the last one did. */
  #areTold = false;
  /** Not yet arrived, or arrived within the step under way, in the order of arrival. */
  #arriving: Arriving[] = [];
  /** By request that was sent late, or early. */
  readonly #lags = new Map<number, Lag>();
  readonly #outgoing = new Outgoing();
  /** The token that left last was urgent. */
  #isUnheard = false;

  /**
   * speed 10 = ten simulated seconds per second. `emit` gets each step's tokens at its end, or as much earlier as `lead` says; `quiet` is for
   * what takes a few milliseconds and is not urgent.
   */
  constructor(
    core: EngineCore,
    speed: number,
    emit: Emit,
    lead: Pick<Lead, 'ms' | 'takesMs'> = { ms: 0, takesMs: () => 0 },
    quiet: () => void = () => {},
  ) {
    this.#core = core;
    this.#speed = speed;
    this.#emit = emit;
    this.#lead = lead;
    this.#quiet = quiet;
  }

  /** Simulated time. */
  nowMs(): number {
    return this.simulatedMs(monotonicMs());
  }

  /** The simulated time at a moment of CLOCK_MONOTONIC. */
  simulatedMs(atMs: number): number {
    return (atMs - this.#originMs) * this.#speed;
  }

  /** The most that a step's tokens came out after their time, on the wall clock. */
  get worstLagMs(): number {
    return this.#worstLagMs;
  }

  /** Puts a request before the engine at its arrivalMs, which is now, a little ago or later. */
  submit(request: Arriving): void {
    const { id, lateMs = 0, askedMs, arrivalMs } = request;
    if (this.#step !== null && this.#step.batchSize > 0 && !this.#isFirst && arrivalMs <= this.#begunMs) {
      this.#core.join(request);
      this.#endMs = this.#step.endMs;
      this.#touchedAt = this.#looks;
    } else {
      // Who is of a later time is read after those of an earlier one.
      this.#touchedAt = -Infinity;
      const before = this.#arriving.findLastIndex((other) => other.arrivalMs <= arrivalMs);
      this.#arriving.splice(before + 1, 0, request);
    }
    if (Math.abs(lateMs) > leastLateMs * this.#speed) this.#lags.set(id, new Lag(lateMs, request.outputTokens));
    this.#areTold = askedMs !== undefined;
    // An engine that rests to let its queue fill looks at it again when somebody comes.
    if (this.#step?.batchSize === 0) this.#endMs = Math.max(this.#step.startMs, Math.min(this.#endMs!, arrivalMs));
    this.stop();
    // Hundreds that are read one after the other hold up no token that is due.
    this.#act();
    this.#wait();
  }

  /** Takes a request out, arrived or not. */
  cancel(id: number): void {
    this.#lags.delete(id);
    this.#outgoing.drop(id);
    if (this.#core.cancel(id)) return;
    this.#arriving = this.#arriving.filter((request) => request.id !== id);
  }

  /** For how long there is nothing to do, wall clock. */
  quietMs(): number {
    const nowMs = this.nowMs();
    return (Math.min(this.#outgoing.nextMs(nowMs), this.#nextOfStepsMs()) - nowMs) / this.#speed;
  }

  /** Requests that have arrived and that no step has taken notice of yet. */
  get arrived(): number {
    const nowMs = this.nowMs();
    return this.#arriving.filter((request) => request.arrivalMs <= nowMs).length;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
  }

  /** So long before its end a step's tokens begin to be written, simulated time. */
  get #aheadMs(): number {
    return this.#lead.ms * this.#speed;
  }

  /** How long after its beginning it is decided who is in a step, wall clock. */
  get #graceMs(): number {
    return this.#areTold ? Math.min(mostLateMs, (mostOfStep * this.#lastStepMs) / this.#speed) : 0;
  }

  /** When there is something to do next with steps, simulated time; Infinity = not before somebody comes. */
  #nextOfStepsMs(): number {
    if (this.#step !== null && this.#step.batchSize > 0) {
      const { prefillTokens, batchSize } = this.#step;
      const firstsMs = prefillTokens === 0 ? 0 : Math.min(mostFirstsMs, this.#lead.takesMs(batchSize) / 2);
      return this.#endMs! - this.#aheadMs - (mostEarlyMs + firstsMs) * this.#speed;
    }
    // A rest ends sooner if somebody comes, as a step that is not decided yet is joined.
    const beginMs = this.#endMs ?? this.#beginMs;
    if (beginMs !== null) return beginMs + this.#graceMs * this.#speed;
    // Tokens of a late request are as late: another that was sent before it and is not read yet may still begin.
    const decided = this.#arriving.map(({ arrivalMs, lateMs = 0 }) => arrivalMs + Math.max(0, lateMs));
    return Math.min(...decided) + this.#graceMs * this.#speed;
  }

  /** An engine that rests begins with the first that comes, and with nobody else. */
  #begin(): void {
    const first = this.#arriving[0];
    const isAwake = this.#beginMs !== null;
    const atMs = this.#beginMs ?? first!.arrivalMs;
    this.#beginMs = null;
    this.#begunMs = atMs;
    this.#isFirst = !isAwake;
    this.#touchedAt = this.#looks;
    const askedMs = isAwake ? undefined : first!.askedMs;
    const wakesMs = askedMs === undefined ? 0 : wakeMsAfter(askedMs - this.#core.restsSinceMs);
    const late = this.#arriving.findIndex((request) => request.arrivalMs > atMs);
    for (const request of this.#arriving.splice(0, late === -1 ? this.#arriving.length : late))
      this.#core.submit(request);
    const step = this.#core.beginStep(atMs + wakesMs);
    this.#step = step;
    this.#endMs = step?.endMs ?? null;
    if (step?.batchSize === 0) {
      const nextArrivalMs = this.#arriving[0]?.arrivalMs ?? Infinity;
      this.#endMs = Math.max(step.startMs, Math.min(step.endMs, nextArrivalMs));
    } else if (step !== null) this.#lastStepMs = step.endMs - step.startMs;
  }

  #endStep(step: Step): void {
    const endMs = this.#endMs!;
    const emissions = this.#core.endStep();
    const leavesMs = endMs - this.#aheadMs;
    this.#letGo(() => leavesMs);
    this.#outgoing.add(emissions, step, leavesMs, {
      lagMs: ({ id, tokenIndex }) => this.#lags.get(id)?.ms(tokenIndex, endMs) ?? 0,
      takesMs: (tokens) => this.#lead.takesMs(tokens) * this.#speed,
    });
    for (const { id, finished } of emissions) if (finished) this.#lags.delete(id);
    this.#beginMs = endMs;
    this.#step = null;
    this.#endMs = null;
  }

  /** Hands out what is due by then. */
  #letGo(untilMs: () => number): void {
    for (;;) {
      const parcel = this.#outgoing.take(untilMs());
      if (parcel === null) return;
      const { emissions, step, tokens, urgent } = parcel;
      if (this.#isUnheard && !urgent) nap(hearingMs);
      this.#isUnheard = urgent;
      this.#emit(emissions, step, tokens);
    }
  }

  #wait(): void {
    if (this.quietMs() > quietMs) this.#quiet();
    const nowMs = this.nowMs();
    const outgoingMs = this.#outgoing.nextMs(nowMs);
    const untilMs = Math.min(outgoingMs, this.#nextOfStepsMs());
    if (untilMs === Infinity) return;
    const leftMs = (untilMs - nowMs) / this.#speed;
    const isExact = this.#endMs !== null || this.#graceMs === 0 || outgoingMs < Infinity;
    if (isExact && leftMs > spinMs + 1) this.#timer = setTimeout(this.#look, Math.floor(leftMs - spinMs));
    else if (isExact || leftMs <= 0) this.#immediate = setImmediate(this.#look);
    else this.#timer = setTimeout(this.#look, Math.ceil(leftMs));
  }

  readonly #look = (): void => {
    this.#timer = null;
    this.#immediate = null;
    this.#looks++;
    const nowMs = this.nowMs();
    const dueMs = Math.min(this.#outgoing.nextMs(nowMs), this.#nextOfStepsMs());
    const leftMs = (dueMs - nowMs) / this.#speed;
    if (leftMs > 0) {
      const napsMs = Math.min(napMs, leftMs - awakeMs);
      if (napsMs > 0) nap(napsMs);
    } else this.#act();
    this.#wait();
  };

  /** Who belongs into the step may still be being read: it ends, however late that is, after a whole look at the sockets in which nobody joined it. */
  #isHeldOpen(): boolean {
    return this.#areTold && !this.#isFirst && this.#looks <= this.#touchedAt + 1;
  }

  /** Does all that is due. */
  #act(): void {
    if (this.#step !== null && !this.#isHeldOpen() && this.#nextOfStepsMs() <= this.nowMs()) {
      this.#worstLagMs = Math.max(this.#worstLagMs, (this.nowMs() - this.#endMs!) / this.#speed);
      this.#endStep(this.#step);
    }
    this.#letGo(() => this.nowMs());
    if (this.#step === null && this.#nextOfStepsMs() <= this.nowMs()) this.#begin();
  }
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
