/** Whole numbers from 0 on, most of them: a byte each. */
export class NumberSet {
  #there = new Uint8Array(1024);
  size = 0;

  /** false = it was there already. */
  add(number: number): boolean {
    if (number >= this.#there.length) {
      const grown = new Uint8Array(Math.max(number + 1, 2 * this.#there.length));
      grown.set(this.#there);
      this.#there = grown;
    }
    if (this.#there[number] === 1) return false;
    this.#there[number] = 1;
    this.size++;
    return true;
  }

  has(number: number): boolean {
    return this.#there[number] === 1;
  }
}
