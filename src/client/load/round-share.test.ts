import { expect, test } from 'vitest';
import { partOfRoundMs, RoundShare } from './round-share.ts';

test('what was used in a round counts until the round ends, and then no more', async () => {
  let nowMs = 0;
  const share = new RoundShare({ nowMs: () => nowMs }, (tookMs) => Math.max(0.5, partOfRoundMs(tookMs)));
  expect(share.begin()).toBe(0.5);
  nowMs = 0.25;
  share.end();
  expect(share.spent).toBe(false);
  expect(share.begin()).toBe(0.5);
  nowMs = 0.5;
  share.end();
  expect(share.spent).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(share.spent).toBe(false);
});

test('after a long round that used up its share, half as long may be used again', async () => {
  let nowMs = 0;
  const share = new RoundShare({ nowMs: () => nowMs }, (tookMs) => Math.max(0.5, partOfRoundMs(tookMs)));
  const useUp = async (toMs: number): Promise<void> => {
    share.begin();
    nowMs = toMs;
    share.end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  await useUp(1);
  await useUp(5);
  expect(share.begin() - nowMs).toBe(2);
});

test('work that waited into another round uses up that round at the most', async () => {
  let nowMs = 0;
  const share = new RoundShare({ nowMs: () => nowMs }, () => 0.5);
  share.begin();
  await new Promise((resolve) => setImmediate(resolve));
  nowMs = 3;
  share.end();
  expect(share.spent).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(share.spent).toBe(false);
});
