import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conversationPacing, isDue, makePacer } from '../../src/inputs/arrival/index.ts';
import { dealOver } from '../../src/client/cluster/deals.ts';
import { ShareRequestSource } from '../../src/client/cluster/share-request-source.ts';
import type { LoadShape } from '../../src/core/index.ts';
import { mostAtOnce, play, thinkMs, threads } from './dealing-game.ts';
import type { Asked, MakePlaces } from './dealing-game.ts';

const runs = { numRuns: process.env['LLMDYNO_LONG'] === '1' ? 2000 : 100 };
const shape = (change: Partial<LoadShape>): LoadShape => ({
  kind: 'open',
  concurrency: null,
  ratePerSec: 50,
  arrival: { process: 'poisson' },
  dropLate: false,
  ...change,
});
const closed = (concurrency: number, rampMs = 0): LoadShape =>
  shape({ kind: 'closed', concurrency, ratePerSec: null, arrival: { process: 'closed' }, rampMs });

/** Machines that claim numbers from a counter which answers a moment later, as Redis does. */
const machines: MakePlaces = ({ of }, { load, limits, seed, conversations }) => {
  const names = Array.from({ length: of }, (_, index) => `m${index}`);
  const whole = conversations && conversationPacing(load) !== 'requests';
  const counter = (limit: number) => {
    let last = 0;
    return (count: number): Promise<{ from: number; to: number }> => {
      const from = Math.min(limit, last);
      last += count;
      return Promise.resolve({ from, to: Math.min(limit, last) });
    };
  };
  const claim = counter(whole ? Infinity : (limits.requests ?? Infinity));
  const claimConversations = counter(Infinity);
  const idle = new Set<string>();
  const places = names.map((member) => {
    const parts = { member, load, limits, seed, conversations: whole, claim, wake: () => {}, allowed: () => true };
    const talks = conversations && !whole ? { claimConversations } : {};
    return new ShareRequestSource({ ...parts, ...talks, idle: () => idle.add(member) });
  });
  for (const place of places) place.deal(dealOver(names, load.concurrency, { number: 1, fromMs: 0 }));
  return { places, allIdle: () => idle.size === of };
};

const from0 = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);
const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
const games = fc.record({
  load: fc.oneof(
    fc
      .record({ concurrency: fc.integer({ min: 4, max: 9 }), rampMs: fc.constantFrom(0, 200) })
      .map(({ concurrency, rampMs }) => closed(concurrency, rampMs)),
    fc.constantFrom(shape({}), shape({ concurrency: 6 }), shape({ arrival: { process: 'constant' } })),
    fc.constant(shape({ concurrency: 4, dropLate: true, ratePerSec: 200 })),
    fc.constant(shape({ sessions: true, ratePerSec: 20 })),
  ),
  limits: fc.record({ requests: fc.integer({ min: 1, max: 80 }), durationMs: fc.constant(null) }),
  of: fc.integer({ min: 1, max: 4 }),
  seed: fc.integer({ min: 1, max: 1000 }),
  turns: fc.option(lengths),
  chance: fc.array(fc.nat(1000), { minLength: 20, maxLength: 60 }),
});

test('each planned number is asked or dropped exactly once, or left as the rest when sending is stopped', () =>
  fc.assert(
    fc.asyncProperty(games, fc.option(fc.integer({ min: 0, max: 1500 })), async (game, stopAtMs) => {
      const { asked, dropped, rest } = await play({ ...game, ...(stopAtMs !== null && { stopAtMs }) });
      const numbers = asked.map(({ seq }) => seq);
      expect(sorted([...numbers, ...dropped, ...rest])).toEqual(from0(game.limits.requests));
      if (stopAtMs === null) expect(rest).toEqual([]);
    }),
    runs,
  ));

describe.each([
  ['threads', threads],
  ['machines', machines],
])('requests dealt to several %s', (_, places) => {
  test('each planned number is asked or dropped exactly once, whoever is served first', () =>
    fc.assert(
      fc.asyncProperty(games, async (game) => {
        const { asked, dropped } = await play(game, places);
        expect(sorted([...asked.map(({ seq }) => seq), ...dropped])).toEqual(from0(game.limits.requests));
      }),
      runs,
    ));

  test('a closed loop is never above its limit, users who think included, and a ramp opens slot k at k/N of its time', () =>
    fc.assert(
      fc.asyncProperty(
        games,
        fc.integer({ min: 4, max: 9 }),
        fc.constantFrom(0, 200),
        async (game, concurrency, rampMs) => {
          const { asked } = await play({ ...game, load: closed(concurrency, rampMs) }, places);
          const held = new Map<string, Asked>();
          for (const one of asked) {
            const name = one.promptId.split('#')[0]!;
            held.set(name, { ...(held.get(name) ?? one), endMs: one.endMs });
          }
          expect(mostAtOnce([...held.values()])).toBeLessThanOrEqual(concurrency);
          for (const { sentMs } of asked) {
            const open = rampMs === 0 ? concurrency : Math.floor((sentMs / rampMs) * concurrency + 1e-9) + 1;
            expect(mostAtOnce(asked.filter((one) => one.sentMs <= sentMs))).toBeLessThanOrEqual(
              Math.min(open, concurrency),
            );
          }
        },
      ),
      runs,
    ));

  test('an open loop is due when its process says, is sent in its order and never above its cap', () =>
    fc.assert(
      fc.asyncProperty(games, fc.constantFrom(null, 4, 7), fc.boolean(), async (game, concurrency, dropLate) => {
        const load = shape({ concurrency, dropLate: dropLate && concurrency !== null });
        const { asked, dropped } = await play({ ...game, load, turns: null }, places);
        const pacer = makePacer(load, game.limits, game.seed);
        const due = from0(game.limits.requests).map(() => {
          const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
          return isDue(pacing) ? pacing.atMs : Number.NaN;
        });
        expect(asked.length + dropped.length).toBe(game.limits.requests);
        if (load.dropLate) for (const { sentMs, dueMs } of asked) expect(sentMs).toBe(dueMs);
        else expect(dropped).toEqual([]);
        expect(mostAtOnce(asked)).toBeLessThanOrEqual(concurrency ?? Infinity);
        for (let place = 0; place < game.of; place++) {
          const mine = asked.filter((one) => one.place === place).map(({ seq }) => seq);
          expect(mine).toEqual(sorted(mine));
        }
        for (const { seq, dueMs, place } of asked) {
          expect(dueMs).toBe(due[seq]);
          expect(place).toBe(seq % game.of);
        }
      }),
      runs,
    ));

  test("a conversation is one place's, its turns come in order, each after the answer before it and the thinking", () =>
    fc.assert(
      fc.asyncProperty(games, lengths, async (game, turns) => {
        const { asked } = await play({ ...game, turns }, places);
        const last = new Map<string, { turn: number; place: number; endMs: number }>();
        for (const { promptId, place, sentMs, endMs } of asked) {
          const [name, turn] = promptId.split('#') as [string, string];
          const before = last.get(name);
          expect(Number(turn)).toBe(before === undefined ? 0 : before.turn + 1);
          expect(place).toBe(before?.place ?? place);
          expect(sentMs).toBeGreaterThanOrEqual(before === undefined ? 0 : before.endMs + thinkMs);
          last.set(name, { turn: Number(turn), place, endMs });
        }
      }),
      runs,
    ));

  test('what is asked is what one place asks in virtual time, conversations begin at the same moments', () =>
    fc.assert(
      fc.asyncProperty(games, async (game) => {
        const { load, turns } = game;
        // At a rate of requests the answers decide which turn is ready, and a cap who is dropped.
        fc.pre(!load.dropLate && (turns === null || load.kind === 'closed' || load.sessions === true));
        const [alone, together] = [await play({ ...game, of: 1 }), await play(game, places)];
        const ids = (asked: readonly Asked[]): string[] => asked.map(({ promptId }) => promptId).toSorted();
        expect(ids(together.asked)).toEqual(ids(alone.asked));
        const begins = (asked: readonly Asked[]): number[] =>
          sorted(asked.filter(({ promptId }) => !/#[1-9]/.test(promptId)).map(({ dueMs }) => dueMs));
        if (load.kind === 'open') expect(begins(together.asked)).toEqual(begins(alone.asked));
      }),
      runs,
    ));
});
