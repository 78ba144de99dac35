import type { ProblemCode } from '../../core/index.ts';
import type { ParsedEvent, Listener } from './protocol.ts';
import { refusalWords } from './openai-answer.ts';
import { ObjectReader } from './object-reader.ts';
import type { ObjectHandler } from './object-reader.ts';
import { SseReader } from './sse-reader.ts';
import type { EventHandler } from './sse-reader.ts';
import { TooLarge, unreadable } from './too-large.ts';

/** What one JSON value of an answer says. Made anew for each answer, so that it may remember. */
export type Hearer = (value: unknown) => ParsedEvent[];

/** How a stream is cut and how one knows that it is whole. */
export interface StreamShape {
  /** Server-sent events, or JSON objects however they follow each other. */
  cut: 'events' | 'objects';
  /** A finish or `[DONE]` must have been heard; or the proper end of the body is all there is. */
  endsBy: 'finish' | 'body';
}

const decoder = new TextDecoder();

/** Hears a streamed answer of any wire: bytes are cut into JSON values, the wire's hearer says what they mean. */
export class JsonStreamListener implements Listener, EventHandler, ObjectHandler {
  readonly #events: SseReader | null;
  readonly #objects: ObjectReader | null;
  #heard: ParsedEvent[] = [];
  #finished = false;
  #used = false;
  #done = false;
  #broken = false;

  constructor(
    private readonly hearer: Hearer,
    private readonly shape: StreamShape,
  ) {
    this.#events = shape.cut === 'events' ? new SseReader(this) : null;
    this.#objects = shape.cut === 'objects' ? new ObjectReader(this) : null;
  }

  hear(bytes: Uint8Array): ParsedEvent[] {
    if (this.#broken) return [];
    try {
      this.#events?.push(bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes);
      this.#objects?.push(bytes);
    } catch (error) {
      this.#fail(error);
    }
    return this.#take();
  }

  close(): ParsedEvent[] {
    if (this.#broken) return [];
    let whole = true;
    try {
      this.#events?.end();
      whole = this.#objects?.end() ?? true;
    } catch (error) {
      this.#fail(error);
    }
    if (!this.#broken && (!whole || (!this.#finished && this.shape.endsBy === 'finish'))) {
      this.#break(
        'truncated-stream',
        whole ? 'the stream ended without its last word' : 'the stream ended in the middle of an object',
      );
    }
    return this.#take();
  }

  #fail(error: unknown): void {
    const { code, words } = unreadable(error);
    this.#break(code, words);
  }

  get complete(): boolean {
    return !this.#broken && (this.#done || (this.#finished && this.#used));
  }

  get heldBytes(): number {
    return (this.#events?.heldBytes ?? 0) + (this.#objects?.heldBytes ?? 0);
  }

  /** For the event reader. */
  failed(words: string): void {
    if (!this.#broken) this.#break('in-stream-error', refusalWords(words));
  }

  /** For the event reader. */
  event(buffer: Uint8Array, from: number, to: number): void {
    const data = decoder.decode(buffer.subarray(from, to));
    if (data.trim() === '[DONE]') this.done();
    else if (data.trim() !== '') this.object(data);
  }

  /** For the event reader: every event is parsed. */
  whole(): number {
    return -1;
  }

  object(json: string): void {
    if (this.#broken) return;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      this.#break('malformed-stream', json);
      return;
    }
    for (const piece of this.hearer(value)) {
      if (piece.kind === 'finish') this.#finished = true;
      if (piece.kind === 'usage') this.#used = true;
      if (piece.kind === 'problem') this.#broken = true;
      this.#push(piece);
    }
  }

  done(): void {
    this.#finished = true;
    this.#done = true;
  }

  /** Plain words in a stream of objects: a server that tells its trouble so (MindIE's "engine callback timeout."). */
  stray(words: string): void {
    if (!this.#broken) this.#break('in-stream-error', words);
  }

  /** Text of one kind within one read is one piece. */
  #push(piece: ParsedEvent): void {
    const last = this.#heard.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text' && last.of === piece.of) {
      const tokens = last.tokens === null || piece.tokens === null ? null : last.tokens + piece.tokens;
      this.#heard[this.#heard.length - 1] = {
        ...last,
        text: last.text + piece.text,
        events: last.events + piece.events,
        tokens,
      };
    } else this.#heard.push(piece);
  }

  #take(): ParsedEvent[] {
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }

  #break(code: ProblemCode, words: string): void {
    this.#broken = true;
    this.#heard.push({ kind: 'problem', code, words });
  }
}

const SPACE = 32;
const CLOSE = 125;
/** Up to here it is looked whether an answer is complete before its body has ended. */
const quickBytes = 1024 * 1024;
/** Largest answer taken in one piece. */
const maxBodyBytes = 64 * 1024 * 1024;

/** Hears an answer that comes in one piece of JSON. */
export class JsonWholeListener implements Listener {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #broken = false;
  /** What all of it says, where that is known before the body has ended. */
  #value: object | null = null;

  constructor(private readonly hearer: Hearer) {}

  hear(bytes: Uint8Array): ParsedEvent[] {
    if (this.#broken) return [];
    this.#bytes += bytes.length;
    if (this.#bytes > maxBodyBytes) {
      this.#broken = true;
      this.#pieces = [];
      this.#bytes = 0;
      return [unreadable(new TooLarge('an answer', maxBodyBytes))];
    }
    this.#pieces.push(bytes.slice());
    this.#value = null;
    return [];
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  close(): ParsedEvent[] {
    if (this.#broken) return [];
    const text = this.#text();
    if (text.trim() === '') return [];
    try {
      return this.hearer(this.#value ?? JSON.parse(text));
    } catch (error) {
      if (!(error instanceof SyntaxError)) return [unreadable(error)];
      return [{ kind: 'problem', code: 'malformed-stream', words: text }];
    }
  }

  /** The object is whole: no JSON can follow it. */
  get complete(): boolean {
    if (this.#broken || this.#value !== null || this.#bytes > quickBytes) return this.#value !== null;
    if (this.#pieces.at(-1)?.findLast((byte) => byte > SPACE) !== CLOSE) return false;
    try {
      this.#value = JSON.parse(this.#text()) as object;
    } catch {
      return false;
    }
    return true;
  }

  #text(): string {
    const whole = new TextDecoder();
    const pieces = this.#pieces.map((piece) => whole.decode(piece, { stream: true }));
    return (pieces.join('') + whole.decode()).replaceAll('\0', '');
  }
}
