import { expect, test } from 'vitest';
import { ArrivalRound } from './arrival-round.ts';

const nextRound = (): Promise<void> => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));

test('what is read in one round arrives when its first is read, one after the other; the next round later', async () => {
  let nowMs = 10;
  const round = new ArrivalRound(() => nowMs);
  const first = round.atMs();
  nowMs = 17;
  const second = round.atMs();
  const third = round.atMs();
  expect(first).toBe(10);
  expect(second).toBeGreaterThan(first);
  expect(third).toBeGreaterThan(second);
  expect(third).toBeCloseTo(10, 3);
  await nextRound();
  expect(round.atMs()).toBe(17);
});

test('a request arrives when it began to be read, unless the rest of it came in another round', async () => {
  let nowMs = 10;
  const round = new ArrivalRound(() => nowMs);
  round.begin();
  nowMs = 12;
  expect(round.atMs()).toBe(10);
  await nextRound();
  nowMs = 20;
  round.begin();
  await nextRound();
  nowMs = 30;
  expect(round.atMs()).toBe(30);
});
