const ZERO = 48;
const POINT = 46;
const QUOTE = 34;
const BACKSLASH = 92;
const firstBytes = 4096;
/** The room that one very long line took is not kept. */
const keptBytes = 1 << 20;
/** Bytes that a number can take. */
const numberBytes = 32;
/** Up to here looking at each character is quicker than calling the serialiser. */
const shortText = 64;
const encoder = new TextEncoder();
const none = encoder.encode('null');

/**
 * A line of JSON that is put together as bytes, in room that is used again for the next one. A line made as a string costs
 * the collector more than a short answer costs to hear.
 */
export class LineBytes {
  #bytes: Uint8Array = new Uint8Array(firstBytes);
  #length = 0;

  /** Begins a new line; what `line` gave before is spoilt by it. */
  begin(): void {
    if (this.#bytes.length > keptBytes) this.#bytes = new Uint8Array(firstBytes);
    this.#length = 0;
  }

  /** The line so far, only lent. */
  line(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Bytes as they stand. */
  word(word: Uint8Array): void {
    this.#room(word.length);
    const bytes = this.#bytes;
    const from = this.#length;
    for (let i = 0; i < word.length; i++) bytes[from + i] = word[i]!;
    this.#length = from + word.length;
  }

  /** Text of ASCII, as it stands. */
  ascii(text: string): void {
    this.#room(text.length);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.#length = at;
  }

  /** Any text, as it stands. */
  text(text: string): void {
    this.#room(text.length * 3);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** A string of JSON. */
  string(text: string): void {
    if (text.length > shortText) return this.text(JSON.stringify(text));
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 32 || code > 126 || code === QUOTE || code === BACKSLASH) return this.text(JSON.stringify(text));
    }
    this.#room(text.length + 2);
    this.#bytes[this.#length++] = QUOTE;
    this.ascii(text);
    this.#room(1);
    this.#bytes[this.#length++] = QUOTE;
  }

  /** A number as JSON writes it; null too. */
  number(value: number | null): void {
    if (value === null) return this.word(none);
    if (!(value >= 0 && value <= 0x7fffffff && Number.isInteger(value)) || Object.is(value, -0)) {
      this.ascii(String(value));
      return;
    }
    this.#room(numberBytes);
    this.#digits(value);
  }

  /** A time to the microsecond. Put together from whole numbers: printing a fraction costs ten times as much. */
  time(ms: number | null): void {
    if (ms === null) return this.word(none);
    const us = Math.round(ms * 1000);
    const whole = Math.floor(us / 1000);
    if (!(us >= 0 && whole <= 0x7fffffff)) {
      this.ascii(String(us / 1000));
      return;
    }
    this.#room(numberBytes);
    this.#digits(whole);
    const rest = us - whole * 1000;
    if (rest === 0) return;
    const bytes = this.#bytes;
    const tenths = (rest / 100) | 0;
    const hundredths = ((rest / 10) | 0) % 10;
    const thousandths = rest % 10;
    bytes[this.#length++] = POINT;
    bytes[this.#length++] = ZERO + tenths;
    if (hundredths === 0 && thousandths === 0) return;
    bytes[this.#length++] = ZERO + hundredths;
    if (thousandths !== 0) bytes[this.#length++] = ZERO + thousandths;
  }

  /** Digits of a whole number below 2³¹; there is room for them. */
  #digits(value: number): void {
    let count = 1;
    for (let limit = 10; count < 10 && value >= limit; limit *= 10) count++;
    const bytes = this.#bytes;
    let rest = value | 0;
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const tenth = (rest / 10) | 0;
      bytes[at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    this.#length += count;
  }

  #room(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
