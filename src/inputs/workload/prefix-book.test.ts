import { expect, test } from 'vitest';
import { PrefixBook } from './prefix-book.ts';

test('the first text is new, the second is known as far as it begins alike, in whole blocks', () => {
  const book = new PrefixBook(4);
  expect(book.see('aaaabbbbcc')).toBe(0);
  expect(book.see('aaaabbbbcc')).toBe(8);
  expect(book.see('aaaabbxbcc')).toBe(4);
  expect(book.see('xaaaabbbbcc')).toBe(0);
});

test('a block is known only behind the blocks before it', () => {
  const book = new PrefixBook(4);
  book.see('aaaabbbb');
  expect(book.see('ccccbbbb')).toBe(0);
  expect(book.see('bbbb')).toBe(0);
});

test('a text shorter than a block is never known', () => {
  const book = new PrefixBook(16);
  book.see('short');
  expect(book.see('short')).toBe(0);
});

test('a hundred thousand other blocks are not taken for one another', () => {
  const book = new PrefixBook(8);
  let taken = 0;
  for (let i = 0; i < 100_000; i++) taken += book.see(String(10_000_000 + i));
  expect(taken).toBe(0);
});
