import fc from 'fast-check';
import { expect, test } from 'vitest';
import { problem } from '../core/index.ts';
import { unsentExchange } from '../load/index.ts';
import { readBatch, readClaim, readJson, readWord } from './heard.ts';

const exchange = unsentExchange({ seq: 7, warmup: false, dueMs: 1 }, 2, 'cancelled', problem('not-sent'));
const batch = {
  member: 'm',
  number: 0,
  phase: 'measure',
  upToMs: 3,
  progress: [1, 1, 0, 1, 0],
  ended: [{ exchange, answer: null }],
};

test('what our workers write is read as it is', () => {
  expect(readBatch(JSON.stringify(batch))).toEqual(batch);
  expect(readClaim(['m', 'a', 'p', 'warmup', 'f', '3', 't', '9'])).toEqual({
    member: 'a',
    phase: 'warmup',
    from: 3,
    to: 9,
  });
  expect(readWord('{"say":"idle","member":"m","phase":"measure"}')).toEqual({
    say: 'idle',
    member: 'm',
    phase: 'measure',
  });
});

test('whatever else stands there is nothing, and throws nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect([readBatch(text), readWord(text), readClaim([text, text, text])]).toEqual([null, null, null]);
      void readJson(text);
    }),
  );
  const spoiled = [
    { ...batch, number: -1 },
    { ...batch, phase: '__proto__' },
    { ...batch, progress: [1] },
    { ...batch, upToMs: 'soon' },
    { ...batch, ended: [null] },
    // A number that would take all memory to keep, and one of the other phase.
    { ...batch, ended: [{ exchange: { ...exchange, seq: 2 ** 40 }, answer: null }] },
    { ...batch, ended: [{ exchange: { ...exchange, seq: -1 }, answer: null }] },
    { ...batch, ended: [{ exchange: { ...exchange, chunks: 'many' }, answer: null }] },
    { ...batch, ended: Array.from({ length: 20_000 }, () => ({ exchange, answer: null })) },
  ];
  for (const one of spoiled) expect(readBatch(JSON.stringify(one))).toBeNull();
  expect(readClaim(['m', 'a', 'p', 'measure', 'f', '0', 't', '99999999'])).toBeNull();
});

test('names of strangers do nothing to a terminal', () => {
  const joined = {
    say: 'joined',
    member: 'm',
    worker: { name: 'a\u001B[2Jb', host: 'h\u0007', pid: 1, labels: {} },
    clock: { rttMs: 1 },
  };
  expect(readWord(JSON.stringify(joined))).toMatchObject({ worker: { name: 'a [2Jb', host: 'h' } });
});
