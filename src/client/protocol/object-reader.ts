import { TooLarge } from './too-large.ts';

/** Largest object taken. */
const maxObjectBytes = 32 * 1024 * 1024;
/** Words between objects that are kept for telling what they were. */
const maxStrayBytes = 64 * 1024;

const LF = 10;
const CR = 13;
const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;

/** Who is told what a stream of objects holds. */
export interface ObjectHandler {
  object(json: string): void;
  /** `[DONE]`. */
  done(): void;
  /** Words that are neither an object nor a field of server-sent events. */
  stray(words: string): void;
}

/**
 * Cuts a stream into JSON objects, however they were put together: server-sent events, one per line, one behind the
 * other without anything between, padded with NUL bytes (MindIE, vLLM's own /generate, Ollama, Triton). Splits anywhere.
 */
export class ObjectReader {
  #bytes = new Uint8Array(1024);
  #length = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** A comment or another field of an event: nothing counts up to its line end. */
  #skipping = false;

  constructor(private readonly handler: ObjectHandler) {}

  /** Takes the next bytes, only borrowed; throws TooLarge for an object without end. */
  push(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) {
      if (this.#depth === 0) this.#outside(bytes[i]!);
      else this.#inside(bytes[i]!);
    }
  }

  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** The stream ended; true = it did not end in the middle of an object. */
  end(): boolean {
    if (this.#depth > 0) return false;
    this.#line();
    return true;
  }

  #inside(byte: number): void {
    this.#keep(byte, maxObjectBytes);
    if (this.#escaped) this.#escaped = false;
    else if (this.#inString) {
      if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN) this.#depth++;
    else if (byte === CLOSE && --this.#depth === 0) this.handler.object(this.#take());
  }

  #outside(byte: number): void {
    if (byte === LF || byte === CR) {
      this.#line();
      return;
    }
    if (byte === 0 || this.#skipping) return;
    if (byte === OPEN) {
      const before = this.#take().trim();
      if (isOtherField(before)) {
        this.#skipping = true;
        return;
      }
      if (before !== '' && before !== 'data:') this.#words(before);
      this.#depth = 1;
      this.#keep(byte, maxObjectBytes);
      return;
    }
    if (this.#length < maxStrayBytes) this.#keep(byte, maxStrayBytes + 1);
  }

  #line(): void {
    this.#skipping = false;
    this.#words(this.#take().trim());
  }

  #words(line: string): void {
    if (line === '' || line === 'data:' || isOtherField(line)) return;
    const words = line.replace(/^data:\s*/, '');
    if (words === '[DONE]') this.handler.done();
    else this.handler.stray(words);
  }

  #keep(byte: number, most: number): void {
    if (this.#length >= most) throw new TooLarge('an object', most);
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }

  #take(): string {
    const text = new TextDecoder().decode(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return text;
  }
}

/** A comment, or a field of an event that carries nothing we measure. */
function isOtherField(line: string): boolean {
  return /^(:|(event|id|retry):)/.test(line);
}
