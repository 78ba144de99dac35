import { expect, test } from 'vitest';
import { PreciseTimer } from './precise-timer.ts';
import { startClock } from './run-clock.ts';

test('an alarm never rings before its time', async () => {
  const clock = startClock();
  const due = [5, 10, 15].map((ms) => clock.nowMs() + ms);
  const lateMs: number[] = [];
  await new Promise<void>((resolve) => {
    const ring = (): void => {
      lateMs.push(clock.nowMs() - due[lateMs.length]!);
      if (lateMs.length === due.length) resolve();
      else alarm.set(due[lateMs.length]!);
    };
    const alarm = new PreciseTimer(clock, ring);
    alarm.set(due[0]!);
  });
  expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
});
