import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ResultQueue } from './result-queue.ts';

const asItem = (number: number): { record(): number } => ({ record: () => number });

const all = async (results: ResultQueue<number>, work: () => void = () => {}): Promise<number[]> => {
  const got: number[] = [];
  for await (const item of results) {
    got.push(item);
    work();
  }
  return got;
};

test('everything comes out, once and in order, whatever was pushed before and while it was read', async () => {
  const results = new ResultQueue<number>();
  for (let i = 0; i < 100; i++) results.push(asItem(i));
  const read = all(results);
  for (let i = 100; i < 10_000; i++) {
    results.push(asItem(i));
    if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  results.close();
  expect(await read).toEqual(Array.from({ length: 10_000 }, (_, i) => i));
});

test('a reader that works long lets the event loop turn between items', async () => {
  const results = new ResultQueue<number>();
  for (let i = 0; i < 20; i++) results.push(asItem(i));
  results.close();
  let turns = 0;
  let reading = true;
  const turn = (): void => {
    turns++;
    if (reading) setImmediate(turn);
  };
  setImmediate(turn);
  const busy = (): void => {
    const until = performance.now() + 6;
    while (performance.now() < until);
  };
  expect(await all(results, busy)).toHaveLength(20);
  reading = false;
  // Six milliseconds are more than any round allows, so each item but the first has waited for a round.
  expect(turns).toBeGreaterThanOrEqual(18);
});

test('a failure is told after what was pushed before it', async () => {
  const results = new ResultQueue<number>();
  results.push(asItem(1));
  results.fail(new Error('broken'));
  const got: number[] = [];
  await expect(
    (async () => {
      for await (const item of results) got.push(item);
    })(),
  ).rejects.toThrow('broken');
  expect(got).toEqual([1]);
});

test('a record is put together when its turn comes, not before', async () => {
  const results = new ResultQueue<number>();
  const made: number[] = [];
  for (let i = 0; i < 3; i++) results.push({ record: () => made.push(i) });
  results.close();
  expect(made).toEqual([]);
  for await (const count of results) expect(made).toHaveLength(count);
  expect(made).toEqual([0, 1, 2]);
});

describe('a burst of ends', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  const listen = (): { results: ResultQueue<number>; made: number[]; read: Promise<number[]> } => {
    const results = new ResultQueue<number>();
    return { results, made: [], read: all(results) };
  };
  const push = ({ results, made }: ReturnType<typeof listen>, count: number): void => {
    for (let i = 0; i < count; i++) results.push({ record: () => made.push(i) });
  };
  const rounds = async (count = 50): Promise<void> => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  test('is left alone for 150 ms, and what ends while it is recorded is not', async () => {
    const queue = listen();
    push(queue, 100);
    await rounds();
    await vi.advanceTimersByTimeAsync(149);
    await rounds();
    expect(queue.made).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await rounds();
    expect(queue.made).toHaveLength(100);
    for (let i = 1; i <= 20; i++) {
      await vi.advanceTimersByTimeAsync(50);
      push(queue, 1);
      await rounds();
      expect(queue.made).toHaveLength(100 + i);
    }
    queue.results.close();
    await queue.read;
  });

  test('after a quiet time the next one waits again', async () => {
    const queue = listen();
    push(queue, 1);
    await rounds();
    await vi.advanceTimersByTimeAsync(150);
    await rounds();
    await vi.advanceTimersByTimeAsync(1000);
    push(queue, 1);
    await rounds();
    expect(queue.made).toHaveLength(1);
    queue.results.close();
    expect(await queue.read).toHaveLength(2);
  });

  test('does not wait once the load is over, once somebody asks for all of it, or once a thousand wait', async () => {
    const closed = listen();
    push(closed, 3);
    await rounds();
    closed.results.close();
    expect(await closed.read).toHaveLength(3);

    const asked = listen();
    push(asked, 3);
    await rounds();
    await asked.results.emptied();
    expect(asked.made).toHaveLength(3);
    asked.results.close();
    await asked.read;

    const full = listen();
    push(full, 1024);
    await rounds();
    expect(full.made.length).toBeGreaterThan(0);
    full.results.close();
    await full.read;
  });
});

test('whoever asks for all of it when nobody reads any more is answered', async () => {
  const results = new ResultQueue<number>();
  results.push(asItem(1));
  for await (const item of results) {
    expect(item).toBe(1);
    break;
  }
  await results.emptied();
});
