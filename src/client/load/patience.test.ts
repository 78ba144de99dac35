import { expect, test } from 'vitest';
import { Patience } from './patience.ts';

test('waiting uses it up, and a burst after a quiet time finds all of it', () => {
  const patience = new Patience(300);
  expect(patience.left(0, true)).toBe(300);
  expect(patience.left(100, true)).toBe(200);
  expect(patience.left(450, false)).toBe(0);
  expect(patience.left(850, false)).toBe(100);
  expect(patience.left(1650, true)).toBe(300);
  expect(patience.left(1700, false)).toBe(250);
  expect(patience.left(60_000, false)).toBe(300);
});

test('where something waits half of the time, little of it is left', () => {
  const patience = new Patience(300);
  let nowMs = 0;
  const found: number[] = [];
  for (let i = 0; i < 1000; i++) {
    patience.left(nowMs, true);
    nowMs += 2;
    found.push(patience.left(nowMs, false));
    nowMs += 2;
  }
  expect(Math.max(...found.slice(500))).toBe(0);
});
