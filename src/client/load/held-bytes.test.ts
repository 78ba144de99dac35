import { expect, test } from 'vitest';
import { HeldBytes } from './held-bytes.ts';
import type { Holder } from './held-bytes.ts';

const MiB = 1024 * 1024;
const holder = (gaveUp: Holder[]): Holder & { heldBytes: number } => {
  const mine = { heldBytes: 0, overburdened: (): void => void gaveUp.push(mine) };
  return mine;
};

test('whoever brings the budget to its end, the largest holder gives up, and the others go on', () => {
  const gaveUp: Holder[] = [];
  const held = new HeldBytes(10 * MiB);
  const [small, large, last] = [holder(gaveUp), holder(gaveUp), holder(gaveUp)];
  small.heldBytes = MiB;
  large.heldBytes = 6 * MiB;
  last.heldBytes = 3 * MiB;
  for (const each of [small, large, last]) held.tell(each);
  expect(gaveUp).toEqual([]);
  small.heldBytes = 2 * MiB;
  held.tell(small);
  expect(gaveUp).toEqual([large]);
  // What gave up counts no more, nor does what has ended or let go.
  last.heldBytes = 8 * MiB;
  held.tell(last);
  held.leave(small);
  last.heldBytes = 10 * MiB;
  held.tell(last);
  expect(gaveUp).toEqual([large]);
});

test('what an ended answer keeps counts until it leaves, and only those that go on can give up', () => {
  const gaveUp: Holder[] = [];
  const held = new HeldBytes(10 * MiB);
  const [ended, open, other] = [holder(gaveUp), holder(gaveUp), holder(gaveUp)];
  ended.heldBytes = 8 * MiB;
  held.tell(ended);
  held.end(ended);
  open.heldBytes = 3 * MiB;
  held.tell(open);
  expect(gaveUp).toEqual([open]);
  held.leave(ended);
  other.heldBytes = 9 * MiB;
  held.tell(other);
  expect(gaveUp).toEqual([open]);
});

test('small answers are not counted, however many there are', () => {
  const gaveUp: Holder[] = [];
  const held = new HeldBytes(MiB);
  for (let i = 0; i < 10_000; i++) {
    const each = holder(gaveUp);
    each.heldBytes = 60 * 1024;
    held.tell(each);
  }
  expect(gaveUp).toEqual([]);
});
