const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** Below this a loop over characters beats a call of the decoder. */
const shortBytes = 24;

/** Gathers pieces of UTF-8 text and decodes them together, because decoding many small pieces costs more than all the rest. */
export class TextGatherer {
  #bytes = new Uint8Array(256);
  #length = 0;
  #text = '';
  /** Pieces added since the last take. */
  events = 0;

  /** Adds UTF-8 bytes as they stand. */
  addBytes(buffer: Uint8Array, from: number, to: number): void {
    this.events++;
    const length = to - from;
    if (this.#length + length > this.#bytes.length) this.#grow(this.#length + length);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = from; i < to; i++) bytes[at++] = buffer[i]!;
    this.#length = at;
  }

  /** Adds text that had to be decoded already. */
  addText(text: string): void {
    this.events++;
    this.#text += this.#decoded() + text;
  }

  /** Everything added since the last take. */
  take(): string {
    const text = this.#text + this.#decoded();
    this.#text = '';
    this.events = 0;
    return text;
  }

  #decoded(): string {
    const length = this.#length;
    this.#length = 0;
    if (length === 0) return '';
    if (length <= shortBytes) {
      let text = '';
      let i = 0;
      for (; i < length && this.#bytes[i]! < 128; i++) text += String.fromCharCode(this.#bytes[i]!);
      if (i === length) return text;
    }
    return decoder.decode(this.#bytes.subarray(0, length));
  }

  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(bytes, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
