import { expect, test } from 'vitest';
import { weighing } from './tokenizer.ts';

/** A word of so many letters, another for each number. */
function wordOf(letters: number, number: number): string {
  let word = '';
  for (let left = number; word.length < letters; left = Math.floor(left / 26))
    word += String.fromCharCode(97 + (left % 26));
  return word;
}
/** Six hundred words of each length from 2 to 12, one length after the other and round again, as in no order. */
const vocabulary = Array.from({ length: 6600 }, (_, i) => wordOf(2 + (i % 11), Math.floor(i / 11)));
const meanOf = (words: readonly string[]): number =>
  words.reduce((sum, word) => sum + word.length + 1, 0) / words.length;

test.each([4, 4.5, 5, 6])('random words weigh %f characters a token, as natural text does', (wanted) => {
  const words = weighing(vocabulary, wanted);
  expect(meanOf(words)).toBeLessThanOrEqual(wanted);
  expect(meanOf(words)).toBeGreaterThan(wanted - 0.3);
  expect(words.length).toBeGreaterThan(500);
});

test('a vocabulary of few words keeps them all, one of long words its shortest two hundred, in their order', () => {
  const few = vocabulary.slice(0, 90);
  expect(weighing(few, 2)).toEqual(few);
  const long = Array.from({ length: 3000 }, (_, i) => 'y'.repeat(8 + (i % 7)) + String(i));
  const kept = weighing(long, 4);
  expect(kept).toHaveLength(200);
  expect(kept).toEqual(long.filter((word) => kept.includes(word)));
});

test('a small vocabulary is as light as its natural text, which it cuts into many pieces', () => {
  // Words by their letters in a vocabulary of 8,000 that was trained on this project's documents; natural text has 2.97 characters a token in it.
  const small = [49, 150, 288, 420, 380].flatMap((count, i) =>
    Array.from({ length: count }, (_, n) => `${'z'.repeat(i)}${n}`.slice(-i - 1).padStart(i + 1, 'q')),
  );
  const words = weighing(small, 2.97);
  expect(meanOf(words)).toBeGreaterThan(2.8);
  expect(meanOf(words)).toBeLessThan(3.1);
});
