import type { CoreSequence } from './sequence.ts';

/** A queue that gives and takes at its front in constant time. */
export class SequenceQueue {
  #items: (CoreSequence | null)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  at(index: number): CoreSequence {
    return this.#items[this.#head + index]!;
  }

  /** All of them, the front first. */
  all(): CoreSequence[] {
    return this.#items.slice(this.#head) as CoreSequence[];
  }

  push(sequence: CoreSequence): void {
    this.#items.push(sequence);
  }

  /** Puts one in front of all others. */
  unshift(sequence: CoreSequence): void {
    if (this.#head > 0) this.#items[--this.#head] = sequence;
    else this.#items.unshift(sequence);
  }

  /** Takes one out, wherever it stands; the front is quick. */
  remove(sequence: CoreSequence): void {
    if (this.#items[this.#head] === sequence) {
      this.#items[this.#head++] = null;
      if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
      return;
    }
    const index = this.#items.indexOf(sequence, this.#head);
    if (index >= 0) this.#items.splice(index, 1);
  }
}
