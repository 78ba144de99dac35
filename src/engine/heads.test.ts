import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Answer } from './answer.ts';
import { Heads } from './heads.ts';

let quietMs = Infinity;
const sent: number[] = [];
const answer = (name: number): Answer => {
  const own = { owesHead: true, sendHead: () => sent.push(name) };
  return own as unknown as Answer;
};
let heads: Heads;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'Date'] });
  sent.length = 0;
  quietMs = Infinity;
  heads = new Heads(
    () => Date.now(),
    () => quietMs,
  );
});
afterEach(() => {
  heads.stop();
  vi.useRealTimers();
});

it('heads are sent a moment after nobody asks any more, in their order', () => {
  for (let name = 0; name < 5; name++) {
    heads.add(answer(name));
    vi.advanceTimersByTime(1);
  }
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(sent).toEqual([0, 1, 2, 3, 4]);
});

it('but nobody waits for long because others go on to ask', () => {
  for (let name = 0; name < 30; name++) {
    heads.add(answer(name));
    vi.advanceTimersByTime(1);
  }
  expect(sent[0]).toBe(0);
});

it('none are begun shortly before tokens leave, and all are once there is time', () => {
  quietMs = 0.5;
  for (let name = 0; name < 20; name++) heads.add(answer(name));
  vi.advanceTimersByTime(50);
  expect(sent).toEqual([]);
  quietMs = 5;
  vi.advanceTimersByTime(5);
  expect(sent).toEqual(Array.from({ length: 20 }, (_, name) => name));
});

it('some are sent at a time, so that what has become urgent is not held up by the rest', () => {
  for (let name = 0; name < 20; name++) heads.add(answer(name));
  quietMs = 5;
  vi.advanceTimersToNextTimer();
  expect(sent).toHaveLength(8);
  quietMs = 0.5;
  vi.advanceTimersByTime(20);
  expect(sent).toHaveLength(8);
});

it('an engine that is never quiet keeps nobody whose first token took the head along', () => {
  quietMs = 0.1;
  const all = Array.from({ length: 20 }, (_, name) => answer(name));
  for (const one of all) heads.add(one);
  vi.advanceTimersByTime(5);
  for (const one of all.slice(0, 15)) Object.assign(one, { owesHead: false });
  vi.advanceTimersByTime(5);
  quietMs = 5;
  vi.advanceTimersByTime(5);
  expect(sent).toEqual([15, 16, 17, 18, 19]);
  expect(vi.getTimerCount()).toBe(0);
});

it('an engine that is stopped sends none', () => {
  heads.add(answer(0));
  heads.stop();
  vi.advanceTimersByTime(50);
  expect(sent).toEqual([]);
});
