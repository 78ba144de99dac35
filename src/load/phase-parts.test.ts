import { expect, test } from 'vitest';
import type { RunPlan } from '../core/index.ts';
import { waysOf } from './phase-parts.ts';
import type { PlanWays } from './phase-parts.ts';

function ways(target: Partial<RunPlan['target']>, load: Partial<RunPlan['load']>): PlanWays {
  const plan = { target, load: { kind: 'open', concurrency: null, ratePerSec: null, ...load } } as RunPlan;
  return waysOf(plan, { requests: 1, durationMs: null });
}
const givesWay = (url: string, load: Partial<RunPlan['load']>): boolean => ways({ url }, load).givesWay;

test('a client gives way to a server on its own host, in open loops of a light load only', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
    expect(givesWay(`http://${host}:8000/v1`, { ratePerSec: 20 })).toBe(true);
  for (const host of ['10.0.0.5', 'localhost.example.org', '127.example.org', 'gpu1'])
    expect(givesWay(`http://${host}:8000/v1`, { ratePerSec: 20 })).toBe(false);
  expect(givesWay('http://localhost:8000/v1', { ratePerSec: 5000 })).toBe(false);
  expect(givesWay('http://localhost:8000/v1', { ratePerSec: 20, concurrency: 500 })).toBe(false);
  expect(givesWay('http://localhost:8000/v1', { kind: 'closed', concurrency: 20 })).toBe(false);
});
