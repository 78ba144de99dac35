import { expect, test } from 'vitest';
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
