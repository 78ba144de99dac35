import { expect, test } from 'vitest';
import type { OutputKind } from '../../core/index.ts';
import { ChunkLog } from './chunk-log.ts';
import { currentRead, readAt, stampAt } from './current-read.ts';

function add(log: ChunkLog, of: OutputKind, tokens: number, atMs: number, emittedMs: number): void {
  currentRead[readAt] = atMs;
  currentRead[stampAt] = emittedMs;
  log.add(of, tokens);
}

test('pieces of one kind in one read are one entry, of two kinds two, and every token is counted', () => {
  const log = new ChunkLog();
  add(log, 'reasoning', 2, 10, NaN);
  add(log, 'reasoning', 1, 10, NaN);
  add(log, 'answer', 4, 10, NaN);
  for (let i = 0; i < 40; i++) add(log, 'answer', 1, 11 + i, NaN);
  add(log, 'tool', 7, 99, NaN);
  const { atMs, tokens, kinds, emittedMs } = log.read();
  expect(atMs).toEqual([10, 10, ...Array.from({ length: 40 }, (_, i) => 11 + i), 99]);
  expect(tokens).toEqual([3, 4, ...Array.from({ length: 40 }, () => 1), 7]);
  expect(kinds).toBe(`ra${'a'.repeat(40)}t`);
  expect(emittedMs).toBeUndefined();
});

test('stamps are kept where every entry has one', () => {
  const log = new ChunkLog();
  add(log, 'answer', 1, 5, 4.5);
  add(log, 'answer', 1, 6, 5.25);
  expect(log.read()).toEqual({ atMs: [5, 6], tokens: [1, 1], kinds: 'aa', emittedMs: [4.5, 5.25] });
  add(log, 'answer', 1, 7, NaN);
  expect(log.read().emittedMs).toBeUndefined();
  expect(new ChunkLog().read()).toEqual({ atMs: [], tokens: [], kinds: '' });
});
