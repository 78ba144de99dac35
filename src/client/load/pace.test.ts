import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

test('a quarter of the time goes into the work, also where timers come late', () => {
  for (const lateMs of [0, 0.7, 1.5]) {
    const pace = new Pace();
    let nowMs = 0;
    let workedMs = 0;
    while (nowMs < 1000) {
      const restMs = pace.restMs(nowMs);
      if (restMs > 0) nowMs += restMs + lateMs;
      pace.begin(nowMs);
      nowMs += 0.1;
      workedMs += 0.1;
      pace.end(nowMs);
    }
    expect(workedMs / nowMs).toBeCloseTo(0.25, 2);
  }
});

test('what was not used for long is not made up for', () => {
  const pace = new Pace();
  pace.begin(0);
  pace.end(1);
  expect(pace.restMs(1)).toBe(1);
  pace.begin(1000);
  pace.end(1001);
  expect(pace.restMs(1001)).toBe(1);
});
