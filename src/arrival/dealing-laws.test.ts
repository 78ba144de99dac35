import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadShape, Prompt } from '../core/index.ts';
import { Conversations } from './conversations.ts';
import { dealingAt } from './dealing.ts';
import type { Dealing } from './dealing.ts';
import { isDue } from './pacer.ts';
import type { PacerLimits } from './pacer.ts';
import { makePacer } from './pacers.ts';
import { isDealt } from './request-dealer.ts';
import type { DealtRequest, RequestDealer } from './request-dealer.ts';

const runs = { numRuns: process.env['LLMDYNO_LONG'] === '1' ? 3000 : 150 };
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

interface Asked {
  seq: number;
  place: number;
  dueMs: number;
  sentMs: number;
  endMs: number;
  promptId: string;
}
interface Game {
  load: LoadShape;
  limits: PacerLimits;
  /** Places that send the load together. */
  of: number;
  seed: number;
  /** Lengths of the conversations; null = every prompt is asked by itself. */
  turns: readonly number[] | null;
  /** How long answers take, and who is served first where several could be. */
  chance: readonly number[];
  stopAtMs?: number;
}
interface PlayedPlace {
  index: number;
  dealing: Dealing;
  dealer: RequestDealer;
  talks: Conversations | null;
  flights: { asked: Asked; request: DealtRequest }[];
  held: DealtRequest[];
  next: DealtRequest | null;
  untilMs: number;
  over: boolean;
}

const thinkMs = 7;
const talk = (number: number, turns: number, turn = 0): Prompt => ({
  id: `t${number}#${turn}`,
  messages: [],
  text: null,
  inputTokens: null,
  maxTokens: null,
  labels: {},
  thinkMs,
  turns: turns - turn,
  follow: () => (turn + 1 < turns ? talk(number, turns, turn + 1) : null),
});

/** Sends a load from some places in virtual time: what was asked, and the numbers that were planned and are not. */
function play({ load, limits, of, seed, turns, chance, stopAtMs = Infinity }: Game): {
  asked: Asked[];
  rest: number[];
} {
  const claimed = { requests: new Int32Array(1), conversations: new Int32Array(1) };
  const open = (number: number, dueMs: number | null) => {
    let turnsBefore = 0;
    for (let i = 0; i < number; i++) turnsBefore += turns![i % turns!.length]!;
    return { prompt: talk(number, turns![number % turns!.length]!), turnsBefore, dueMs };
  };
  const places = Array.from({ length: of }, (_, index): PlayedPlace => {
    const dealing = dealingAt({ index, of, claimed }, { load, limits, seed, conversations: turns !== null }, null);
    const talks = turns === null ? null : new Conversations({ load, limits, dealing, open });
    const state = { flights: [], held: [], next: null, untilMs: Infinity, over: false };
    return { index, dealing, dealer: talks ?? dealing.dealer, talks, ...state };
  });
  const asked: Asked[] = [];
  let [drawn, nowMs] = [0, 0];
  const draw = (below: number): number => chance[drawn++ % chance.length]! % below;
  const send = (place: PlayedPlace, request: DealtRequest): void => {
    const turn = request.turn ?? place.talks?.take(nowMs) ?? undefined;
    const promptId = turn?.prompt.id ?? `p${request.seq}`;
    const one = { seq: request.seq, place: place.index, dueMs: request.atMs, sentMs: nowMs, promptId };
    const told = { ...one, endMs: nowMs + 1 + draw(60) };
    asked.push(told);
    place.flights.push({ asked: told, request: { ...request, ...(turn !== undefined && { turn }) } });
  };
  const pump = (place: PlayedPlace): void => {
    place.untilMs = Infinity;
    const slot = (): boolean => place.flights.length < (place.dealing.slots() ?? Infinity);
    for (;;) {
      const inFlight = place.flights.length + place.held.length + (place.next === null ? 0 : 1);
      const view = { sent: 0, inFlight, nowMs };
      void place.talks?.prepare(view);
      if (place.held.length > 0 && slot()) {
        send(place, place.held.shift()!);
        continue;
      }
      if (place.next === null) {
        const dealt = place.over ? 'done' : place.dealer.next(view);
        place.over = dealt === 'done';
        if (!isDealt(dealt)) {
          if (typeof dealt !== 'string') place.untilMs = dealt.untilMs;
          return;
        }
        place.next = dealt;
      }
      if (place.next.atMs > nowMs) return;
      const { next } = place;
      place.next = null;
      if (slot() && place.held.length === 0) send(place, next);
      else place.held.push(next);
    }
  };
  for (;;) {
    for (let left = [...places]; left.length > 0;) pump(left.splice(draw(left.length), 1)[0]!);
    const eventMs = Math.min(
      ...places.flatMap(({ flights, next, untilMs }) => [
        ...flights.map((flight) => flight.asked.endMs),
        next?.atMs ?? untilMs,
      ]),
    );
    if (eventMs === Infinity || eventMs > stopAtMs) break;
    expect(eventMs).toBeGreaterThan(nowMs);
    nowMs = eventMs;
    for (const place of places) {
      const ended = place.flights.filter((flight) => flight.asked.endMs <= nowMs);
      place.flights = place.flights.filter((flight) => flight.asked.endMs > nowMs);
      for (const { asked: one, request } of ended)
        if (request.turn !== undefined)
          place.talks!.ended(request.turn, { text: '', reasoning: '', outputTokens: 1 }, one.endMs);
    }
  }
  const rest: number[] = [];
  for (const { talks, next, held, dealer } of places) {
    talks?.forget();
    rest.push(...held.map(({ seq }) => seq), ...(next === null ? [] : [next.seq]));
    for (let seq = dealer.rest(); seq !== null; seq = dealer.rest()) rest.push(seq);
  }
  return { asked, rest };
}

const from0 = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);
const ids = (asked: readonly Asked[]): string[] => asked.map(({ promptId }) => promptId).toSorted();
/** The most that were asked and not ended at one time. */
const mostAtOnce = (asked: readonly Asked[]): number =>
  Math.max(0, ...asked.map(({ sentMs }) => asked.filter((one) => one.sentMs <= sentMs && sentMs < one.endMs).length));

const loads = fc.oneof(
  fc
    .record({ concurrency: fc.integer({ min: 4, max: 9 }), rampMs: fc.constantFrom(0, 200) })
    .map((made) => closed(made.concurrency, made.rampMs)),
  fc.constantFrom(shape({}), shape({ concurrency: 6 }), shape({ arrival: { process: 'constant' } })),
  fc.constant(shape({ sessions: true, ratePerSec: 20 })),
);
const games = fc.record({
  load: loads,
  limits: fc.record({ requests: fc.integer({ min: 1, max: 80 }), durationMs: fc.constant(null) }),
  of: fc.integer({ min: 1, max: 4 }),
  seed: fc.integer({ min: 1, max: 1000 }),
  turns: fc.option(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 })),
  chance: fc.array(fc.nat(1000), { minLength: 20, maxLength: 60 }),
});

describe('requests dealt to several places', () => {
  test('each planned number is asked exactly once, or left as the rest when sending is stopped', () => {
    fc.assert(
      fc.property(games, fc.option(fc.integer({ min: 0, max: 1500 })), (game, stopAtMs) => {
        const { asked, rest } = play({ ...game, ...(stopAtMs !== null && { stopAtMs }) });
        expect(sorted([...asked.map(({ seq }) => seq), ...rest])).toEqual(from0(game.limits.requests));
        if (stopAtMs === null) expect(rest).toEqual([]);
      }),
      runs,
    );
  });

  test('a closed loop is never above its limit, users who think included, and a ramp opens slot k at k/N of its time', () => {
    fc.assert(
      fc.property(games, fc.integer({ min: 4, max: 9 }), fc.constantFrom(0, 200), (game, concurrency, rampMs) => {
        const { asked } = play({ ...game, load: closed(concurrency, rampMs) });
        expect(mostAtOnce(asked)).toBeLessThanOrEqual(concurrency);
        const begun = new Map<string, Asked>();
        for (const one of asked.toSorted((a, b) => a.sentMs - b.sentMs)) {
          const name = one.promptId.split('#')[0]!;
          begun.set(name, { ...(begun.get(name) ?? one), endMs: one.endMs });
        }
        expect(mostAtOnce([...begun.values()])).toBeLessThanOrEqual(concurrency);
        for (const { sentMs } of asked) {
          const open = rampMs === 0 ? concurrency : Math.floor((sentMs / rampMs) * concurrency + 1e-9) + 1;
          const there = asked.filter((one) => one.sentMs <= sentMs && sentMs < one.endMs).length;
          expect(there).toBeLessThanOrEqual(open);
        }
      }),
      runs,
    );
  });

  test('an open loop is due when its process says, whoever sends it', () => {
    fc.assert(
      fc.property(games, (game) => {
        const load = shape({});
        const { asked } = play({ ...game, load });
        const pacer = makePacer(load, game.limits, game.seed);
        const due = from0(game.limits.requests).map(() => {
          const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
          return isDue(pacing) ? pacing.atMs : Number.NaN;
        });
        expect(asked.toSorted((a, b) => a.seq - b.seq).map(({ dueMs }) => dueMs)).toEqual(due);
        for (const { seq, place } of asked) expect(place).toBe(seq % game.of);
      }),
      runs,
    );
  });

  test("a conversation is one place's, its turns come in order, each after the answer before it and the thinking", () => {
    fc.assert(
      fc.property(games, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }), (game, turns) => {
        const { asked } = play({ ...game, turns });
        const last = new Map<string, { turn: number; place: number; endMs: number }>();
        for (const { promptId, place, sentMs, endMs } of asked) {
          const [name, turn] = promptId.split('#') as [string, string];
          const before = last.get(name);
          expect(Number(turn)).toBe(before === undefined ? 0 : before.turn + 1);
          if (before !== undefined) {
            expect(place).toBe(before.place);
            expect(sentMs).toBeGreaterThanOrEqual(before.endMs + thinkMs);
          }
          last.set(name, { turn: Number(turn), place, endMs });
        }
      }),
      runs,
    );
  });

  test('what is asked is the same for one place, as in virtual time, and for several', () => {
    fc.assert(
      fc.property(games, (game) => {
        const { load, turns } = game;
        // At a rate of requests the answers decide which turn is ready.
        fc.pre(turns === null || load.kind === 'closed' || load.sessions === true);
        const [alone, together] = [1, game.of].map((of) => play({ ...game, of }).asked) as [Asked[], Asked[]];
        expect(ids(together)).toEqual(ids(alone));
        const begins = (asked: readonly Asked[]): number[] =>
          sorted(
            asked
              .filter(({ promptId }) => !promptId.includes('#') || promptId.endsWith('#0'))
              .map(({ dueMs }) => dueMs),
          );
        if (load.kind === 'open') expect(begins(together)).toEqual(begins(alone));
      }),
      runs,
    );
  });
});
