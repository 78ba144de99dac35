/**
 * When decoding sequences need their next block. A sequence that decodes one token per step crosses a block's edge
 * every blockSize steps, so it is enough to count how many cross at each remainder of the step number.
 */
export class BlockPhases {
  readonly #blockSize: number;
  readonly #count: Int32Array;

  constructor(blockSize: number) {
    this.#blockSize = blockSize;
    this.#count = new Int32Array(blockSize);
  }

  /** A sequence whose decode step number `step` will attend to `tokens` tokens, its own included. */
  join(step: number, tokens: number): void {
    this.#count[this.#phase(step, tokens)]!++;
  }

  leave(step: number, tokens: number): void {
    this.#count[this.#phase(step, tokens)]!--;
  }

  /** Blocks that decode step number `step` needs beyond those that are held. */
  needed(step: number): number {
    const size = this.#blockSize;
    return this.#count[(size - (step % size)) % size]!;
  }

  /** The sequence needs a block at every step with (phase + step) divisible by the block size. */
  #phase(step: number, tokens: number): number {
    const size = this.#blockSize;
    return (((tokens - 1 - step) % size) + size) % size;
  }
}
