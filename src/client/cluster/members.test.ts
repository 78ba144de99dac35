import { expect, test } from 'vitest';
import { isFreeSeat, lastSeat, newMember, seatName } from './members.ts';

const worker = { name: 'w', host: 'h', pid: 1, labels: {} };
const members = new Map(
  [1, 3].map((number) => {
    const id = seatName('ab12', number);
    return [id, newMember(id, worker, { rttMs: 1 })] as const;
  }),
);

test('a seat is free when it is one of this run and nobody sits on it', () => {
  expect(isFreeSeat(members, 'ab12', 'ab12-0002')).toBe(true);
  expect(isFreeSeat(members, 'ab12', 'ab12-0004')).toBe(true);
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
    expect(isFreeSeat(members, 'ab12', name), name).toBe(false);
});

test('seats are counted on from the last that was taken', () => {
  expect(lastSeat(members)).toBe(3);
  expect(lastSeat(new Map())).toBe(0);
});
