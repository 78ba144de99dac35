import { printable } from '../../core/index.ts';

/** A number of a JSON object's field, with its digits as written and the line it stands on. */
export class JsonNumber {
  constructor(
    readonly value: number,
    readonly digits: string,
    readonly line: number,
  ) {}
}

/** An object of a file: a Map, so that no key of a stranger ever becomes a property. */
export type JsonObject = Map<string, JsonValue>;

/** The object as the reader makes it: it remembers the line its first value begins on, for figures written as texts. */
class ReadObject extends Map<string, JsonValue> {
  valueLine = 1;
}
/** Numbers inside arrays are plain (there may be millions); fields are JsonNumbers. */
export type JsonValue = null | boolean | string | number | JsonNumber | JsonValue[] | JsonObject;

const deepest = 100;

/** What is wrong with a JSON text, and where. */
export class JsonMistake extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

/**
 * Every JSON value of a text, one after the other: a plain document is one, JSON lines and vLLM's append mode are many.
 * Accepts the NaN and Infinity that Python writes. Throws JsonMistake; `values` then holds what came before it.
 */
export function readJson(text: string, values: JsonValue[] = []): JsonValue[] {
  const reader = new JsonReader(text);
  while (reader.more()) values.push(reader.value(0, true));
  return values;
}

class JsonReader {
  private at: number;
  private line = 1;

  constructor(private readonly text: string) {
    this.at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  more(): boolean {
    this.space();
    return this.at < this.text.length;
  }

  private space(): void {
    for (; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === 10) this.line++;
      else if (code !== 32 && code !== 9 && code !== 13) return;
    }
  }

  private fail(message: string): never {
    throw new JsonMistake(message, this.line);
  }

  value(depth: number, inObject: boolean): JsonValue {
    if (depth > deepest) this.fail('nested too deeply');
    this.space();
    const char = this.text[this.at];
    if (char === '{') return this.object(depth);
    if (char === '[') return this.array(depth);
    if (char === '"') return this.string();
    return this.word(inObject);
  }

  private object(depth: number): JsonObject {
    const object = new ReadObject();
    this.at++;
    this.space();
    if (this.text[this.at] === '}') {
      this.at++;
      return object;
    }
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.fail('a field name was expected');
      const key = this.string();
      this.space();
      if (this.text[this.at] !== ':') this.fail('":" was expected');
      this.at++;
      this.space();
      if (object.size === 0) object.valueLine = this.line;
      object.set(key, this.value(depth + 1, true));
      this.space();
      const char = this.text[this.at++];
      if (char === '}') return object;
      if (char !== ',') this.fail('"," or "}" was expected');
    }
  }

  private array(depth: number): JsonValue[] {
    const array: JsonValue[] = [];
    this.at++;
    this.space();
    if (this.text[this.at] === ']') {
      this.at++;
      return array;
    }
    for (;;) {
      array.push(this.value(depth + 1, false));
      this.space();
      const char = this.text[this.at++];
      if (char === ']') return array;
      if (char !== ',') this.fail('"," or "]" was expected');
    }
  }

  private string(): string {
    const start = this.at;
    for (this.at++; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === 92) this.at++;
      else if (code === 34) {
        this.at++;
        try {
          return JSON.parse(this.text.slice(start, this.at)) as string;
        } catch {
          this.fail('a string is not valid');
        }
      } else if (code === 10) this.fail('a string does not end');
    }
    return this.fail('a string does not end');
  }

  private word(inObject: boolean): JsonValue {
    const shape = /[-+\w.]+/y;
    shape.lastIndex = this.at;
    const word = shape.exec(this.text)?.[0];
    if (word === undefined) this.fail('a value was expected');
    this.at += word.length;
    if (word === 'null') return null;
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'NaN') return null;
    if (word === 'Infinity' || word === '-Infinity') return word;
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) this.fail(`not a value: ${word.slice(0, 40)}`);
    return inObject ? new JsonNumber(Number(word), word, this.line) : Number(word);
  }
}

/** A field of an object; undefined for anything else. */
export function field(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  let at = value;
  for (const name of path) at = at instanceof Map ? at.get(name) : undefined;
  return at;
}

/** The number in a value, from a field or an array; null for anything else. */
export function numberIn(value: JsonValue | undefined): number | null {
  const number = value instanceof JsonNumber ? value.value : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** The numbers of an array; what is none is left out. */
export function numbersIn(value: JsonValue | undefined): number[] {
  return Array.isArray(value)
    ? value.flatMap((item) => (typeof item === 'number' && Number.isFinite(item) ? [item] : []))
    : [];
}

/** The line on which the first value of an object begins; 1 for anything else. */
export function valueLineOf(value: JsonValue | undefined): number {
  return value instanceof ReadObject ? value.valueLine : 1;
}

/** The text in a value; null for anything else. */
export function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** A name out of a stranger's file, as one bounded line; null = there is none. */
export function nameIn(value: JsonValue | undefined, mostChars = 200): string | null {
  return printable(textIn(value) ?? '').slice(0, mostChars) || null;
}
