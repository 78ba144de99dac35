import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerBuffer } from './answer-buffer.ts';

const encoder = new TextEncoder();

test('what comes as bytes and as text, in pieces of any length, is said in order; answers side by side do not mix', () => {
  const piece = fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 700 }), asBytes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(piece, { maxLength: 12 }), (one, other) => {
      const [a, b] = [new AnswerBuffer(true), new AnswerBuffer(true)];
      for (let i = 0; i < Math.max(one.length, other.length); i++) {
        say(a, one[i]);
        say(b, other[i]);
      }
      for (const [said, pieces] of [
        [a, one],
        [b, other],
      ] as const) {
        const text = pieces.map((each) => each.text).join('');
        expect(said.text()).toBe(text);
        expect(said.chars(text)).toBe([...text].length);
        said.close();
      }
    }),
  );
});

test('an answer of half a megabyte is said whole', () => {
  const said = new AnswerBuffer(true);
  const text = '长的回答，'.repeat(40_000);
  const bytes = encoder.encode(text);
  // Cut within characters too.
  for (let at = 0; at < bytes.length; at += 1001) said.addBytes(bytes, at, Math.min(bytes.length, at + 1001));
  expect(said.text() === text).toBe(true);
  said.close();
});

function say(said: AnswerBuffer, piece: { text: string; asBytes: boolean } | undefined): void {
  if (piece === undefined) return;
  const bytes = encoder.encode(`..${piece.text}..`);
  if (piece.asBytes) said.addBytes(bytes, 2, bytes.length - 2);
  else said.addText(piece.text);
}
