import { expect, test } from 'vitest';
import { isFreeWorkerSlot, lastWorkerSlot, newMember, workerSlotName } from './members.ts';

const worker = { name: 'w', host: 'h', pid: 1, labels: {} };
const members = new Map(
  [1, 3].map((number) => {
    const id = workerSlotName('ab12', number);
    return [id, newMember(id, worker, { rttMs: 1 })] as const;
  }),
);

test('a worker slot is free when it is one of this run and nobody holds it', () => {
  expect(isFreeWorkerSlot(members, 'ab12', 'ab12-0002')).toBe(true);
  expect(isFreeWorkerSlot(members, 'ab12', 'ab12-0004')).toBe(true);
  for (const name of [
    'ab12-0001',
    'ab12-0003',
    'ab12-0000',
    'ab12-00002',
    'ab12-2',
    'cd34-0002',
    'ab12-x',
    '',
    '__proto__',
  ])
    expect(isFreeWorkerSlot(members, 'ab12', name), name).toBe(false);
});

test('worker slots are counted on from the last that was taken', () => {
  expect(lastWorkerSlot(members)).toBe(3);
  expect(lastWorkerSlot(new Map())).toBe(0);
});
