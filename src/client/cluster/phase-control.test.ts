import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDue, makePacer } from '../../inputs/arrival/index.ts';
import { problem } from '../../core/index.ts';
import type { Ended, RunPlan } from '../../core/index.ts';
import { unsentExchange } from '../load/index.ts';
import { smallPlan } from '../../../test/contract/small-plan.ts';
import type { Deal, Order } from './cluster-words.ts';
import { ownerOf } from './deals.ts';
import { newMember } from './members.ts';
import type { Member } from './members.ts';
import { leadMs, PhaseControl } from './phase-control.ts';

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

test('a phase that the former controller had finished is not begun again: those who have drained are not waited for', () => {
  const before = new Map(['a', 'b'].map((id) => [id, member(id)]));
  const { phase, orders } = control(2, 1, before);
  phase.begin(0, [...before.values()]);
  phase.known(0);
  expect(phase.advance()).toBe('going');
  expect(orders.at(-1)!.say).toBe('finish');
  const members = new Map(['a', 'b'].map((id) => [id, member(id)]));
  const next = control(2, 1, members);
  next.phase.takeOver(0, orders);
  next.phase.known(0);
  for (const one of members.values()) {
    next.phase.rejoin(one);
    one.drained = true;
    one.settled = true;
  }
  expect(next.phase.advance()).toBe('over');
  // One of them was lost meanwhile: its part goes to nobody, because nobody would take it.
  const again = control(2, 1, members);
  again.phase.takeOver(0, orders);
  again.phase.known(0);
  for (const one of members.values()) again.phase.rejoin(one);
  members.get('a')!.state = 'lost';
  again.phase.lose(members.get('a')!);
  expect(again.phase.advance()).toBe('over');
  expect(again.orders).toEqual([]);
});

/** An open loop of 90 requests at 100/s, and where it stands. */
function openControl(names: readonly string[], seed: number, resend: boolean) {
  const limits = { requests: 90, durationMs: null };
  const small = smallPlan('http://127.0.0.1:1', { requests: 90 });
  const load = { ...small.load, kind: 'open', concurrency: null, ratePerSec: 100, arrival: { process: 'poisson' } };
  const plan = { ...small, load, seed } as RunPlan;
  const members = new Map(names.map((id) => [id, member(id)]));
  const orders: Order[] = [];
  const told: Ended[] = [];
  const clock = { nowMs: 0 };
  const phase = new PhaseControl({
    phase: 'measure',
    plan,
    limits,
    talks: null,
    members,
    resend,
    nobodyMs: 1000,
    nowMs: () => clock.nowMs,
    order: (order) => orders.push(order),
    emit: (ended) => told.push(ended),
  });
  const pacer = makePacer(plan.load, limits, seed);
  const dueMs = Array.from({ length: 90 }, () => {
    const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
    return isDue(pacing) ? pacing.atMs : Number.NaN;
  });
  const deals = (): Deal[] => orders.flatMap((order) => (order.say === 'deal' ? [order.deal] : []));
  return { phase, members, orders, told, clock, dueMs, deals };
}

test('with a worker that is killed in an open loop is lost what it had in hand and what came due for it until it was noticed, and nothing after; with --resend the others send it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 5 }),
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 0, max: 700 }),
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 0, max: 5 }),
      fc.boolean(),
      (count, seed, diedMs, unnoticedMs, inHand, resend) => {
        const names = Array.from({ length: count }, (_, i) => `m${i}`);
        const { phase, members, orders, told, clock, dueMs, deals } = openControl(names, seed, resend);
        phase.begin(0, [...members.values()]);
        const killed = members.get('m0')!;
        const its = dueMs.flatMap((_, seq) => (seq % count === 0 ? [seq] : []));
        const before = its.filter((seq) => dueMs[seq]! < diedMs);
        const handed = before.slice(0, Math.max(0, before.length - inHand));
        const ended = handed.map((seq): Ended => {
          const exchange = unsentExchange(
            { seq, warmup: false, dueMs: dueMs[seq]! },
            diedMs,
            'dropped',
            problem('dropped-late'),
          );
          return { exchange, answer: null };
        });
        const batch = {
          member: 'm0',
          number: 0,
          phase: 'measure',
          upToMs: diedMs,
          progress: [0, 0, 0, 1, 0],
          ended,
        } as const;
        phase.take(killed, batch, () => {});
        clock.nowMs = diedMs + unnoticedMs;
        killed.state = 'lost';
        const lost = phase.lose(killed);
        const gone = its.filter((seq) => !handed.includes(seq) && dueMs[seq]! < clock.nowMs + leadMs);
        expect(lost).toBe(resend ? 0 : gone.length);
        const again = orders.flatMap((order) => (order.say === 'again' ? order.asks.map(({ seq }) => seq) : []));
        expect(again.toSorted((a, b) => a - b)).toEqual(resend ? gone : []);
        // From then on every request has an owner who is there.
        for (const [seq, atMs] of dueMs.entries())
          if (atMs >= clock.nowMs + leadMs) expect(ownerOf(deals(), seq, atMs)).not.toBe('m0');
        phase.close(null);
        const written = told.filter(({ exchange }) => exchange.problem?.code === 'lost-with-worker');
        expect(written.map(({ exchange }) => exchange.seq).toSorted((a, b) => a - b)).toEqual(resend ? [] : gone);
        expect(written.every(({ exchange }) => exchange.labels['worker'] === 'm0')).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
