import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lastMs, restMs } from '../sim/index.ts';
import type { Emission, Step } from '../sim/index.ts';
import { Outgoing } from './outgoing.ts';
import type { Timing } from './outgoing.ts';

const step: Step = { startMs: 0, endMs: 100, batchSize: 1, prefillTokens: 0 };
const first = (id: number): Emission => ({ id, tokenIndex: 0, finished: false });
const last = (id: number): Emission => ({ id, tokenIndex: 7, finished: true });
const other = (id: number): Emission => ({ id, tokenIndex: 3, finished: false });
const only = (id: number): Emission => ({ id, tokenIndex: 0, finished: true });

/** Lateness by request. */
const timing = (lateMs: (id: number) => number, takesMs: Timing['takesMs'] = () => 0): Timing => ({
  lagMs: ({ id }) => lateMs(id),
  takesMs,
});

/** What leaves, in its order: when, and whose. */
function leaving(
  emissions: Emission[],
  late: Record<number, number> = {},
  takesMs?: Timing['takesMs'],
): [atMs: number, ids: number[]][] {
  const outgoing = new Outgoing();
  outgoing.add(
    emissions,
    step,
    100,
    timing((id) => late[id] ?? 0, takesMs),
  );
  const left: [number, number[]][] = [];
  for (let nowMs = outgoing.nextMs(0); nowMs < Infinity; nowMs = outgoing.nextMs(nowMs)) {
    expect(outgoing.take(nowMs - 1e-9)).toBeNull();
    left.push([nowMs, outgoing.take(nowMs)!.emissions.map(({ id }) => id)]);
  }
  return left;
}

it('first tokens leave when their step ends, last ones a moment later and the others another moment later', () => {
  expect(leaving([other(1), last(2), first(3), other(4), first(5)])).toEqual([
    [100, [3, 5]],
    [100 + lastMs, [2]],
    [100 + restMs, [1, 4]],
  ]);
});

it('a first token leaves as much later or earlier as it is told to, those of about one time at the median', () => {
  expect(leaving([first(1)], { 1: -0.75 })).toEqual([[99.25, [1]]]);
  expect(leaving([first(1), first(2), first(3), first(4)], { 1: 3, 2: 0.5, 3: 0.25, 4: -0.75 })).toEqual([
    [99.25, [4]],
    [100.375, [3, 2]],
    [103, [1]],
  ]);
  expect(leaving([first(1), first(2)], { 1: 3 })).toEqual([
    [100, [2]],
    [103, [1]],
  ]);
});

it('those that leave together are begun as much earlier as they are many, and nothing else is', () => {
  const halfEach = (tokens: number): number => tokens / 2;
  const batch = [first(1), first(2), first(3), last(4), last(5), other(6)];
  expect(leaving(batch, { 3: 3 }, halfEach)).toEqual([
    [99.75, [1, 2]],
    [99.75 + lastMs, [4, 5]],
    [100 + restMs, [6]],
    [103, [3]],
  ]);
});

it('where many are due quicker than they can be written half of them leave too early, and half too late', () => {
  // Of 40 one is due each tenth of a millisecond, and writing it takes two.
  const batch = Array.from({ length: 40 }, (_, id) => first(id));
  const late = Object.fromEntries(batch.map(({ id }) => [id, id / 10]));
  const begun = leaving(batch, late, (tokens) => tokens / 5);
  let untilMs = -Infinity;
  const errors = begun.flatMap(([atMs, ids]) =>
    ids.map((id, i) => {
      if (i === 0) untilMs = Math.max(untilMs, atMs);
      const error = untilMs - (100 + id / 10);
      untilMs += 0.2;
      return error;
    }),
  );
  const inOrder = errors.toSorted((a, b) => a - b);
  expect(errors.findIndex((error) => error > 0)).toBeGreaterThan(15);
  expect(Math.abs(inOrder[20]!)).toBeLessThan(0.3);
  // All of them written at once, from the first one's time on, the last would be 4 ms late.
  expect(inOrder.at(-1)).toBeLessThan(2.5);
});

it('those that can be written one by one are not hurried: they leave as far apart as they are due', () => {
  const late = Object.fromEntries(Array.from({ length: 40 }, (_, id) => [id, id]));
  const batch = Array.from({ length: 40 }, (_, id) => first(id));
  expect(leaving(batch, late, (tokens) => tokens / 5)).toEqual(batch.map(({ id }) => [100 + id, [id]]));
});

it('an answer of one token ends with it, and that leaves as late as both say', () => {
  expect(leaving([only(1)], { 1: 0.25 })).toEqual([[100.25 + lastMs, [1]]]);
});

it('between slices of a large batch what has become urgent goes first, and no slice is begun shortly before it', () => {
  const outgoing = new Outgoing();
  const batch = Array.from({ length: 20 }, (_, id) => other(id));
  outgoing.add(
    [...batch, first(99)],
    step,
    100,
    timing((id) => (id === 99 ? restMs + 0.75 : 0)),
  );
  const leave = (nowMs: number): number[] | undefined => outgoing.take(nowMs)?.emissions.map(({ id }) => id);
  const beganMs = 100 + restMs;
  expect(leave(beganMs)).toHaveLength(8);
  expect(leave(beganMs + 0.5)).toBeUndefined();
  expect(outgoing.nextMs(beganMs + 0.5)).toBe(beganMs + 0.75);
  expect(leave(beganMs + 0.75)).toEqual([99]);
  expect(leave(beganMs + 0.75)).toHaveLength(8);
  expect(leave(beganMs + 0.75)).toHaveLength(4);
  expect(outgoing.take(Infinity)).toBeNull();
});

it('every token leaves once, and says how many its step made', () => {
  const tokens = fc.array(fc.constantFrom(first, last, other, only), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(tokens, fc.array(fc.integer({ min: -1000, max: 3000 }), { minLength: 60, maxLength: 60 }), (of, us) => {
      const outgoing = new Outgoing();
      outgoing.add(
        of.map((make, id) => make(id)),
        step,
        100,
        timing((id) => us[id]! / 1000),
      );
      const left: number[] = [];
      for (let parcel = outgoing.take(Infinity); parcel !== null; parcel = outgoing.take(Infinity)) {
        expect(parcel.tokens).toBe(of.length);
        left.push(...parcel.emissions.map(({ id }) => id));
      }
      expect(left.toSorted((a, b) => a - b)).toEqual(of.map((_, id) => id));
    }),
  );
});

it('tokens of a request leave in their order, however late each of them is', () => {
  const lateUs = fc.array(fc.integer({ min: -900, max: 40_000 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(lateUs, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 30 }), (all, stepMs) => {
      const outgoing = new Outgoing();
      const left = all.map((): number[] => []);
      const takeUntil = (untilMs: number): void => {
        for (let parcel = outgoing.take(untilMs); parcel !== null; parcel = outgoing.take(untilMs))
          for (const { id, tokenIndex } of parcel.emissions) left[id]!.push(tokenIndex);
      };
      for (let tokenIndex = 0; tokenIndex < 8; tokenIndex++) {
        const endMs = 100 + tokenIndex * stepMs;
        takeUntil(endMs);
        const made = all.flatMap((late, id) =>
          tokenIndex < late.length ? [{ id, tokenIndex, finished: tokenIndex + 1 === late.length }] : [],
        );
        const ended = { ...step, endMs };
        outgoing.add(
          made,
          ended,
          endMs,
          timing((id) => all[id]![tokenIndex]! / 1000),
        );
      }
      takeUntil(Infinity);
      expect(left).toEqual(all.map((late) => late.map((_, i) => i)));
    }),
  );
});

it('nothing leaves of a request that is dropped', () => {
  const outgoing = new Outgoing();
  outgoing.add(
    [other(1), other(2), last(3), first(4)],
    step,
    100,
    timing(() => 0),
  );
  for (const id of [1, 3, 4]) outgoing.drop(id);
  expect(outgoing.take(Infinity)!.emissions.map(({ id }) => id)).toEqual([2]);
  expect(outgoing.nextMs(0)).toBe(Infinity);
});
