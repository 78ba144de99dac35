import { EventTemplate } from './event-template.ts';
import type { UnderstoodEvent } from './event-template.ts';

/** Shapes kept: an answer has a first event, pieces of text of a kind or two and a last one; servers of a sweep differ. */
const mostShapes = 12;
/** Shapes that may be learnt before one is met again, and how many more each meeting allows. */
const firstCredit = 64;
const creditPerMatch = 0.25;

/**
 * The shapes of events met so far, by all answers: the next answer of the same server is understood from its first event
 * on. Only speed depends on what is known here, never what is heard.
 */
export class KnownShapes {
  readonly #shapes: EventTemplate[] = [];
  /** The shape that began an answer the last time; with what came after each one, most events are understood by the first comparison. */
  #first: EventTemplate | null = null;
  #oldest = 0;
  #credit = firstCredit;

  /** The shape of the event that begins at `at`, its places filled in; null = none that is known. `before` is the shape of the event before it in the same answer. */
  match(before: EventTemplate | null, buffer: Uint8Array, at: number, length: number): EventTemplate | null {
    const guess = before === null ? this.#first : before.next;
    if (guess !== null && this.#is(guess, buffer, at, length)) return guess;
    for (const shape of this.#shapes) {
      if (shape === guess || !this.#is(shape, buffer, at, length)) continue;
      if (before === null) this.#first = shape;
      else before.next = shape;
      return shape;
    }
    return null;
  }

  #is(shape: EventTemplate, buffer: Uint8Array, at: number, length: number): boolean {
    const end = shape.match(buffer, at, length);
    if (end === -1) return false;
    shape.end = end;
    if (this.#credit < firstCredit) this.#credit += creditPerMatch;
    return true;
  }

  /** Whether learning pays; it does not where events never have the same shape twice. */
  get eager(): boolean {
    return this.#credit >= 1;
  }

  /** Learns a shape; null = the bytes do not show it plainly. */
  learn(line: Uint8Array, event: UnderstoodEvent): EventTemplate | null {
    this.#credit = Math.max(0, this.#credit - 1);
    const shape = EventTemplate.from(line, event);
    if (shape === null) return null;
    this.#forget(this.#shapes[this.#oldest] ?? null);
    this.#shapes[this.#oldest] = shape;
    this.#oldest = (this.#oldest + 1) % mostShapes;
    return shape;
  }

  /** Removes every link to a dropped shape, because a server that keeps inventing shapes would leave a chain of all of them in memory. */
  #forget(dropped: EventTemplate | null): void {
    if (dropped === null) return;
    dropped.next = null;
    if (this.#first === dropped) this.#first = null;
    for (const shape of this.#shapes) if (shape.next === dropped) shape.next = null;
  }
}
