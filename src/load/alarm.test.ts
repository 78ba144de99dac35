import { afterEach, expect, test, vi } from 'vitest';
import { Alarm } from './alarm.ts';
import { startClock } from './run-clock.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Rings at the moments given, one after the other, and says when it rang and how often the processor was given away. */
async function rings(inMs: readonly number[], givesWay: boolean): Promise<{ lateMs: number[]; given: number[] }> {
  const wait = vi.spyOn(Atomics, 'wait');
  const clock = startClock();
  const due = inMs.map((ms) => clock.nowMs() + ms);
  const lateMs: number[] = [];
  await new Promise<void>((resolve) => {
    const ring = (): void => {
      lateMs.push(clock.nowMs() - due[lateMs.length]!);
      if (lateMs.length === due.length) resolve();
      else alarm.set(due[lateMs.length]!);
    };
    const alarm = new Alarm(clock, ring, givesWay);
    alarm.set(due[0]!);
  });
  return { lateMs, given: wait.mock.calls.map(([, , , ms]) => ms!) };
}

test('an alarm never rings before its time', async () => {
  for (const givesWay of [true, false]) {
    const { lateMs } = await rings([5, 10, 15], givesWay);
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
  }
});

test('one that gives way sleeps once after each ring, for less than a step takes', async () => {
  const { given } = await rings([5, 1000], true);
  expect(given).toHaveLength(2);
  expect(Math.max(...given)).toBeLessThanOrEqual(0.1);
});

test('it does not where the next ring is near, and another one never does', async () => {
  // The second is overdue when the first has rung.
  expect((await rings([5, 5], true)).given.length).toBeLessThan(2);
  vi.restoreAllMocks();
  expect((await rings([5, 40], false)).given).toEqual([]);
});
