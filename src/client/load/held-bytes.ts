/** What all answers may hold together until their records are taken: events that are not whole, bytes to be unpacked, and text past that of any model. */
export const mostHeldBytes = 256 * 1024 * 1024;
/** An answer that holds less is not counted. */
const smallBytes = 64 * 1024;

/** An answer that holds bytes, and can be told that it holds too many. */
export interface Holder {
  readonly heldBytes: number;
  /** Gives up: of all answers it holds the most, and together they hold too much. */
  overburdened(mostBytes: number): void;
}

/** One budget of bytes for all answers. Where they exceed it, the one that holds most is given up, whichever grew last. */
export class HeldBytes {
  readonly #holders = new Map<Holder, number>();
  /** Answers that have ended and whose records are not taken yet: they count, but there is nothing to give up. */
  readonly #over = new Map<Holder, number>();
  #sum = 0;

  constructor(private readonly mostBytes = mostHeldBytes) {}

  /** To be called whenever what one holds may have changed. */
  tell(holder: Holder): void {
    const bytes = holder.heldBytes;
    if (bytes < smallBytes && this.#holders.size === 0) return;
    this.#sum += (bytes < smallBytes ? 0 : bytes) - (this.#holders.get(holder) ?? 0);
    if (bytes < smallBytes) this.#holders.delete(holder);
    else this.#holders.set(holder, bytes);
    while (this.#sum > this.mostBytes && this.#holders.size > 0) {
      const largest = [...this.#holders].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
      this.leave(largest);
      largest.overburdened(this.mostBytes);
    }
  }

  /** It has ended: what it still holds counts until it leaves. */
  end(holder: Holder): void {
    this.leave(holder);
    const bytes = holder.heldBytes;
    if (bytes < smallBytes) return;
    this.#sum += bytes;
    this.#over.set(holder, bytes);
  }

  /** It holds nothing any more. */
  leave(holder: Holder): void {
    this.#sum -= (this.#holders.get(holder) ?? 0) + (this.#over.get(holder) ?? 0);
    this.#holders.delete(holder);
    this.#over.delete(holder);
  }
}
