import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Outbox } from './outbox.ts';

const asItem = (number: number): { record(): number } => ({ record: () => number });

const all = async (outbox: Outbox<number>, work: () => void = () => {}): Promise<number[]> => {
  const got: number[] = [];
  for await (const item of outbox) {
    got.push(item);
    work();
  }
  return got;
};

test('everything comes out, once and in order, whatever was pushed before and while it was read', async () => {
  const outbox = new Outbox<number>();
  for (let i = 0; i < 100; i++) outbox.push(asItem(i));
  const read = all(outbox);
  for (let i = 100; i < 10_000; i++) {
    outbox.push(asItem(i));
    if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  outbox.close();
  expect(await read).toEqual(Array.from({ length: 10_000 }, (_, i) => i));
});

test('a reader that works long lets the event loop turn between items', async () => {
  const outbox = new Outbox<number>();
  for (let i = 0; i < 20; i++) outbox.push(asItem(i));
  outbox.close();
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
  expect(await all(outbox, busy)).toHaveLength(20);
  reading = false;
  // Six milliseconds are more than any round allows, so each item but the first has waited for a round.
  expect(turns).toBeGreaterThanOrEqual(18);
});

test('a failure is told after what was pushed before it', async () => {
  const outbox = new Outbox<number>();
  outbox.push(asItem(1));
  outbox.fail(new Error('broken'));
  const got: number[] = [];
  await expect(
    (async () => {
      for await (const item of outbox) got.push(item);
    })(),
  ).rejects.toThrow('broken');
  expect(got).toEqual([1]);
});

test('a record is put together when its turn comes, not before', async () => {
  const outbox = new Outbox<number>();
  const made: number[] = [];
  for (let i = 0; i < 3; i++) outbox.push({ record: () => made.push(i) });
  outbox.close();
  expect(made).toEqual([]);
  for await (const count of outbox) expect(made).toHaveLength(count);
  expect(made).toEqual([0, 1, 2]);
});

describe('while streams go on, what has ended waits for a quieter moment', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Reads an outbox to its end; the numbers appear in the list as they are recorded. */
  const listen = (atOnce?: number): { outbox: Outbox<number>; made: number[]; read: Promise<number[]> } => {
    const outbox = new Outbox<number>(atOnce);
    return { outbox, made: [], read: all(outbox) };
  };
  const push = ({ outbox, made }: ReturnType<typeof listen>, count: number): void => {
    for (let i = 0; i < count; i++) outbox.push({ record: () => made.push(i) });
  };
  const rounds = async (count = 50): Promise<void> => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  test('a burst is left alone for 150 ms, then taken at an easy pace, and after 600 ms without any rest', async () => {
    const outbox = new Outbox<number>();
    const begunMs = performance.now();
    let made = 0;
    // Each item is a millisecond of work.
    const work = (): number => {
      vi.advanceTimersByTime(1);
      return made++;
    };
    const read = all(outbox);
    for (let i = 0; i < 1000; i++) outbox.push({ record: work });
    await vi.advanceTimersByTimeAsync(149);
    await rounds();
    expect(made).toBe(0);
    for (let ms = 149; ms < 350; ms++) await vi.advanceTimersByTimeAsync(1);
    // A quarter of the time since.
    const pastMs = performance.now() - begunMs - 150;
    expect(made).toBeGreaterThan(0.2 * pastMs);
    expect(made).toBeLessThan(0.3 * pastMs);
    for (let ms = 350; ms < 600; ms++) await vi.advanceTimersByTimeAsync(1);
    await rounds(5000);
    expect(made).toBe(1000);
    outbox.close();
    expect(await read).toHaveLength(1000);
  });

  test('nothing waits once the load is over, once somebody asks for all of it, or once two thousand wait', async () => {
    const closed = listen();
    push(closed, 3);
    await rounds();
    expect(closed.made).toEqual([]);
    closed.outbox.close();
    expect(await closed.read).toHaveLength(3);

    const asked = listen();
    push(asked, 3);
    await rounds();
    await asked.outbox.emptied();
    expect(asked.made).toHaveLength(3);
    push(asked, 3);
    await rounds();
    expect(asked.made).toHaveLength(3);
    asked.outbox.close();
    await asked.read;

    const full = listen();
    push(full, 2047);
    await rounds();
    expect(full.made).toEqual([]);
    push(full, 10);
    await rounds();
    expect(full.made).toHaveLength(10);
    full.outbox.close();
    await full.read;
  });

  test.each([
    [200, 400],
    [3, 64],
    [1000, 2000],
    [10_000, 2048],
  ])(
    'of a load of %i at once, of which all may end together, fewer than %i wait: the same slots have ended twice then',
    async (atOnce, most) => {
      const full = listen(atOnce);
      push(full, most - 1);
      await rounds();
      expect(full.made).toEqual([]);
      push(full, 11);
      await rounds();
      expect(full.made).toHaveLength(11);
      full.outbox.close();
      await full.read;
    },
  );

  test('where nobody reads any more, nobody waits for it to be read', async () => {
    const outbox = new Outbox<number>();
    outbox.push(asItem(1));
    outbox.push(asItem(2));
    const emptied = outbox.emptied();
    for await (const item of outbox) if (item === 1) break;
    await emptied;
    await outbox.emptied();
  });
});
