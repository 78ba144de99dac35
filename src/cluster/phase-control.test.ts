import { expect, test } from 'vitest';
import { smallPlan } from '../../test/contract/small-plan.ts';
import type { Order } from './cluster-words.ts';
import { newMember } from './members.ts';
import type { Member } from './members.ts';
import { PhaseControl } from './phase-control.ts';

const member = (id: string): Member => newMember(id, { name: id, host: 'here', pid: 1, labels: {} }, { rttMs: 0.1 });

test('nobody is dealt anything once the phase is finishing: who has drained says no more, and the phase is over', () => {
  const plan = smallPlan('http://127.0.0.1:1', { requests: 0 });
  const members = new Map(['a', 'b'].map((id) => [id, member(id)]));
  const orders: Order[] = [];
  const phase = new PhaseControl({
    phase: 'measure',
    plan: { ...plan, load: { ...plan.load, concurrency: 2 } },
    limits: { requests: 0, durationMs: null },
    talks: null,
    members,
    resend: false,
    nobodyMs: 1000,
    nowMs: () => 0,
    order: (order) => orders.push(order),
    emit: () => {},
  });
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
