import { describe, expect, test } from 'vitest';
import type { Arrival, LoadShape } from '../../core/index.ts';
import { dueUnder, isDue, makePacer, rateAt } from './index.ts';
import { RequestQueue } from './request-queue.ts';
import type { DueRequest } from './request-queue.ts';
import { requestSourceAt } from './request-source.ts';

// Ten a second from 1000 ms on, four of them, one slot.
const tens: LoadShape = {
  kind: 'open',
  concurrency: 1,
  ratePerSec: 10,
  arrival: { process: 'constant' },
  dropLate: false,
};

function queueOf(change: Partial<LoadShape> = {}, maySend?: () => boolean) {
  const load = { ...tens, ...change };
  const limits = { requests: 4, durationMs: null };
  const claimed = { requests: new Int32Array(1), conversations: new Int32Array(1) };
  const source = requestSourceAt({ index: 0, of: 1, claimed }, { load, limits, seed: 1, conversations: false }, null);
  const dropped: DueRequest[] = [];
  const queue = new RequestQueue({
    load,
    limits,
    requestSource: maySend === undefined ? source : { ...source, maySend, slots: () => source.slots() },
    open: null,
    dropped: (request) => dropped.push(request),
  });
  queue.originMs = 1000;
  return { queue, dropped };
}

const request = (seq: number) => ({ seq, dueMs: 1000 + 100 * seq, turn: null });

describe('requests at a rate, with one slot', () => {
  test('leave at their time; those that come due while it is taken are held in their order, and leave when it is free', () => {
    const { queue } = queueOf();
    expect(queue.upcoming).toBeNull();
    expect(queue.next(500, 0)).toEqual({ untilMs: 1000 });
    expect([queue.upcoming, queue.reserved, queue.due, queue.isOver]).toEqual([request(0), 1, 0, false]);
    expect(queue.next(1000, 0)).toEqual(request(0));
    expect(queue.next(1100, 1)).toBe('again');
    expect([queue.reserved, queue.due]).toEqual([1, 2]);
    expect(queue.next(1150, 1)).toEqual({ untilMs: 1200 });
    // One is held: which is next is known when it has gone.
    expect([queue.upcoming, queue.reserved]).toEqual([null, 2]);
    expect(queue.next(1160, 0)).toEqual(request(1));
    expect(queue.upcoming).toEqual(request(2));
    expect([queue.next(1200, 1), queue.next(1300, 1), queue.next(1301, 1)]).toEqual(['again', 'again', 'done']);
    expect([queue.isOver, queue.due]).toEqual([false, 4]);
    expect([queue.next(1310, 0), queue.next(1320, 0), queue.next(1330, 0)]).toEqual([request(2), request(3), 'done']);
    expect(queue.isOver).toBe(true);
  });

  test('or are dropped, where the load says so', () => {
    const { queue, dropped } = queueOf({ dropLate: true });
    expect([queue.next(1000, 0), queue.next(1100, 1), queue.next(1110, 0)]).toEqual([
      request(0),
      'again',
      { untilMs: 1200 },
    ]);
    expect([dropped, queue.due]).toEqual([[request(1)], 2]);
  });

  test('that are stopped are told of each: those held with their time, those of the count that never came due without', () => {
    const { queue } = queueOf();
    const moves = [queue.next(1000, 0), queue.next(1100, 1), queue.next(1150, 1)];
    expect(moves).toEqual([request(0), 'again', { untilMs: 1200 }]);
    const unsent: [number, number | null][] = [];
    queue.stop((seq, dueMs) => unsent.push([seq, dueMs]));
    expect(unsent).toEqual([
      [1, 1100],
      [2, null],
      [3, null],
    ]);
    expect([queue.due, queue.isOver, queue.upcoming, queue.next(2000, 0)]).toEqual([4, true, null, 'done']);
  });

  test('wait a tenth of a second where the place may not send, and no longer once all are dealt out', () => {
    let may = false;
    const { queue } = queueOf({}, () => may);
    expect(queue.next(1000, 0)).toEqual({ untilMs: 1100 });
    may = true;
    expect(queue.next(1000, 0)).toEqual(request(0));
    expect([1400, 1400, 1400, 1400].map((at) => queue.next(at, 1))).toEqual(['again', 'again', 'again', 'done']);
    may = false;
    expect(queue.next(1500, 0)).toEqual(request(1));
  });
});

test('a seed gives the same due times in every version', () => {
  const first = (arrival: Arrival): number[] => {
    const load: LoadShape = { ...tens, concurrency: null, arrival };
    const pacer = makePacer(load, { requests: 4, durationMs: null }, 7);
    return Array.from({ length: 4 }, () => {
      const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
      return isDue(pacing) ? Math.round(pacing.atMs * 1000) / 1000 : NaN;
    });
  };
  expect([
    first({ process: 'poisson' }),
    first({ process: 'uniform' }),
    first({ process: 'gamma', shape: 0.5 }),
    first({ process: 'gamma', shape: 3 }),
  ]).toEqual([
    [120.672, 122.253, 133.834, 142.12],
    [59.835, 256.699, 434.827, 618.924],
    [637.145, 834.327, 843.655, 896.143],
    [202.392, 315.329, 445.379, 510.789],
  ]);
});

test('with a ramp each machine opens its own slots at their times', () => {
  // Of four slots over 400 ms the second machine of two has those that open at 100 and 300 ms.
  const load: LoadShape = {
    ...tens,
    kind: 'closed',
    concurrency: 4,
    ratePerSec: null,
    arrival: { process: 'closed' },
    rampMs: 400,
  };
  const part = () => ({ index: 1, of: 2, slots: 2 });
  const pacer = makePacer(load, { requests: null, durationMs: null }, 1, part);
  const at = (nowMs: number, inFlight: number) => pacer.next({ sent: 0, inFlight, nowMs });
  expect([at(0, 0), at(99, 0), at(120, 0)]).toEqual([{ untilMs: 100 }, { untilMs: 100 }, { atMs: 100 }]);
  expect([at(130, 1), at(350, 1), at(360, 2), at(400, 1)]).toEqual([
    { untilMs: 300 },
    { atMs: 300 },
    'wait',
    { atMs: 400 },
  ]);
});

test('where one stage of a rate ends the next one begins, in its rate and in what has come due', () => {
  const shape = {
    kind: 'stages',
    stages: [
      // Exponentially from 1 to 4 a second over 10 s: 30 / ln 4 = 21.6404 asks; then 2 a second for 5 s; then from 2 to 6 over 10 s.
      { fromPerSec: 1, toPerSec: 4, forMs: 10_000, curve: 'exponential' },
      { fromPerSec: 2, toPerSec: 2, forMs: 5000, curve: 'linear' },
      { fromPerSec: 2, toPerSec: 6, forMs: 10_000, curve: 'linear' },
    ],
  } as const;
  expect(
    [0, 5000, 9999.9999, 10_000, 14_999.9999, 15_000, 20_000, 25_000, 99_000].map((at) => rateAt(shape, at)),
  ).toEqual([1, 2, 4, 2, 2, 2, 4, 6, 6].map((rate) => expect.closeTo(rate, 4) as number));
  const due = dueUnder(shape);
  const first = 30 / Math.log(4);
  // The last stage holds 40: after 15 of them 5 s have gone, and at its end it goes on with 6 a second.
  expect([0, first + 4, first + 10, first + 25, first + 50, first + 56].map(due)).toEqual(
    [0, 12_000, 15_000, 20_000, 25_000, 26_000].map((ms) => expect.closeTo(ms, 4) as number),
  );
});
