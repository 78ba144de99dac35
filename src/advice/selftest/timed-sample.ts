/** Values kept at the most; above it every second one is let go, again and again. */
const most = 2 ** 21;

/** Values with the time they were measured at: all of them, or, of very many, every second, fourth, eighth … */
export class TimedSample {
  #at = new Float64Array(1024);
  #values = new Float64Array(1024);
  #kept = 0;
  #every = 1;
  /** All that were added. */
  n = 0;

  add(atMs: number, valueMs: number): void {
    if (this.n++ % this.#every !== 0) return;
    if (this.#kept === this.#at.length) this.#makeRoom();
    // Making room may have doubled the step that this value does not fit any more.
    if ((this.n - 1) % this.#every !== 0) return;
    this.#at[this.#kept] = atMs;
    this.#values[this.#kept++] = valueMs;
  }

  #makeRoom(): void {
    if (this.#kept < most) {
      this.#at = widened(this.#at);
      this.#values = widened(this.#values);
      return;
    }
    for (let i = 0; 2 * i < this.#kept; i++) {
      this.#at[i] = this.#at[2 * i]!;
      this.#values[i] = this.#values[2 * i]!;
    }
    this.#kept = Math.ceil(this.#kept / 2);
    this.#every *= 2;
  }

  /** The values, ascending. */
  sorted(): Float64Array {
    return this.#values.slice(0, this.#kept).sort();
  }

  /** The values of each stretch of `binMs`, in the order they came. */
  bins(binMs: number): Map<number, number[]> {
    const bins = new Map<number, number[]>();
    for (let i = 0; i < this.#kept; i++) {
      const bin = Math.floor(this.#at[i]! / binMs);
      const values = bins.get(bin);
      if (values === undefined) bins.set(bin, [this.#values[i]!]);
      else values.push(this.#values[i]!);
    }
    return bins;
  }
}

function widened(array: Float64Array): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(array.length * 2);
  wider.set(array);
  return wider;
}
