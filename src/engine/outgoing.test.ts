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

const timing = (lateMs: Timing['lateMs'], aheadMs: Timing['aheadMs'] = () => 0): Timing => ({ lateMs, aheadMs });

/** What leaves, in its order: when, and whose. */
function leaving(
  emissions: Emission[],
  late: Record<number, number> = {},
  aheadMs?: Timing['aheadMs'],
): [atMs: number, ids: number[]][] {
  const outgoing = new Outgoing();
  outgoing.add(
    emissions,
    step,
    100,
    timing((id) => late[id] ?? 0, aheadMs),
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
  const early = (tokens: number): number => (tokens - 1) / 4;
  const batch = [first(1), first(2), first(3), last(4), last(5), other(6)];
  expect(leaving(batch, { 3: 3 }, early)).toEqual([
    [99.75, [1, 2]],
    [99.75 + lastMs, [4, 5]],
    [100 + restMs, [6]],
    [103, [3]],
  ]);
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
    timing(() => restMs + 0.75),
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
