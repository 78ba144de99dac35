import type { Ended } from '../../core/index.ts';

interface Entry {
  id: string;
  left: number;
}

/**
 * Knows which entries of the results stream may be forgotten: those whose every exchange is on the controller's disk.
 * Until then they stay in Redis, so that a controller that was killed finds them again.
 */
export class AckTracker {
  #entries: Entry[] = [];
  readonly #of = new WeakMap<Ended, Entry>();
  #emitted: (Entry | null)[] = [];
  #kept = 0;

  /** An entry came with these exchanges; the others of it were known already. */
  came(id: string, fresh: readonly Ended[]): void {
    const entry = { id, left: fresh.length };
    this.#entries.push(entry);
    for (const ended of fresh) this.#of.set(ended, entry);
  }

  /** An exchange goes to the disk; they go in this order. */
  emitted(ended: Ended): void {
    this.#emitted.push(this.#of.get(ended) ?? null);
  }

  /** Takes the number of emitted exchanges that are on disk. Gives the first stream entry that must stay; null = nothing changed. */
  kept(count: number): string | null {
    const news = this.#emitted.splice(0, count - this.#kept);
    this.#kept = count;
    for (const entry of news) if (entry !== null) entry.left--;
    const firstUnkept = this.#entries.findIndex(({ left }) => left > 0);
    const gone = firstUnkept === -1 ? this.#entries.length - 1 : firstUnkept;
    if (gone <= 0) return null;
    this.#entries.splice(0, gone);
    return this.#entries[0]!.id;
  }
}
