import { expect, it } from 'vitest';
import type { CoreSequence } from './sequence.ts';
import { SequenceQueue } from './sequence-queue.ts';

const named = (id: number): CoreSequence => ({ id }) as unknown as CoreSequence;

it.each([1, 2, 3])('who is put in front stands in front, after %i have left', (left) => {
  const queue = new SequenceQueue();
  const all = [0, 1, 2, 3, 4].map(named);
  for (const sequence of all) queue.push(sequence);
  for (const sequence of all.slice(0, left)) queue.remove(sequence);
  const first = named(9);
  queue.unshift(first);
  expect(queue.all()).toEqual([first, ...all.slice(left)]);
});
