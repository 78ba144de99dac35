import type { CoreSequence } from './sequence.ts';

/** Which decoding sequence is done next. An entry whose sequence has moved on since is dropped when it comes up. */
export class FinishHeap {
  readonly #at: number[] = [];
  readonly #who: CoreSequence[] = [];

  push(sequence: CoreSequence): void {
    const at = this.#at;
    const who = this.#who;
    const key = sequence.finishAt;
    let i = at.length;
    at.push(key);
    who.push(sequence);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (at[parent]! <= key) break;
      at[i] = at[parent]!;
      who[i] = who[parent]!;
      i = parent;
    }
    at[i] = key;
    who[i] = sequence;
  }

  /** Decode-step number of the next finish; Infinity = nobody decodes. */
  next(): number {
    for (;;) {
      if (this.#at.length === 0) return Infinity;
      if (this.#isLive()) return this.#at[0]!;
      this.#drop();
    }
  }

  pop(): CoreSequence {
    const first = this.#who[0]!;
    this.#drop();
    return first;
  }

  #isLive(): boolean {
    const first = this.#who[0]!;
    return first.state === 'decoding' && first.finishAt === this.#at[0];
  }

  #drop(): void {
    const at = this.#at;
    const who = this.#who;
    const key = at.pop()!;
    const last = who.pop()!;
    const n = at.length;
    if (n === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= n) break;
      if (child + 1 < n && at[child + 1]! < at[child]!) child++;
      if (at[child]! >= key) break;
      at[i] = at[child]!;
      who[i] = who[child]!;
      i = child;
    }
    at[i] = key;
    who[i] = last;
  }
}
