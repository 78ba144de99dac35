import type { OutputKind } from '../../core/index.ts';
import { KnownBytes } from './known-bytes.ts';
import type { ParsedEvent } from './protocol.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
/** More digits than this are no number of tokens. */
const mostTokenDigits = 12;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A value that differs from one event to the next: the text, the server's stamp, the tokens of usage, or one that nobody
 * reads (the answer's id, a string; the time it was begun, digits).
 */
type Hole = 'text' | 'stamp' | 'bare-stamp' | 'word' | 'digits' | 'input' | 'output';

/** What one event said, once it was understood the slow way. */
export interface UnderstoodEvent {
  /** null = no text: everything that the event says stands in its shape. */
  text: { of: OutputKind; text: string } | null;
  /** The member that holds the server's stamp; null = there is none. */
  stamp: string | null;
  /** What an event without text says. */
  says: readonly ParsedEvent[];
}

interface Place {
  from: number;
  to: number;
  hole: Hole;
}

/**
 * The shape of a stream's events, from the field name to the blank line. Servers write each event of an answer with the
 * same bytes around the same few values, so an event is understood by comparing bytes, ten times quicker than by parsing
 * JSON; one that differs in any other byte does not match and is parsed. Nothing is guessed: a match is the same JSON with
 * another text, stamp, id or time.
 */
export class EventTemplate {
  /** Whose text it carries; null = an event without text, which says `said()`. */
  readonly of: OutputKind | null;
  /** Whether it says how many tokens were used. */
  readonly counts: boolean;
  readonly #says: readonly ParsedEvent[];
  /** After a match: where the text stands, and whether it has escapes. */
  textFrom = 0;
  textTo = 0;
  escaped = false;
  stampFrom = 0;
  stampTo = 0;
  /** After a match: where the next event begins. */
  end = 0;
  /** The shape that came after this one the last time; null = none did yet. */
  next: EventTemplate | null = null;
  #inputTokens = 0;
  #outputTokens = 0;

  private constructor(
    event: UnderstoodEvent,
    private readonly literals: readonly KnownBytes[],
    private readonly holes: readonly Hole[],
  ) {
    this.of = event.text?.of ?? null;
    this.#says = event.says;
    this.counts = holes.includes('output');
  }

  /**
   * The template of an event that was parsed: `line` is its line as it stands in the stream, with the blank line behind it.
   * null = the bytes do not show plainly where the values stand.
   */
  static from(line: Uint8Array, event: UnderstoodEvent): EventTemplate | null {
    const json = decoder.decode(line);
    const { text, stamp } = event;
    const needed: (Place | null)[] = [];
    if (text !== null) {
      const key = text.of === 'reasoning' ? /"reasoning(?:_content)?"\s*:\s*"/g : /"(?:content|text)"\s*:\s*"/g;
      needed.push(placeOf(json, key, text.text, 'text'));
    }
    if (stamp !== null) needed.push(stampPlace(json, stamp));
    for (const piece of event.says) {
      if (piece.kind !== 'usage') continue;
      needed.push(digitsOf(json, /"prompt_tokens"\s*:\s*/g, 'input', piece.input));
      needed.push(digitsOf(json, /"completion_tokens"\s*:\s*/g, 'output', piece.output));
    }
    const found = needed.filter((place) => place !== null);
    if (found.length < needed.length) return null;
    // Only keys stand before a colon, so text that looks like these is not taken for them.
    const unread = [
      placeOf(json, /"id"\s*:\s*"/g, null, 'word'),
      digitsOf(json, /"created"\s*:\s*/g, 'digits'),
      digitsOf(json, /"total_tokens"\s*:\s*/g, 'digits'),
    ];
    const read = new Set(found.map(({ from }) => from));
    const others = unread.filter((place) => place !== null).filter(({ from }) => !read.has(from));
    const places = [...found, ...others].toSorted((a, b) => a.from - b.from);
    const literals: KnownBytes[] = [];
    let at = 0;
    for (const place of places) {
      literals.push(literalOf(json.slice(at, place.from)));
      at = place.to;
    }
    literals.push(literalOf(json.slice(at)));
    return new EventTemplate(
      event,
      literals,
      places.map((place) => place.hole),
    );
  }

  /** What the event without text that matched last says. */
  said(): readonly ParsedEvent[] {
    if (!this.counts) return this.#says;
    const said: ParsedEvent[] = [];
    for (const piece of this.#says) said.push(piece.kind === 'usage' ? this.#counted(piece) : piece);
    return said;
  }

  #counted({ cached, reasoning }: Extract<ParsedEvent, { kind: 'usage' }>): ParsedEvent {
    return { kind: 'usage', input: this.#inputTokens, output: this.#outputTokens, cached, reasoning };
  }

  /** Where the event that begins at `at` ends, if it has this shape; the places are left in the fields. -1 = it has not. */
  match(buffer: Uint8Array, from: number, length: number): number {
    let at = from;
    for (let i = 0; i < this.holes.length; i++) {
      at = this.literals[i]!.match(buffer, at, length);
      if (at === -1) return -1;
      const hole = this.holes[i];
      if (hole === 'digits' || hole === 'input' || hole === 'output') {
        const start = at;
        at = digitsEnd(buffer, at, length);
        if (at === -1 || (hole !== 'digits' && at - start > mostTokenDigits)) return -1;
        if (hole === 'input') this.#inputTokens = numberIn(buffer, start, at);
        if (hole === 'output') this.#outputTokens = numberIn(buffer, start, at);
        continue;
      }
      const start = at;
      if (hole === 'bare-stamp') {
        at = numberEnd(buffer, at, length);
        if (at === -1) return -1;
        this.stampFrom = start;
        this.stampTo = at;
        continue;
      }
      let escaped = false;
      for (; at < length; at++) {
        const byte = buffer[at]!;
        if (byte === QUOTE) break;
        // A control character inside a string is not JSON: let the parser say so.
        if (byte < 32) return -1;
        if (byte === BACKSLASH) {
          escaped = true;
          at++;
        }
      }
      if (at >= length) return -1;
      if (hole === 'text') {
        if (at === start) return -1;
        this.textFrom = start;
        this.textTo = at;
        this.escaped = escaped;
      } else {
        if (escaped) return -1;
        if (hole === 'stamp') {
          this.stampFrom = start;
          this.stampTo = at;
        }
      }
    }
    return this.literals[this.holes.length]!.match(buffer, at, length);
  }
}

function literalOf(text: string): KnownBytes {
  return new KnownBytes(encoder.encode(text));
}

function numberIn(buffer: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + buffer[i]! - ZERO;
  return value;
}

/** Where a whole number as JSON writes it ends; -1 = there is none. */
function digitsEnd(buffer: Uint8Array, from: number, length: number): number {
  let at = from;
  while (at < length && buffer[at]! >= ZERO && buffer[at]! <= NINE) at++;
  return at === from || (at > from + 1 && buffer[from] === ZERO) ? -1 : at;
}

/** Where a number without sign or exponent ends; -1 = there is none. */
function numberEnd(buffer: Uint8Array, from: number, length: number): number {
  const at = digitsEnd(buffer, from, length);
  if (at === -1 || buffer[at] !== POINT) return at;
  let end = at + 1;
  while (end < length && buffer[end]! >= ZERO && buffer[end]! <= NINE) end++;
  return end === at + 1 ? -1 : end;
}

/** The one place of a key whose string value is `value` (null = any); null = there is none, or more than one. */
function placeOf(json: string, key: RegExp, value: string | null, hole: Hole): Place | null {
  const keys = [...json.matchAll(key)];
  if (keys.length !== 1) return null;
  const from = keys[0]!.index + keys[0]![0].length;
  let to = from;
  while (to < json.length && json[to] !== '"') to += json[to] === '\\' ? 2 : 1;
  if (value === null) return json.slice(from, to).includes('\\') ? null : { from, to, hole };
  try {
    return JSON.parse(`"${json.slice(from, to)}"`) === value ? { from, to, hole } : null;
  } catch {
    return null;
  }
}

/** The one place of a key whose value is a whole number, `value` where it is given; null = there is none, or more than one. */
function digitsOf(json: string, key: RegExp, hole: 'digits' | 'input' | 'output', value?: number | null): Place | null {
  const keys = [...json.matchAll(key)];
  if (keys.length !== 1) return null;
  const from = keys[0]!.index + keys[0]![0].length;
  const digits = /^\d+(?=\s*[,}])/.exec(json.slice(from, from + 24))?.[0];
  if (digits === undefined || (value !== undefined && digits !== String(value))) return null;
  return { from, to: from + digits.length, hole };
}

/** The one place of a member that holds the server's stamp, in quotes or bare. */
function stampPlace(json: string, member: string): Place | null {
  const key = `${JSON.stringify(member).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*:\\s*`;
  if ([...json.matchAll(new RegExp(key, 'g'))].length !== 1) return null;
  const quoted = placeOf(json, new RegExp(`${key}"`, 'g'), null, 'stamp');
  if (quoted !== null) return quoted;
  const bare = [...json.matchAll(new RegExp(`${key}(?=(\\d+(?:\\.\\d+)?)\\s*[,}])`, 'g'))];
  if (bare.length !== 1) return null;
  const from = bare[0]!.index + bare[0]![0].length;
  return { from, to: from + bare[0]![1]!.length, hole: 'bare-stamp' };
}
