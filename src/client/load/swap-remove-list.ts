/** Something that stands in one list at a time, and knows where. */
export interface Placed {
  place: number;
}

/**
 * A list in no order, of what comes and goes all the time. Not a Set: V8's outgrown tables of a Set point at the next one and at
 * all that was in them, which keeps every request of a run alive until a full collection, and makes small ones take ten times
 * as long.
 */
export class SwapRemoveList<T extends Placed> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  delete(item: T): void {
    const { place } = item;
    if (this.#items[place] !== item) return;
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
  }

  /** Visits all of them, once each; an item may go while it is visited. */
  each(visit: (item: T) => void): void {
    // From the last to the first: what takes the place of one that went was visited before.
    for (let i = this.#items.length - 1; i >= 0; i--) if (i < this.#items.length) visit(this.#items[i]!);
  }
}
