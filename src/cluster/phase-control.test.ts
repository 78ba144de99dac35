import { expect, test } from 'vitest';
import { smallPlan } from '../../test/contract/small-plan.ts';
import type { Order } from './cluster-words.ts';
import { newMember } from './members.ts';
import type { Member } from './members.ts';
import { PhaseControl } from './phase-control.ts';

const member = (id: string): Member => newMember(id, { name: id, host: 'here', pid: 1, labels: {} }, { rttMs: 0.1 });

/** A closed loop of so many slots and asks, and the orders given in it. */
function control(slots: number, requests: number, members: ReadonlyMap<string, Member>) {
  const plan = smallPlan('http://127.0.0.1:1', { requests });
  const orders: Order[] = [];
  const phase = new PhaseControl({
    phase: 'measure',
    plan: { ...plan, load: { ...plan.load, concurrency: slots } },
    limits: { requests, durationMs: null },
    talks: null,
    members,
    resend: false,
    nobodyMs: 1000,
    nowMs: () => 0,
    order: (order) => orders.push(order),
    emit: () => {},
  });
  return { phase, orders };
}

test('who says that it is idle before it heard of its last work has some: the word is old', () => {
  const members = new Map(['a', 'b'].map((id) => [id, member(id)]));
  const { phase, orders } = control(4, 3, members);
  phase.begin(0, [...members.values()]);
  expect(phase.knowsAll('a', { deals: 0, again: 0 })).toBe(false);
  expect(phase.knowsAll('a', { deals: 1, again: 0 })).toBe(true);
  phase.returned([0, 1, 2].map((seq) => ({ seq, dueMs: null })));
  const dealt = orders.flatMap((order) => (order.say === 'again' ? [[order.member, order.asks.length]] : []));
  expect(dealt).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  expect(phase.knowsAll('a', { deals: 1, again: 1 })).toBe(false);
  expect(phase.knowsAll('a', { deals: 1, again: 2 })).toBe(true);
  expect(phase.knowsAll('b', { deals: 1, again: 1 })).toBe(true);
  // Whoever takes the phase over knows it from the orders.
  const after = control(4, 3, members).phase;
  after.takeOver(0, orders);
  expect(after.knowsAll('a', { deals: 1, again: 1 })).toBe(false);
  expect(after.knowsAll('a', { deals: 1, again: 2 })).toBe(true);
});

test('nobody is dealt anything once the phase is finishing: who has drained says no more, and the phase is over', () => {
  const members = new Map(['a', 'b'].map((id) => [id, member(id)]));
  const { phase, orders } = control(2, 0, members);
  const [a, b] = [...members.values()] as [Member, Member];
  phase.begin(0, [a]);
  // A newcomer: it gets slots only once the others have given some up, which they say late.
  phase.integrate(b);
  expect(phase.advance()).toBe('going');
  expect(orders.at(-1)!.say).toBe('finish');
  for (const one of [a, b]) {
    one.drained = true;
    one.settled = true;
    one.progress = { due: 0, sent: 0, inFlight: 0, deals: 2, taken: 0 };
  }
  expect(phase.advance()).toBe('over');
  expect(orders.at(-1)!.say).toBe('finish');
});
