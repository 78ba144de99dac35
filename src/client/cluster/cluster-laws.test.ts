import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ended, LoadShape } from '../../core/index.ts';
import { problem } from '../../core/index.ts';
import { OrderedEnds, unsentExchange } from '../load/index.ts';
import { fromPrompts, plainPrompt } from '../../inputs/workload/index.ts';
import { dealOver, ownerOf } from './deals.ts';
import { AckTracker } from './ack-tracker.ts';
import { RequestLedger } from './request-ledger.ts';
import { ShareRequestSource } from './share-request-source.ts';

const runs = { numRuns: process.env['LLMDYNO_LONG'] === '1' ? 2000 : 100 };
const ended = (seq: number, endMs: number): Ended => ({
  exchange: unsentExchange({ seq, warmup: false, dueMs: 0 }, endMs, 'cancelled', problem('not-sent')),
  answer: null,
});
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `m${i}`);

describe('dealing over members', () => {
  test('a member without a slot says that it is idle, once for each deal: nobody waits for it', () => {
    const load: LoadShape = {
      kind: 'closed',
      concurrency: 1,
      ratePerSec: null,
      arrival: { process: 'closed' },
      dropLate: false,
    };
    const said: unknown[] = [];
    const share = new ShareRequestSource({
      member: 'm1',
      load,
      limits: { requests: 10, durationMs: null },
      seed: 1,
      wake: () => {},
      claim: () => Promise.reject(new Error('it has no slot to claim for')),
      allowed: () => true,
      idle: (heard) => said.push(heard),
    });
    const next = (): unknown => share.next({ sent: 0, inFlight: 0, nowMs: 0 });
    for (const number of [1, 2]) {
      share.deal(dealOver(['m0', 'm1'], 1, { number, fromMs: 0 }));
      expect([next(), next()]).toEqual(['wait', 'wait']);
    }
    expect(said).toEqual([
      { deals: 1, again: 0 },
      { deals: 2, again: 0 },
    ]);
  });

  test('slots add up to the concurrency, differ by one at the most, and asks go to those who have one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 500 }), (count, concurrency) => {
        const { order, slots } = dealOver(names(count), concurrency, { number: 1, fromMs: 0 });
        const parts = Object.values(slots!);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(concurrency);
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
        expect(order).toHaveLength(Math.min(count, concurrency));
      }),
      runs,
    );
  });

  test('an open loop under any deals: every ask is sent by exactly one member, its owner, at the time of the schedule', () => {
    const load: LoadShape = {
      kind: 'open',
      concurrency: null,
      ratePerSec: 100,
      arrival: { process: 'poisson' },
      dropLate: false,
    };
    const limits = { requests: 60, durationMs: null };
    fc.assert(
      fc.property(
        fc.array(fc.record({ atMs: fc.integer({ min: 1, max: 700 }), members: fc.integer({ min: 1, max: 4 }) }), {
          maxLength: 4,
        }),
        fc.integer({ min: 1, max: 1000 }),
        (changes, seed) => {
          const later = changes.toSorted((a, b) => a.atMs - b.atMs);
          const deals = [{ atMs: 0, members: 3 }, ...later].map(({ atMs, members }, i) =>
            dealOver(names(members), null, { number: i + 1, fromMs: atMs }),
          );
          const sent = new Map<number, string[]>();
          for (const member of names(4)) {
            const parts = { member, load, limits, seed, wake: () => {}, idle: () => {}, allowed: () => true };
            const share = new ShareRequestSource({ ...parts, claim: () => Promise.reject(new Error('not asked')) });
            let next = 0;
            for (let nowMs = 0; nowMs < 5000; nowMs += 5) {
              // A deal is heard some time before it begins.
              while (next < deals.length && deals[next]!.fromMs <= nowMs + 100) share.deal(deals[next++]!);
              for (
                let dealt = share.next({ sent: 0, inFlight: 0, nowMs });
                typeof dealt === 'object' && 'seq' in dealt;
              ) {
                sent.set(dealt.seq, [...(sent.get(dealt.seq) ?? []), member]);
                expect(ownerOf(deals, dealt.seq, dealt.atMs)).toBe(member);
                dealt = share.next({ sent: 0, inFlight: 0, nowMs });
              }
            }
            share.finish();
          }
          expect([...sent.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
          expect([...sent.values()].every((by) => by.length === 1)).toBe(true);
        },
      ),
      { numRuns: Math.min(runs.numRuns, 200) },
    );
  });
});

describe('the books', () => {
  test('what is recorded, lost and missing is every ask once, whatever was claimed by whom', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 })), { maxLength: 30 }),
        fc.array(fc.nat(200), { maxLength: 80 }),
        (claims, done) => {
          const load: LoadShape = {
            kind: 'closed',
            concurrency: 4,
            ratePerSec: null,
            arrival: { process: 'closed' },
            dropLate: false,
          };
          const ledger = new RequestLedger({
            load,
            limits: { requests: 150, durationMs: null },
            seed: 1,
            conversations: null,
          });
          let from = 0;
          for (const [member, count] of claims) {
            const to = Math.min(150, from + count);
            if (from < to) ledger.claimed(member, from, to);
            from = to;
          }
          for (const seq of done.filter((number) => number < from)) ledger.record(seq, true);
          const before = ledger.accounted;
          const lost = ['a', 'b', 'c'].flatMap((member) => ledger.lossOf(member, [], 0, false).lost);
          for (const { seq } of lost) expect(ledger.record(seq, false)).toBe(true);
          const missing = ledger.missing();
          expect(before + lost.length + missing.length).toBe(150);
          expect(missing.every(({ seq }) => seq >= from)).toBe(true);
        },
      ),
      runs,
    );
  });

  test('of conversations too: what is recorded, lost and missing is every turn once, and with --resend only what was under way is lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }),
        fc.array(fc.nat(5), { minLength: 30, maxLength: 30 }),
        fc.boolean(),
        async (lengths, requests, takers, said, resend) => {
          const load: LoadShape = {
            kind: 'closed',
            concurrency: 4,
            ratePerSec: null,
            arrival: { process: 'closed' },
            dropLate: false,
          };
          const prompts = lengths.map((turns, i) => ({ ...plainPrompt(`talk-${i}`, 'hello'), turns }));
          const ledger = new RequestLedger({
            load,
            limits: { requests, durationMs: null },
            seed: 1,
            conversations: fromPrompts(prompts, { offset: 0, cycle: true }),
          });
          await ledger.ready();
          // Conversation k was taken by one member, which has said its first turns: some, all, or none of them.
          let first = 0;
          let untouched = 0;
          for (const [number, member] of takers.entries()) {
            ledger.claimed(member, number, number + 1);
            const turns = lengths[number % lengths.length]!;
            const planned = Math.max(0, Math.min(turns, requests - first));
            for (let turn = 0; turn < Math.min(planned, said[number]!); turn++) ledger.record(first + turn, true);
            if (said[number] === 0) untouched += planned;
            first += turns;
          }
          const before = ledger.accounted;
          const losses = ['a', 'b', 'c'].map((member) => ledger.lossOf(member, [], 0, resend));
          for (const { seq } of losses.flatMap(({ lost }) => lost)) expect(ledger.record(seq, false)).toBe(true);
          const written = ledger.accounted - before;
          const left = [...ledger.unrecorded()];
          expect(before + written + left.length).toBe(requests);
          // What may be held by others is whole conversations that nobody has begun: the first turns of each stand open.
          const again = resend ? losses.flatMap(({ again: numbers }) => numbers) : [];
          for (const { seq } of again) expect(ledger.isOpen(seq)).toBe(true);
          expect(left.length).toBe(Math.max(0, requests - first) + (resend ? untouched : 0));
          const open = new Set(ledger.missing().map(({ seq }) => seq));
          for (const { seq } of again) expect(open.has(seq)).toBe(true);
        },
      ),
      runs,
    );
  });

  test('ends of several members come out in one order, each once, and never before one that could still precede it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(1000), { maxLength: 20 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(3), { maxLength: 120 }),
        (lists, turns) => {
          const out: number[] = [];
          const ends = new OrderedEnds(({ exchange }) => out.push(exchange.endMs));
          const queues = lists.map((list) => list.toSorted((a, b) => a - b));
          for (const [i] of queues.entries()) ends.join(`m${i}`, -Infinity);
          for (const turn of turns) {
            const i = turn % queues.length;
            const endMs = queues[i]!.shift();
            if (endMs !== undefined) ends.add(`m${i}`, [ended(0, endMs)], endMs);
          }
          for (const [i, queue] of queues.entries()) {
            ends.add(
              `m${i}`,
              queue.map((endMs) => ended(0, endMs)),
              Infinity,
            );
            ends.leave(`m${i}`);
          }
          ends.flush();
          const all = lists.flat().toSorted((a, b) => a - b);
          expect(out).toEqual(all);
        },
      ),
      runs,
    );
  });

  test('an entry of the stream is forgotten only when every exchange of it is on disk', () => {
    const kept = new AckTracker();
    const [a, b, c] = [ended(0, 1), ended(1, 2), ended(2, 3)];
    kept.came('1-0', [a, c]);
    kept.came('2-0', [b]);
    kept.came('3-0', []);
    for (const one of [a, b, c]) kept.emitted(one);
    expect(kept.kept(2)).toBeNull();
    // The last entry stays, so that a reader finds where the stream stood.
    expect(kept.kept(3)).toBe('3-0');
  });
});
