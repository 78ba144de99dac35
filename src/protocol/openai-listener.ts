import type { OutputKind } from '../core/index.ts';
import { CumulativeText } from './cumulative-text.ts';
import { EventTemplate } from './event-template.ts';
import { JsonStreamListener } from './json-listener.ts';
import { hearObject } from './openai-answer.ts';
import type { Heard, Listener } from './protocol.ts';
import { SseReader } from './sse-reader.ts';
import type { EventHandler } from './sse-reader.ts';
import { TextGatherer } from './text-gatherer.ts';

const LF = 10;
const CR = 13;
const OPEN = 123;
const decoder = new TextDecoder();
/**
 * Plain events that had to be parsed: the first teaches nothing (most short answers have no second), and after so many
 * in a row without a match the stream has no shape worth learning.
 */
const firstTaught = 2;
const lastTaught = 16;
/** Text of the read at hand. One for all listeners: it is empty again whenever `hear` returns. */
const gathered = new TextGatherer();

/**
 * Hears a streamed answer: events of JSON, ended by `[DONE]` or a finish reason. The first events are parsed; those that
 * follow in the same shape are understood by their bytes (event-template.ts). Text of one kind within one read is heard
 * as one piece, with the number of its events.
 */
export class OpenaiStreamListener implements Listener, EventHandler {
  readonly #reader = new SseReader(this);
  #template: EventTemplate | null = null;
  #plainEvents = 0;
  #of: OutputKind = 'answer';
  #stamp: bigint | null = null;
  #heard: Heard[] = [];
  #finished = false;
  #broken = false;
  /** Objects without `data:` (MindIE) are cut by another reader; null = these are events. */
  #objects: JsonStreamListener | null = null;
  #begun = false;
  #texts = new CumulativeText();
  #several = false;
  /** Output tokens of usage that came in events of its own; null = none came yet. */
  #usedTokens: number | null = null;

  hear(bytes: Uint8Array): Heard[] {
    if (this.#broken) return [];
    if (!this.#begun) this.#begin(bytes);
    if (this.#objects !== null) return this.#objects.hear(bytes);
    try {
      // NUL bytes are padding (MindIE): no JSON holds one.
      this.#reader.push(bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes);
    } catch (error) {
      this.#break((error as Error).message);
    }
    return this.#take();
  }

  close(): Heard[] {
    if (this.#broken) return [];
    if (this.#objects !== null) return this.#objects.close();
    this.#reader.end();
    if (!this.#finished && !this.#broken) {
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
    const fresh = (piece: Heard): Heard[] => this.#fresh(piece);
    this.#objects = new JsonStreamListener((value) => hearObject(value).flatMap(fresh), {
      cut: 'objects',
      endsBy: 'finish',
    });
  }

  /** Answer text without what was said already, where the server says everything again (MindIE's fullTextEnabled). */
  #fresh(piece: Heard): Heard[] {
    return piece.kind === 'text' && piece.of === 'answer' ? this.#texts.hear('answer', piece.text) : [piece];
  }

  #take(): Heard[] {
    this.#flush();
    const heard = this.#heard;
    if (heard.length > 0) this.#heard = [];
    return heard;
  }

  /** For the reader: takes a whole event where it has the shape that was learnt. */
  whole(buffer: Uint8Array, at: number, length: number): number {
    const template = this.#template;
    if (template === null || this.#broken) return -1;
    const next = template.match(buffer, at, length);
    if (next === -1 || !this.#matched(template, buffer)) return -1;
    this.#plainEvents = firstTaught;
    return next;
  }

  /** Takes the text of an event that matched; false = its escapes are not JSON after all. */
  #matched(template: EventTemplate, buffer: Uint8Array): boolean {
    let text: string | null = null;
    if (template.escaped) {
      try {
        text = JSON.parse(`"${decoder.decode(buffer.subarray(template.textFrom, template.textTo))}"`) as string;
      } catch {
        return false;
      }
    }
    if (template.of !== this.#of) this.#flush();
    this.#of = template.of;
    if (gathered.events === 0 && template.stampTo > template.stampFrom) {
      this.#stamp = stampOf(decoder.decode(buffer.subarray(template.stampFrom, template.stampTo)));
    }
    if (text === null) gathered.addBytes(buffer, template.textFrom, template.textTo);
    else gathered.addText(text);
    return true;
  }

  /** For the reader: understands an event the slow way, and learns its shape where it is a plain piece of text. */
  event(buffer: Uint8Array, from: number, to: number, line: number): void {
    if (this.#broken) return;
    this.#flush();
    const data = decoder.decode(buffer.subarray(from, to));
    if (data.trim() === '[DONE]') {
      this.#finished = true;
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
    if (!this.#several && severalChoices(value)) {
      this.#several = true;
      this.#texts = new CumulativeText(false);
    }
    const heard = hearObject(value).flatMap((piece) => this.#fresh(piece));
    this.#addUsage(value, heard);
    for (const piece of heard) {
      this.#heard.push(piece);
      if (piece.kind === 'finish') this.#finished = true;
      if (piece.kind === 'problem') this.#broken = true;
    }
    const end = line === -1 ? -1 : blankLineAfter(buffer, to);
    // While it is not known whether text is repeated, every event has to be looked at.
    if (end !== -1 && this.#texts.plain) this.#learn(buffer.subarray(line, end), heard);
  }

  /**
   * llama.cpp sends a usage event for each of several choices, each with that choice's tokens; they add up. Usage beside
   * choices is a count so far (vLLM's continuous stats), and the last one stands.
   */
  #addUsage(value: unknown, heard: Heard[]): void {
    if (!this.#several) return;
    const { choices } = value as { choices?: unknown };
    if (!Array.isArray(choices) || choices.length > 0) return;
    for (const piece of heard) {
      if (piece.kind !== 'usage' || piece.output === null) continue;
      piece.output += this.#usedTokens ?? 0;
      this.#usedTokens = piece.output;
    }
  }

  #learn(line: Uint8Array, heard: readonly Heard[]): void {
    const text = heard.at(-1);
    const stamp = heard.length === 2 && heard[0]!.kind === 'stamp' ? heard[0]!.emitNs.toString() : null;
    if (text?.kind !== 'text' || text.of === 'tool' || heard.length !== (stamp === null ? 1 : 2)) return;
    this.#plainEvents++;
    if (this.#plainEvents < firstTaught || this.#plainEvents > lastTaught) return;
    this.#template = EventTemplate.from(line, { of: text.of, text: text.text, stamp }) ?? this.#template;
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
    this.#flush();
    this.#broken = true;
    this.#heard.push({ kind: 'problem', code: 'malformed-stream', words });
  }
}

/** Where the blank line right behind an event's line ends: LF LF or CRLF CRLF; -1 = something else stands there. */
function blankLineAfter(buffer: Uint8Array, at: number): number {
  if (buffer[at] === LF && buffer[at + 1] === LF) return at + 2;
  const crlf = buffer[at] === CR && buffer[at + 1] === LF && buffer[at + 2] === CR && buffer[at + 3] === LF;
  return crlf ? at + 4 : -1;
}

function stampOf(digits: string): bigint | null {
  return /^\d{1,19}$/.test(digits) ? BigInt(digits) : null;
}

function severalChoices(value: unknown): boolean {
  const choices = (value as { choices?: unknown } | null)?.choices;
  return (
    Array.isArray(choices) &&
    choices.some((choice: unknown) => ((choice as { index?: unknown } | null)?.index ?? 0) !== 0)
  );
}
