import { expect, test } from 'vitest';
import { KnownShapes } from './known-shapes.ts';

const bytesOf = (name: string): Uint8Array =>
  new TextEncoder().encode(`data: {"x":"${name}","choices":[{"delta":{"content":"hi"}}]}\n\n`);

test('a shape that was dropped for newer ones is not known any more, whichever came before it', () => {
  const known = new KnownShapes();
  const learn = (name: string) =>
    known.learn(bytesOf(name), { text: { of: 'answer', text: 'hi' }, stamp: null, says: [] })!;
  const match = (before: ReturnType<typeof learn> | null, name: string) => {
    const bytes = bytesOf(name);
    return known.match(before, bytes, 0, bytes.length);
  };
  const first = learn('first');
  const second = learn('second');
  // The second is followed by the first, which also begins answers.
  expect(match(second, 'first')).toBe(first);
  expect(match(null, 'first')).toBe(first);
  for (let i = 0; i < 11; i++) learn(`other ${i}`);
  expect(match(null, 'second')).toBe(second);
  expect(match(second, 'first')).toBeNull();
  expect(match(null, 'first')).toBeNull();
  expect(second.next).toBeNull();
  expect(first.next).toBeNull();
});
