/** Something that is due at a time. */
export interface Due<T> {
  atMs: number;
  what: T;
}

/** A binary heap: the earliest due first. */
export class DeadlineHeap<T> {
  readonly #heap: Due<T>[] = [];

  peek(): Due<T> | null {
    return this.#heap[0] ?? null;
  }

  push(due: Due<T>): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(due);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.atMs <= due.atMs) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = due;
  }

  pop(): Due<T> | null {
    const heap = this.#heap;
    const first = heap[0] ?? null;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.atMs < heap[child]!.atMs) child++;
      if (heap[child]!.atMs >= last.atMs) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
