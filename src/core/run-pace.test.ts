import { expect, test } from 'vitest';
import { paceKeeper, remainingMs } from './run-pace.ts';
import type { RunState } from './runner.ts';

function state(nowMs: number, more: Partial<RunState> = {}): RunState {
  return { nowMs, due: 0, sent: 0, inFlight: 4, ok: 0, failed: 0, ...more };
}

test('tokens per second are those of the last three seconds, and fall to nothing when nothing comes', () => {
  const keeper = paceKeeper();
  const rates = [];
  for (let sec = 0; sec <= 10; sec++) {
    const heard = Math.min(sec, 4);
    const told = state(sec * 1000, { heardMs: heard * 1000, heardTokens: heard * 50, ok: heard });
    rates.push(keeper.saw(told).tokensPerSec);
  }
  expect(rates).toEqual([null, 50, 50, 50, 50, 100 / 3, 50 / 3, 0, 0, 0, 0]);
});

test('silence is told while answers are waited for, and from the first byte on that does not come', () => {
  const keeper = paceKeeper();
  expect(keeper.saw(state(500, { heardMs: null })).silentMs).toBe(0);
  for (const nowMs of [1500, 2500, 5500])
    expect(keeper.saw(state(nowMs, { heardMs: null })).silentMs).toBe(nowMs - 500);
  expect(keeper.saw(state(6000, { heardMs: 5900 }))).toMatchObject({ silentMs: 100, isSilent: false });
  expect(keeper.saw(state(7000, { heardMs: 5900 }))).toMatchObject({ silentMs: 1100, isSilent: true });
  expect(keeper.saw(state(8000, { heardMs: 5900, inFlight: 0 }))).toMatchObject({ silentMs: null, isSilent: false });
  // After a rest it counts from the next request on.
  expect(keeper.saw(state(8500, { heardMs: 5900 })).silentMs).toBe(0);
  expect(keeper.saw(state(9000))).toMatchObject({ silentMs: null, tokensPerSec: null });
});

test('a state that is told again changes nothing, and that of a new run begins anew', () => {
  const keeper = paceKeeper();
  keeper.saw(state(1000, { ok: 1 }));
  keeper.saw(state(2000, { ok: 3 }));
  expect(keeper.saw(state(2000, { ok: 3 })).requestsPerSec).toBe(2);
  expect(keeper.saw(state(100, { ok: 0 })).requestsPerSec).toBeNull();
});

test('no time is left to tell while nothing moves', () => {
  expect(remainingMs(10_000, 0.5, { isSilent: false })).toBe(10_000);
  expect(remainingMs(10_000, 0.5, { isSilent: true })).toBeNull();
  expect(remainingMs(10_000, 0.01, { isSilent: false })).toBeNull();
  expect(remainingMs(10_000, 1, { isSilent: false })).toBeNull();
});

test('what ended is what was answered or failed, over the seconds that were looked at; nothing known is no number', () => {
  const keeper = paceKeeper();
  expect(keeper.saw(state(0, { ok: 5, failed: 1 })).requestsPerSec).toBeNull();
  expect(keeper.saw(state(2000, { ok: 8, failed: 2, heardTokens: 9 }))).toMatchObject({
    requestsPerSec: 2,
    tokensPerSec: null,
    silentMs: null,
    isSilent: false,
  });
  // Exactly three seconds suffice; what is older is forgotten.
  keeper.saw(state(3000, { ok: 12, failed: 2 }));
  expect(keeper.saw(state(5000, { ok: 18, failed: 3 })).requestsPerSec).toBeCloseTo(11 / 3, 12);
});

test('a second without a word is silence, and what was heard before anybody waited does not count', () => {
  const keeper = paceKeeper();
  keeper.saw(state(1000, { heardMs: 1000 }));
  expect(keeper.saw(state(1999, { heardMs: 1000 })).isSilent).toBe(false);
  expect(keeper.saw(state(2000, { heardMs: 1000 })).isSilent).toBe(true);
  // Heard a moment after the state's own clock was read.
  expect(keeper.saw(state(2100, { heardMs: 2101 })).silentMs).toBe(0);
});

test('the time left is that of the share left at the pace so far, from two parts in a hundred on', () => {
  const left = (elapsedMs: number, doneRatio: number): number | null =>
    remainingMs(elapsedMs, doneRatio, { isSilent: false });
  expect([left(1000, 0.25), left(1000, 0.02), left(1000, 1.5), left(0, 0.5), left(-1, 0.5)]).toEqual([
    3000,
    null,
    null,
    null,
    null,
  ]);
  expect(left(1000, 0.04)).toBeCloseTo(24_000, 9);
  expect(left(1, 0.5)).toBe(1);
});
