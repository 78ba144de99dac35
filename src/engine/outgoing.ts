import { lastMs, restMs } from '../sim/index.ts';
import type { Emission, Step } from '../sim/index.ts';

/** So many tokens are written before somebody looks whether one that is more urgent is due. */
const sliceTokens = 8;
/** Urgent tokens whose times are no further from their median leave then: each that leaves by itself holds up the next. */
const togetherMs = 0.3;
/** So long before an urgent one is due no others are begun: writing a slice takes a third of a millisecond, and then it is being read. */
const clearMs = 0.5;

/** Some tokens of one step that are written together. */
export interface Parcel {
  emissions: readonly Emission[];
  step: Step;
  /** How many the whole step made. */
  tokens: number;
  /** First or last tokens: a client waits for them. */
  urgent: boolean;
}

/** What moves the times of urgent tokens. */
export interface Timing {
  /** So much later leaves the first token of a request (negative: earlier). */
  lateMs(id: number): number;
  /** So much earlier some are begun to be written that leave together. */
  aheadMs(tokens: number): number;
}

/** A parcel, or a token, and when it leaves. */
type Timed<T> = T & { atMs: number };

/**
 * Tokens that are made and not yet written. First and last ones go out before the rest of their batch: writing to some hundred sockets takes
 * milliseconds, which would count as time to the first token, or keep a client from asking again.
 */
export class Outgoing {
  #urgent: Timed<Parcel>[] = [];
  #others: Timed<Parcel>[] = [];

  /** What a step has made that ends at `endMs`: first tokens leave then, the rest as much later as in virtual time. */
  add(emissions: readonly Emission[], step: Step, endMs: number, when: Timing): void {
    const firsts: Timed<Emission>[] = [];
    const lasts: Timed<Emission>[] = [];
    const others: Emission[] = [];
    for (const emission of emissions) {
      const atMs = endMs + (emission.tokenIndex === 0 ? when.lateMs(emission.id) : 0);
      if (emission.finished) lasts.push({ ...emission, atMs: atMs + lastMs });
      else if (emission.tokenIndex === 0) firsts.push({ ...emission, atMs });
      else others.push(emission);
    }
    const parcel = { step, tokens: emissions.length };
    for (const { atMs, some } of [...together(firsts), ...together(lasts)]) {
      // Never by more than an end is later: no answer ends before its last step.
      const aheadMs = Math.min(lastMs, when.aheadMs(some.length));
      this.#urgent.push({ ...parcel, atMs: atMs - aheadMs, emissions: some, urgent: true });
    }
    this.#urgent.sort((a, b) => a.atMs - b.atMs);
    for (let from = 0; from < others.length; from += sliceTokens) {
      const slice = others.slice(from, from + sliceTokens);
      this.#others.push({ ...parcel, atMs: endMs + restMs, emissions: slice, urgent: false });
    }
  }

  /** When the next of them is due, at `nowMs`; Infinity = there are none. */
  nextMs(nowMs: number): number {
    const urgentMs = this.#urgent[0]?.atMs ?? Infinity;
    const othersMs = this.#others[0]?.atMs ?? Infinity;
    return urgentMs < Math.max(othersMs, nowMs) + clearMs ? urgentMs : othersMs;
  }

  /** What is to be written at `nowMs`; null = nothing is due. */
  take(nowMs: number): Parcel | null {
    if (this.nextMs(nowMs) > nowMs) return null;
    const [urgent] = this.#urgent;
    const queue = urgent !== undefined && urgent.atMs <= nowMs ? this.#urgent : this.#others;
    return queue.shift() ?? null;
  }

  /** Forgets what a request would still have been told. */
  drop(id: number): void {
    this.#urgent = without(this.#urgent, id);
    this.#others = without(this.#others, id);
  }
}

/** Those about the median leave then, the others by themselves. */
function together(tokens: readonly Timed<Emission>[]): Timed<{ some: Emission[] }>[] {
  if (tokens.length === 0) return [];
  const inOrder = tokens.toSorted((a, b) => a.atMs - b.atMs);
  const atMs = (inOrder[(tokens.length - 1) >> 1]!.atMs + inOrder[tokens.length >> 1]!.atMs) / 2;
  const [near, far] = [true, false].map((isNear) =>
    inOrder.filter((token) => Math.abs(token.atMs - atMs) <= togetherMs === isNear),
  );
  const apart = far!.map((token) => ({ atMs: token.atMs, some: [token] }));
  return near!.length === 0 ? apart : [{ atMs, some: near! }, ...apart];
}

function without(queue: Timed<Parcel>[], id: number): Timed<Parcel>[] {
  if (!queue.some(({ emissions }) => emissions.some((emission) => emission.id === id))) return queue;
  return queue
    .map((parcel) => ({ ...parcel, emissions: parcel.emissions.filter((emission) => emission.id !== id) }))
    .filter(({ emissions }) => emissions.length > 0);
}
