import { expect, test } from 'vitest';
import { addressFor, readAddress } from './address.ts';
import { CumulativeText } from './cumulative-text.ts';
import { KnownBytes } from './known-bytes.ts';
import { ObjectReader } from './object-reader.ts';
import { stampInText } from './server-stamp.ts';
import { SseReader } from './sse-reader.ts';
import { TextGatherer } from './text-gatherer.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('known bytes are found where they stand whole, of any length and at any place, and not where one byte differs', () => {
  for (let length = 0; length <= 9; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => 200 + i);
    const known = new KnownBytes(bytes);
    for (let at = 0; at <= 3; at++) {
      const buffer = new Uint8Array(at + length + 4);
      buffer.set(bytes, at);
      expect(known.match(buffer, at, at + length)).toBe(at + length);
      expect(known.match(buffer, at, at + length - 1)).toBe(-1);
      for (let i = 0; i < length; i++) {
        const other = buffer.slice();
        other[at + i]! += 1;
        expect(known.match(other, at, buffer.length)).toBe(-1);
      }
    }
  }
});

test('gathered text is what was added, short or long, of one byte or of four a character', () => {
  const gathered = new TextGatherer();
  const take = (...pieces: string[]) => {
    for (const piece of pieces) {
      const bytes = bytesOf(`<${piece}>`);
      gathered.addBytes(bytes, 1, bytes.length - 1);
    }
    return [gathered.events, gathered.take()];
  };
  for (const length of [0, 1, 23, 24, 25, 255, 256, 257, 600])
    for (const letter of ['a', '\u007f', '\u0080', '中', '😀'])
      expect(take(letter.repeat(length), 'end')).toEqual([2, `${letter.repeat(length)}end`]);
  expect([gathered.events, gathered.take()]).toEqual([0, '']);
  gathered.addText('é');
  expect(take('b')).toEqual([2, 'éb']);
});

test('objects are cut by their braces, and only by those outside of strings', () => {
  const heard = (text: string) => {
    const told: string[] = [];
    const reader = new ObjectReader({
      object: (json) => told.push(json),
      done: () => told.push('done'),
      stray: (words) => told.push(`stray ${words}`),
    });
    for (const byte of bytesOf(text)) reader.push(Uint8Array.of(byte));
    const whole = reader.end();
    return [...told, whole];
  };
  expect(heard('{"a":{"b":1}}{"c":"}"}')).toEqual(['{"a":{"b":1}}', '{"c":"}"}', true]);
  expect(heard('{"a":"\\"}{"}')).toEqual(['{"a":"\\"}{"}', true]);
  expect(heard('{"a":"\\\\"}{}')).toEqual(['{"a":"\\\\"}', '{}', true]);
  expect(heard('data: {"a":1}\r\n\r\ndata:[DONE]')).toEqual(['{"a":1}', 'done', true]);
  expect(heard(': {"a":1}\nevent: {x}\n{"b":2}\0\0\n')).toEqual(['{"b":2}', true]);
  expect(heard('oh no\nmore {"a":1} trailing')).toEqual([
    'stray oh no',
    'stray more',
    '{"a":1}',
    'stray trailing',
    true,
  ]);
  expect(heard('{"a":1')).toEqual([false]);
  const [words] = heard(`${'x'.repeat(70_000)}\n`);
  expect(words).toBe(`stray ${'x'.repeat(65_536)}`);
});

test('lines that are nearly data, or nearly the name of an error, are neither', () => {
  const heard = (text: string) => {
    const told: string[] = [];
    const reader = new SseReader({
      event: (buffer, from, to) => told.push(new TextDecoder().decode(buffer.subarray(from, to))),
      whole: () => -1,
      failed: (words) => told.push(`failed ${words}`),
    });
    reader.push(bytesOf(text));
    reader.end();
    return told;
  };
  expect(heard('dat: a\n\ndatas: b\n\nDATA: c\n\n data: d\n\ndata: e\n\ndata:\n\ndata: \n\n')).toEqual(['e', '', '']);
  expect(heard('dbta: a\n\ndaxa: a\n\ndatx: a\n\nxata: a\n\n')).toEqual([]);
  expect(heard('event:error\ndata: a\n\n')).toEqual(['failed a']);
  expect(heard('data: a\nevent: error\ndata: b\n\n')).toEqual(['failed a\nb']);
  expect(heard('event: error\n\ndata: a\n\n')).toEqual(['a']);
  expect(heard('event: errors\ndata: a\n\nevent:  error\ndata: b\n\n')).toEqual(['a', 'b']);
  // Two of the three bytes of a byte order mark are bytes of the first line.
  expect(heard('\ufeff\ufeffdata: a\n\ndata: b\n\n')).toEqual(['b']);
});

test('a text of ten digits may be a stamp, one of nine is a word', () => {
  expect([stampInText('at 1234567890'), stampInText('at 123456789'), stampInText('1 12345678.5 2')]).toEqual([
    '1234567890',
    null,
    '12345678.5',
  ]);
});

test('text that is taken back is taken back to the last whole character', () => {
  const texts = new CumulativeText(true);
  const heard = (piece: string) =>
    texts.hear('answer', piece).map((one) => ('text' in one ? `${one.kind} ${one.text}` : ''));
  expect([heard('a😀'), heard('a😁b'), heard('a😁b'), heard('x'), heard('')]).toEqual([
    ['text a😀'],
    ['restated a', 'text 😁b'],
    [],
    ['restated ', 'text x'],
    [],
  ]);
});

test('an answer in one piece has a path of its own on some wires, and a full path is left as it is', () => {
  const asked = (typed: string, api: Parameters<typeof readAddress>[1], stream: boolean) =>
    addressFor(readAddress(typed, api), 'my model', stream).url;
  expect([asked('h', 'tgi', true), asked('h', 'tgi', false)]).toEqual([
    'http://h/generate_stream',
    'http://h/generate',
  ]);
  expect([asked('h', 'triton', true), asked('h', 'triton', false)]).toEqual([
    'http://h/v2/models/my%20model/generate_stream',
    'http://h/v2/models/my%20model/generate',
  ]);
  expect(asked('http://h/proxy/generate_stream', 'tgi', false)).toBe('http://h/proxy/generate_stream');
  expect(asked('h', 'openai-chat', false)).toBe('http://h/v1/chat/completions');
});
