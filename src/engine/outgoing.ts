import { lastMs, restMs } from '../sim/index.ts';
import type { Emission, Step } from '../sim/index.ts';

/** So many tokens are written before somebody looks whether one that is more urgent is due. */
const sliceTokens = 8;
/** And none of them waits for longer than this for another. */
const sliceMs = 1;
/** Urgent tokens whose times are no further apart leave at once: each that leaves by itself holds up the next. */
const togetherMs = 0.5;
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

/** What moves the times of tokens. */
export interface Timing {
  /** So much later leaves a token (negative: earlier). */
  lagMs(emission: Emission): number;
  /** So long does it take to write so many. */
  takesMs(tokens: number): number;
}

/** A parcel, or a token, and when it leaves. */
type Timed<T> = T & { atMs: number };

/**
 * Tokens that are made and not yet written. First and last ones go out before the rest of their batch: writing to some hundred sockets takes
 * milliseconds, which would count as time to the first token, or keep a client from asking again. Whatever lags, those of one request leave in
 * their order.
 */
export class Outgoing {
  #urgent: Timed<Parcel>[] = [];
  #others: Timed<Parcel>[] = [];

  /** What a step has made that ends at `endMs`: first tokens leave then, the rest as much later as in virtual time. */
  add(emissions: readonly Emission[], step: Step, endMs: number, when: Timing): void {
    const firsts: Timed<Emission>[] = [];
    const lasts: Timed<Emission>[] = [];
    const others: Timed<Emission>[] = [];
    const earlierMs = this.#waitingMs();
    for (const emission of emissions) {
      const atMs = endMs + when.lagMs(emission);
      const before = earlierMs.get(emission.id);
      // One whose predecessor has not left is not urgent: among the others it stands behind it.
      if (before !== undefined) others.push({ ...emission, atMs: Math.max(before, atMs + restMs) });
      else if (emission.finished) lasts.push({ ...emission, atMs: atMs + lastMs });
      else if (emission.tokenIndex === 0) firsts.push({ ...emission, atMs });
      else others.push({ ...emission, atMs: atMs + restMs });
    }
    const parcel = { step, tokens: emissions.length };
    // No answer ends before its last step.
    const ends = together(lasts, when.takesMs).map((end) => ({ ...end, atMs: Math.max(endMs, end.atMs) }));
    for (const { atMs, some } of [...together(firsts, when.takesMs), ...ends])
      this.#urgent.push({ ...parcel, atMs, emissions: some, urgent: true });
    this.#urgent.sort((a, b) => a.atMs - b.atMs);
    for (const { atMs, some } of slices(others)) this.#others.push({ ...parcel, atMs, emissions: some, urgent: false });
    this.#others.sort((a, b) => a.atMs - b.atMs);
  }

  /** By request: when the last of its tokens leaves that is still here. */
  #waitingMs(): Map<number, number> {
    const waiting = new Map<number, number>();
    for (const { emissions, atMs } of [...this.#urgent, ...this.#others])
      for (const { id } of emissions) waiting.set(id, Math.max(atMs, waiting.get(id) ?? -Infinity));
    return waiting;
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

/** Some of about one time at once, when the last of them is due. */
function slices(tokens: readonly Timed<Emission>[]): Timed<{ some: Emission[] }>[] {
  const all: Timed<{ fromMs: number; some: Emission[] }>[] = [];
  for (const token of tokens.toSorted((a, b) => a.atMs - b.atMs)) {
    const slice = all.at(-1);
    if (slice !== undefined && slice.some.length < sliceTokens && token.atMs - slice.fromMs <= sliceMs) {
      slice.some.push(token);
      slice.atMs = token.atMs;
    } else all.push({ fromMs: token.atMs, atMs: token.atMs, some: [token] });
  }
  return all;
}

/**
 * Those of about one time, begun so early that the one in their middle is on time. Where they are due quicker than they can be written, all of
 * them are begun earlier still: half of them leave too early then, and half too late.
 */
function together(tokens: readonly Timed<Emission>[], takesMs: Timing['takesMs']): Timed<{ some: Emission[] }>[] {
  const groups: Timed<Emission>[][] = [];
  for (const token of tokens.toSorted((a, b) => a.atMs - b.atMs)) {
    const some = groups.at(-1);
    if (some !== undefined && token.atMs - some[0]!.atMs <= togetherMs) some.push(token);
    else groups.push([token]);
  }
  const timed = groups.map((some) => {
    const medianMs = (some[(some.length - 1) >> 1]!.atMs + some[some.length >> 1]!.atMs) / 2;
    return { atMs: medianMs - takesMs(some.length - 1) / 2, some };
  });
  return withoutBreak(timed, takesMs).flatMap((rush) => {
    const earlierMs = medianDelayMs(rush);
    return rush.map(({ atMs, some }) => ({ atMs: atMs - earlierMs, some }));
  });
}

type Delayed = Timed<{ some: Emission[]; delayMs: number }>;

/** Groups that are written one right after the other, and how much after its time each is begun. */
function withoutBreak(groups: readonly Timed<{ some: Emission[] }>[], takesMs: Timing['takesMs']): Delayed[][] {
  const rushes: Delayed[][] = [];
  let untilMs = -Infinity;
  for (const { atMs, some } of groups) {
    const delayMs = Math.max(0, untilMs - atMs);
    if (delayMs > 0) rushes.at(-1)!.push({ atMs, some, delayMs });
    else rushes.push([{ atMs, some, delayMs }]);
    untilMs = atMs + delayMs + takesMs(some.length);
  }
  return rushes;
}

/** Of tokens. */
function medianDelayMs(rush: readonly Delayed[]): number {
  const inOrder = rush.toSorted((a, b) => a.delayMs - b.delayMs);
  let left = rush.reduce((sum, { some }) => sum + some.length, 0) / 2;
  return inOrder.find(({ some }) => (left -= some.length) <= 0)!.delayMs;
}

function without(queue: Timed<Parcel>[], id: number): Timed<Parcel>[] {
  if (!queue.some(({ emissions }) => emissions.some((emission) => emission.id === id))) return queue;
  return queue
    .map((parcel) => ({ ...parcel, emissions: parcel.emissions.filter((emission) => emission.id !== id) }))
    .filter(({ emissions }) => emissions.length > 0);
}
