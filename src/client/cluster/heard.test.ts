import fc from 'fast-check';
import { expect, test } from 'vitest';
import { problem } from '../../core/index.ts';
import { unsentExchange } from '../load/index.ts';
import { readBatch, readClaim, readOrder, readWorkerMessage } from './heard.ts';

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
  const idle = { say: 'idle', member: 'm', phase: 'measure', heard: { deals: 2, again: 0 } };
  expect(readWorkerMessage(JSON.stringify(idle))).toEqual(idle);
  expect(readWorkerMessage(JSON.stringify({ ...idle, heard: undefined }))).toBeNull();
});

test('whatever else stands there is nothing, and throws nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect([readBatch(text), readWorkerMessage(text), readClaim([text, text, text])]).toEqual([null, null, null]);
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

test('an exchange with any member that is not what it should be spoils its batch: it would spoil the files of the run', () => {
  const whole = {
    ...exchange,
    sentMs: 1,
    chunks: { atMs: [1], tokens: [1], kinds: 'a', emittedMs: [0.5] },
    serverSteps: { batchSize: [1], queueWaitMs: [0] },
    serverTimes: { queueMs: 1, prefillMs: null, decodeMs: null, totalMs: 2 },
  };
  const asBatch = (one: object, answer: unknown = null): string =>
    JSON.stringify({ ...batch, ended: [{ exchange: one, answer }] });
  expect(readBatch(asBatch(whole, { seq: 7, text: 'a', reasoning: '' }))).not.toBeNull();
  for (const name of Object.keys(whole)) {
    expect(readBatch(asBatch({ ...whole, [name]: [{}] })), name).toBeNull();
    const { [name]: _, ...rest } = whole as Record<string, unknown>;
    const mayBeAbsent = ['serverSteps', 'serverTimes'].includes(name);
    expect(readBatch(asBatch(rest)) === null, name).toBe(!mayBeAbsent);
  }
  const spoiled = [
    { ...whole, chunks: { ...whole.chunks, atMs: ['1'] } },
    { ...whole, chunks: { ...whole.chunks, kinds: 1 } },
    { ...whole, labels: { session: 1 } },
    { ...whole, inputTokens: { planned: '1', server: null, client: null } },
    { ...whole, problem: { code: 'constructor', status: null, words: null } },
  ];
  for (const one of spoiled) expect(readBatch(asBatch(one))).toBeNull();
  expect(readBatch(asBatch(whole, { seq: 7, text: 1 }))).toBeNull();
});

test('nobody can have a run end well, or in a crash, by what he says of his failure', () => {
  const mistake = { code: 'x', message: { en: 'a', zh: 'b' }, hint: { en: 'c', zh: 'd' } };
  const failed = (more: object): string =>
    JSON.stringify({ say: 'failed', member: 'm', mistakes: [mistake], exitCode: 2, message: 'm', ...more });
  expect(readWorkerMessage(failed({}))).toMatchObject({ mistakes: [mistake], exitCode: 2 });
  expect(readWorkerMessage(failed({ mistakes: null, exitCode: 70 }))).not.toBeNull();
  for (const more of [
    { exitCode: 0 },
    { exitCode: '2' },
    { exitCode: 9999 },
    { mistakes: undefined },
    { mistakes: [] },
    { mistakes: [null] },
    { mistakes: [{ ...mistake, hint: 'c' }] },
    { mistakes: [{ ...mistake, place: null }] },
    { mistakes: { length: 1 } },
    { message: 7 },
  ])
    expect(readWorkerMessage(failed(more)), JSON.stringify(more)).toBeNull();
});

test('what a worker says of itself has the shape that a summary is written with', () => {
  const health = {
    loopDelayP50Ms: 0,
    loopDelayP99Ms: 1,
    loopDelayMaxMs: 2,
    cpuRatio: null,
    threads: 1,
    connectionsOpened: 3,
    connectionsReused: 4,
    rssMaxBytes: 5,
  };
  const said = (more: object): string =>
    JSON.stringify({ say: 'health', member: 'm', health, clock: { rttMs: 1, driftMs: 0 }, buffered: 0, ...more });
  expect(readWorkerMessage(said({}))).not.toBeNull();
  expect(readWorkerMessage(said({ health: null }))).not.toBeNull();
  for (const more of [
    { health: 'good' },
    { health: { ...health, cpuRatio: 'all' } },
    { health: { ...health, gc: {} } },
    { clock: { rttMs: -1, driftMs: 0 } },
    { clock: { rttMs: 1 } },
    { buffered: -1 },
  ])
    expect(readWorkerMessage(said(more)), JSON.stringify(more)).toBeNull();
});

test('an order that no controller of ours gives is none', () => {
  const deal = { number: 1, fromMs: 0, order: ['a'], slots: { a: 2 } };
  for (const order of [
    { say: 'prepare', phase: 'measure', members: ['a'] },
    { say: 'begin', phase: 'warmup', startMs: 12.5 },
    { say: 'deal', phase: 'measure', deal },
    { say: 'deal', phase: 'measure', deal: { ...deal, slots: null } },
    { say: 'again', phase: 'measure', member: 'a', asks: [{ seq: 1, dueMs: null }] },
    { say: 'finish', phase: 'measure' },
    { say: 'stop-sending' },
    { say: 'end' },
  ])
    expect(readOrder(JSON.stringify(order)), JSON.stringify(order)).toEqual(order);
  for (const order of [
    null,
    7,
    [],
    { say: 'constructor' },
    { say: 'prepare', phase: 'measure', members: 'a' },
    { say: 'begin', phase: 'measure', startMs: null },
    { say: 'deal', phase: 'measure', deal: null },
    { say: 'deal', phase: 'measure', deal: { ...deal, order: 3 } },
    { say: 'deal', phase: 'measure', deal: { ...deal, slots: { a: 'all' } } },
    { say: 'again', phase: 'measure', member: 'a', asks: [{ seq: 1 }] },
    { say: 'finish', phase: '__proto__' },
  ])
    expect(readOrder(JSON.stringify(order)), JSON.stringify(order)).toBeNull();
});

test('names of strangers do nothing to a terminal', () => {
  const joined = {
    say: 'joined',
    member: 'm',
    worker: { name: 'a\u001B[2Jb', host: 'h\u0007', pid: 1, labels: { 'r\u0007': '\u001B[1mx' } },
    clock: { rttMs: 1 },
  };
  expect(readWorkerMessage(JSON.stringify(joined))).toMatchObject({
    worker: { name: 'a [2Jb', host: 'h', labels: { r: '[1mx' } },
  });
  const unlabelled = { ...joined, worker: { ...joined.worker, labels: { site: 7 } } };
  expect(readWorkerMessage(JSON.stringify(unlabelled))).toBeNull();
});
