import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SseReader } from './sse-reader.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const events: string[] = [];
  const reader = new SseReader({
    event: (buffer, start, end) =>
      events.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer.subarray(start, end))),
    whole: () => -1,
    failed: () => {},
  });
  let from = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    // A fresh copy for each read: the bytes are only borrowed, and here they are spoilt afterwards.
    const read = bytes.slice(from, cut);
    reader.push(read);
    read.fill(0);
    from = cut;
  }
  reader.end();
  return events;
}

describe('a stream of server-sent events', () => {
  test.each([
    ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['no blank after the colon', 'data:a\n\n', ['a']],
    ['only the first blank is dropped', 'data:  a\n\n', [' a']],
    ['comments', ': ping\n\ndata: a\n: more\n\n', ['a']],
    ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
    ['several data lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['other fields', 'event: x\nid: 7\nretry: 5\ndata: a\n\n', ['a']],
    ['an event cut off at the end', 'data: a\n\ndata: b', ['a', 'b']],
    ['an empty data line', 'data\n\n', ['']],
    ['nothing', '', []],
  ])('takes %s', (_, text, events) => {
    expect(readAll(bytesOf(text), [])).toEqual(events);
  });

  test('gives the same events wherever it is cut', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, ' ')}`),
      fc.constantFrom(': ping', 'event: x', 'data:', 'data: {"a":"é中😀"}', ''),
    );
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(fc.array(fc.tuple(line, ending)), fc.infiniteStream(fc.nat(200)), (lines, stream) => {
        const bytes = bytesOf(lines.map(([text, end]) => text + end).join(''));
        const cuts = [...stream.take(8)].filter((cut) => cut < bytes.length);
        const everywhere = Array.from(bytes, (_, at) => at);
        const whole = readAll(bytes, []);
        expect(readAll(bytes, cuts)).toEqual(whole);
        expect(readAll(bytes, everywhere)).toEqual(whole);
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  test('looks at a line that comes in many reads when it is complete, not with every read', () => {
    let looks = 0;
    let events = 0;
    const reader = new SseReader({
      event: (_, from, to) => void (events += to - from === 5_000_000 ? 1 : 0),
      failed: () => {},
      whole: () => {
        looks++;
        return -1;
      },
    });
    reader.push(bytesOf('data: '));
    for (let i = 0; i < 5000; i++) reader.push(new Uint8Array(1000).fill(97));
    reader.push(bytesOf('\n\n'));
    expect([events, looks <= 4]).toEqual([1, true]);
  });

  test.each(['\n', '\r', '\r\n'])('joins a hundred thousand lines of one event that end in %j', (ending) => {
    const lines = Array.from({ length: 100_000 }, (_, i) => String(i));
    const bytes = bytesOf(lines.map((line) => `data: ${line}${ending}`).join('') + ending);
    const cuts = Array.from({ length: 30 }, (_, i) => i * 40_001).filter((cut) => cut < bytes.length);
    expect(readAll(bytes, cuts)).toEqual([lines.join('\n')]);
  });

  test('gives up an event without end, in one line or in many', () => {
    const quiet = { event: () => {}, whole: () => -1, failed: () => {} };
    for (const more of ['a'.repeat(65_536), `data: ${'a'.repeat(100)}\n`.repeat(600)]) {
      const reader = new SseReader(quiet);
      reader.push(bytesOf('data: '));
      const bytes = bytesOf(more);
      expect(() => {
        for (let i = 0; i < 1000; i++) reader.push(bytes);
      }).toThrow(RangeError);
    }
  });
});
