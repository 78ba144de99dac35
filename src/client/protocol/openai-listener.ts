import type { OutputKind } from '../../core/index.ts';
import { CumulativeText } from './cumulative-text.ts';
import type { EventTemplate } from './event-template.ts';
import { JsonStreamListener } from './json-listener.ts';
import { KnownShapes } from './known-shapes.ts';
import { hearObject, refusalWords } from './openai-answer.ts';
import type { TextSink, ParsedEvent, Listener } from './protocol.ts';
import { plainStamp, stampInText, stampNs } from './server-stamp.ts';
import type { ServerStamp } from './server-stamp.ts';
import { SseReader } from './sse-reader.ts';
import type { EventHandler } from './sse-reader.ts';
import { TextGatherer } from './text-gatherer.ts';
import { unreadable } from './too-large.ts';

const LF = 10;
const CR = 13;
const OPEN = 123;
const decoder = new TextDecoder();
/** After so many plain events in a row that had to be parsed, the stream has no shape worth learning. */
const lastTaught = 16;
/** A longer event is no piece of text, and its shape would be held for as long as the process runs. */
const mostTaughtBytes = 64 * 1024;
const DONE = [...'[DONE]'].map((letter) => letter.charCodeAt(0));
const DONE_LINE = [...'data: [DONE]'].map((letter) => letter.charCodeAt(0));
/** Shapes of events, shared by all answers. */
const known = new KnownShapes();
/** Text of the read at hand. One for all listeners: it is empty again whenever `hear` returns. */
const gathered = new TextGatherer();

/**
 * Hears a streamed answer: events of JSON, ended by `[DONE]` or a finish reason. The first events are parsed; those that
 * follow in the same shape are understood by their bytes (event-template.ts). Text of one kind within one read is heard
 * as one piece, with the number of its events.
 */
export class OpenaiStreamListener implements Listener, EventHandler {
  readonly #reader = new SseReader(this);
  /** The shape of the event before; null = it had none that is known. */
  #before: EventTemplate | null = null;
  #plainEvents = 0;
  #of: OutputKind = 'answer';
  #stamp: bigint | null = null;
  #heard: ParsedEvent[] = [];
  /** `[DONE]` was heard. */
  #done = false;
  #finishes = 0;
  /** Usage was heard. */
  #used = false;
  #choices = 1;
  #broken = false;
  /** Objects without `data:` (MindIE) are cut by another reader; null = these are events. */
  #objects: JsonStreamListener | null = null;
  #begun = false;
  #texts = new CumulativeText();
  #several = false;
  /** Output tokens of usage that came in events of its own; null = none came yet. */
  #usedTokens: number | null = null;

  readonly #asked: number;

  /** choices = how many answers were asked for. */
  constructor(
    private readonly stamped: ServerStamp = plainStamp,
    choices = 1,
  ) {
    this.#asked = choices;
  }

  hear(bytes: Uint8Array): ParsedEvent[] {
    if (this.#broken || bytes.length === 0) return this.#take();
    if (!this.#begun) this.#begin(bytes);
    if (this.#objects !== null) return this.#objects.hear(bytes);
    try {
      // NUL bytes are padding (MindIE): no JSON holds one.
      this.#reader.push(bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes);
    } catch (error) {
      this.#fail(unreadable(error));
    }
    return this.#take();
  }

  parseFast(buffer: Uint8Array, from: number, to: number, ear: TextSink): number {
    if (this.#broken || this.#objects !== null || !this.#reader.between) return from;
    let at = from;
    while (at < to) {
      const template = this.#shapeOf(buffer, at, to);
      if (template === null) {
        const end = doneLineEnd(buffer, at, to);
        if (end === -1) break;
        this.#done = true;
        at = end;
        continue;
      }
      if (template.of === null) this.#say(template.said());
      else {
        // Until it is known whether the server repeats its text, each piece is compared by itself.
        const alone = template.of === 'answer' && !this.#texts.plain;
        const text = template.escaped || alone ? textOf(buffer, template) : null;
        if (text === null ? template.escaped || alone : alone && !this.#texts.takesWhole(text)) break;
        ear.piece(buffer, template, template.escaped ? text : null);
      }
      this.#before = template;
      at = template.end;
    }
    if (at > from) {
      this.#begun = true;
      this.#plainEvents = 0;
      this.#reader.passed();
    }
    return at;
  }

  /** Complete as soon as finish and usage, or `[DONE]`, have come, because nothing follows them. */
  get complete(): boolean {
    if (this.#objects !== null) return this.#objects.complete;
    return !this.#broken && (this.#done || (this.#used && this.#finishes >= Math.max(this.#choices, this.#asked)));
  }

  get heldBytes(): number {
    return this.#reader.heldBytes + (this.#objects?.heldBytes ?? 0);
  }

  /** For the reader. */
  failed(words: string): void {
    if (!this.#broken) this.#fail({ kind: 'problem', code: 'in-stream-error', words: refusalWords(words) });
  }

  close(): ParsedEvent[] {
    if (this.#broken) return [];
    if (this.#objects !== null) return this.#objects.close();
    try {
      this.#reader.end();
    } catch (error) {
      this.#fail(unreadable(error));
    }
    if (!this.#done && this.#finishes < this.#choices && !this.#broken) {
      this.#flush();
      this.#heard.push({
        kind: 'problem',
        code: 'truncated-stream',
        words: 'the stream ended without [DONE] or a finish reason',
      });
    }
    return this.#take();
  }

  /** The first byte that is not blank tells events from bare objects. */
  #begin(bytes: Uint8Array): void {
    const first = bytes.find((byte) => byte > 32);
    this.#begun = first !== undefined;
    if (first !== OPEN) return;
    const fresh = (piece: ParsedEvent): ParsedEvent[] => this.#fresh(piece);
    this.#objects = new JsonStreamListener((value) => hearObject(value, this.stamped).flatMap(fresh), {
      cut: 'objects',
      endsBy: 'finish',
    });
  }

  /** Answer text without what was said already, where the server says everything again (MindIE's fullTextEnabled). */
  #fresh(piece: ParsedEvent): ParsedEvent[] {
    return piece.kind === 'text' && piece.of === 'answer' && piece.text !== ''
      ? this.#texts.hear('answer', piece.text)
      : [piece];
  }

  #take(): ParsedEvent[] {
    this.#flush();
    const heard = this.#heard;
    if (heard.length > 0) this.#heard = [];
    return heard;
  }

  /** For the reader: takes a whole event where it has a shape that is known. */
  whole(buffer: Uint8Array, at: number, length: number): number {
    const template = this.#broken ? null : this.#shapeOf(buffer, at, length);
    if (template === null) return -1;
    if (template.of === null) this.#say(template.said());
    else if (!this.#matched(template, template.of, buffer)) return -1;
    this.#before = template;
    this.#plainEvents = 0;
    return template.end;
  }

  /** The known shape that the event at `at` has. */
  #shapeOf(buffer: Uint8Array, at: number, length: number): EventTemplate | null {
    const found = known.match(this.#before, buffer, at, length);
    // Of several choices each has its usage, and they add up.
    return found !== null && found.counts && this.#several ? null : found;
  }

  /** Takes the text of an event that matched; false = its escapes are not JSON after all. */
  #matched(template: EventTemplate, of: OutputKind, buffer: Uint8Array): boolean {
    const { textFrom, textTo } = template;
    const text = template.escaped ? textOf(buffer, template) : null;
    if (template.escaped && text === null) return false;
    const alone = of === 'answer' && !this.#texts.plain;
    if (alone || of !== this.#of) this.#flush();
    this.#of = of;
    if (gathered.events === 0) this.#stamp = this.#stampOf(buffer, template, text);
    if (alone) {
      if (this.#stamp !== null) this.#heard.push({ kind: 'stamp', emitNs: this.#stamp });
      this.#stamp = null;
      this.#heard.push(...this.#texts.hear(of, text ?? textIn(buffer, textFrom, textTo)));
      return true;
    }
    if (text === null) gathered.addBytes(buffer, textFrom, textTo);
    else gathered.addText(text);
    return true;
  }

  /** The stamp of an event that matched; null = it has none. */
  #stampOf(
    buffer: Uint8Array,
    { stampFrom, stampTo, textFrom, textTo }: EventTemplate,
    text: string | null,
  ): bigint | null {
    const { key, nsPerUnit } = this.stamped;
    if (key === null) {
      const digits = stampInText(text ?? textIn(buffer, textFrom, textTo));
      return digits === null ? null : stampNs(digits, nsPerUnit);
    }
    return stampTo > stampFrom ? stampNs(textIn(buffer, stampFrom, stampTo), nsPerUnit) : null;
  }

  /** For the reader: understands an event the slow way, and learns its shape where it is a plain piece of text. */
  event(buffer: Uint8Array, from: number, to: number, line: number): void {
    if (this.#broken) return;
    this.#flush();
    if (isDone(buffer, from, to)) {
      this.#done = true;
      return;
    }
    const data = decoder.decode(buffer.subarray(from, to));
    if (data.trim() === '[DONE]') {
      this.#done = true;
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      this.#break(data);
      return;
    }
    // Choices take turns: what one of them says is no repetition of another.
    const choices = choicesIn(value);
    const several = choices > 1;
    this.#choices = Math.max(this.#choices, choices);
    if (several && !this.#several) {
      this.#several = true;
      this.#texts = new CumulativeText(false);
    }
    const heard = hearObject(value, this.stamped);
    const fresh = heard.some(({ kind }) => kind === 'text') ? heard.flatMap((piece) => this.#fresh(piece)) : heard;
    this.#addUsage(value, fresh);
    this.#say(fresh);
    const end = line === -1 ? -1 : blankLineAfter(buffer, to);
    // Events of further choices are not learnt, because each answer has to notice by itself that it has several.
    if (end !== -1 && !this.#broken && !several) this.#learn(buffer.subarray(line, end), heard);
  }

  #say(heard: readonly ParsedEvent[]): void {
    if (heard.length === 0) return;
    this.#flush();
    for (const piece of heard) {
      this.#heard.push(piece);
      if (piece.kind === 'finish') this.#finishes++;
      if (piece.kind === 'usage') this.#used = true;
      if (piece.kind === 'problem') this.#broken = true;
    }
  }

  /**
   * llama.cpp sends a usage event for each of several choices, each with that choice's tokens; they add up. Usage beside
   * choices is a count so far (vLLM's continuous stats), and the last one stands.
   */
  #addUsage(value: unknown, heard: ParsedEvent[]): void {
    if (!this.#several) return;
    const { choices } = value as { choices?: unknown };
    if (!Array.isArray(choices) || choices.length > 0) return;
    for (const piece of heard) {
      if (piece.kind !== 'usage' || piece.output === null) continue;
      piece.output += this.#usedTokens ?? 0;
      this.#usedTokens = piece.output;
    }
  }

  /** Learns the shape of an event that is a plain piece of text, or says nothing but that the answer begins or ends. */
  #learn(line: Uint8Array, heard: readonly ParsedEvent[]): void {
    if (line.length > mostTaughtBytes) return;
    const [first] = heard;
    const stamped = first?.kind === 'stamp';
    const stamp = stamped ? this.stamped.key : null;
    const said = stamped ? heard.slice(1) : heard;
    const [only] = said;
    if (said.length === 1 && only?.kind === 'text' && only.text !== '' && only.of !== 'tool') {
      this.#plainEvents++;
      if (this.#plainEvents > lastTaught || (this.#plainEvents === 1 && !known.eager)) return;
      this.#before = known.learn(line, { text: only, stamp, says: [] });
    } else if (!stamped && known.eager && said.every(({ kind }) => kind === 'finish' || kind === 'usage')) {
      known.learn(line, { text: null, stamp: null, says: said });
    }
  }

  /** What was gathered becomes one piece. */
  #flush(): void {
    const { events } = gathered;
    if (events === 0) return;
    if (this.#stamp !== null) this.#heard.push({ kind: 'stamp', emitNs: this.#stamp });
    this.#stamp = null;
    this.#heard.push({ kind: 'text', of: this.#of, text: gathered.take(), events, tokens: null });
  }

  #break(words: string): void {
    this.#fail({ kind: 'problem', code: 'malformed-stream', words });
  }

  #fail(why: ParsedEvent): void {
    this.#flush();
    this.#broken = true;
    this.#heard.push(why);
  }
}

/** Where the blank line right behind an event's line ends: LF LF or CRLF CRLF; -1 = something else stands there. */
function blankLineAfter(buffer: Uint8Array, at: number): number {
  if (buffer[at] === LF && buffer[at + 1] === LF) return at + 2;
  const crlf = buffer[at] === CR && buffer[at + 1] === LF && buffer[at + 2] === CR && buffer[at + 3] === LF;
  return crlf ? at + 4 : -1;
}

/** The text of an event that matched; null = its escapes are not JSON after all. */
function textOf(buffer: Uint8Array, { textFrom, textTo, escaped }: EventTemplate): string | null {
  const text = textIn(buffer, textFrom, textTo);
  if (!escaped) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return null;
  }
}

/** Whether an event's data is exactly the word that ends a stream. */
function isDone(buffer: Uint8Array, from: number, to: number): boolean {
  return to - from === DONE.length && DONE.every((byte, i) => buffer[from + i] === byte);
}

/** Where the whole event that ends a stream ends, if it stands here; -1 = it does not. */
function doneLineEnd(buffer: Uint8Array, at: number, to: number): number {
  const end = at + DONE_LINE.length;
  for (let i = 0; i < DONE_LINE.length; i++) if (buffer[at + i] !== DONE_LINE[i]) return -1;
  const next = blankLineAfter(buffer, end);
  return next > to ? -1 : next;
}

/** How many choices there are at least, by the largest index that an event names. */
function choicesIn(value: unknown): number {
  const choices = (value as { choices?: unknown } | null)?.choices;
  if (!Array.isArray(choices)) return 1;
  const indexes = choices.map((choice: unknown) => (choice as { index?: unknown } | null)?.index ?? 0);
  return indexes.reduce<number>(
    (most, index) => Math.max(most, Number.isSafeInteger(index) ? Number(index) + 1 : 2),
    1,
  );
}

let lastBytes: Uint8Array = new Uint8Array(0);
let lastBuffer = Buffer.from(lastBytes.buffer);

/** The text of bytes `from` to `to`, UTF-8; reads mostly come in the same array, and no view of it is made for each piece. */
function textIn(bytes: Uint8Array, from: number, to: number): string {
  if (bytes !== lastBytes) {
    lastBytes = bytes;
    lastBuffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  return lastBuffer.toString('utf8', from, to);
}
