import type { Ended } from '../../core/index.ts';

interface Line {
  upToMs: number;
  ends: Ended[];
  taken: number;
}

/** Puts what several threads or machines report into one order, that of the ends; each one's own reports are in order already. */
export class OrderedEnds {
  readonly #lines = new Map<string, Line>();

  constructor(private readonly emit: (ended: Ended) => void) {}

  /** Holds back every exchange that ended after what this member has reported. */
  join(member: string, fromMs: number): void {
    if (!this.#lines.has(member)) this.#lines.set(member, { upToMs: fromMs, ends: [], taken: 0 });
  }

  add(member: string, ends: readonly Ended[], upToMs: number): void {
    const line = this.#lines.get(member);
    if (line === undefined) return;
    for (const ended of ends) line.ends.push(ended);
    // It may go back: a thread that reported the end of a warm-up goes on with the measured part.
    line.upToMs = upToMs;
    this.#release();
  }

  /** A member that will report no more; what it reported still comes out at its place. */
  leave(member: string): void {
    const line = this.#lines.get(member);
    if (line !== undefined) line.upToMs = Infinity;
    this.#release();
  }

  /** Everything that is left, in order, whoever is still silent. */
  flush(): void {
    for (const line of this.#lines.values()) line.upToMs = Infinity;
    this.#release();
    this.#lines.clear();
  }

  #release(): void {
    let known = Infinity;
    for (const line of this.#lines.values()) known = Math.min(known, line.upToMs);
    const due: Ended[] = [];
    for (const line of this.#lines.values()) {
      while (line.taken < line.ends.length && line.ends[line.taken]!.exchange.endMs <= known)
        due.push(line.ends[line.taken++]!);
      if (line.taken === line.ends.length) {
        line.ends = [];
        line.taken = 0;
      }
    }
    if (due.length > 1) due.sort((a, b) => a.exchange.endMs - b.exchange.endMs);
    for (const ended of due) this.emit(ended);
  }
}
