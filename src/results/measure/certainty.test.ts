import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import { exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { standingOf } from './certainty.ts';
import { makeMeter } from './meter.ts';
import { parseSlo } from './slo.ts';
import { summarise } from './summarise.ts';
import { makeTrace } from './trace.ts';

const load = { kind: 'closed', concurrency: 1 } as const;

/** Requests one after the other, with these latencies. */
function played(latencies: readonly number[]) {
  const meter = makeMeter({ load, stream: true });
  const trace = makeTrace(load);
  let at = 0;
  for (const [seq, ms] of latencies.entries()) {
    const one = exchange({
      seq,
      dueMs: at,
      sentMs: at,
      chunks: { atMs: [at + ms / 2], tokens: [1], kinds: 'a' },
      endMs: at + ms,
    });
    meter.add(one);
    trace.add(one);
    at += ms;
  }
  const asked = { ...load, ratePerSec: null, stream: true };
  return { trace, summary: summarise(meter, { runId: 'r', simulated: true, load: asked, planned: latencies.length }) };
}

function says(promise: string, latencies: readonly number[]) {
  const { summary, trace } = played(latencies);
  return standingOf(parseSlo(promise), summary, trace);
}

const flat = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms);

describe('how sure a run is of a limit', () => {
  test('p99 of 100 requests that all keep it is not sure, and 299 would do: 0.99^299 is the first below 5 %', () => {
    expect(says('latency.p99<20ms', flat(100, 10))).toMatchObject({ state: 'unsure' });
    const { needs } = says('latency.p99<20ms', flat(100, 10));
    expect(needs).toBeGreaterThan(295);
    expect(needs).toBeLessThan(305);
    // The steady part of so many one after the other has 318 of them.
    expect(says('latency.p99<20ms', flat(320, 10)).state).toBe('kept');
  });
  test('what every request breaks is broken for sure after few of them', () => {
    expect(says('latency.p50<5ms', flat(10, 10)).state).toBe('broken');
    expect(says('latency.mean<5ms', flat(10, 10)).state).toBe('broken');
  });
  test('what is said of each request, and a largest value, are facts', () => {
    expect(says('latency<9ms', [...flat(9, 1), 10])).toEqual({ state: 'broken', measured: 10, needs: null });
    expect(says('latency.max<11ms', flat(3, 10)).state).toBe('kept');
  });
  test('a share that nobody failed is sure below 1 % from 299 requests on', () => {
    expect(says('failed<1%', flat(100, 10))).toMatchObject({ state: 'unsure', measured: 0 });
    expect(says('failed<1%', flat(300, 10)).state).toBe('kept');
  });
  test('without requests nothing but facts is sure, and what is not known is unknown', () => {
    const { summary } = played(flat(1000, 10));
    expect(standingOf(parseSlo('latency.p50<20ms'), summary, null)).toMatchObject({ state: 'unsure', needs: null });
    expect(standingOf(parseSlo('latency.max<20ms'), summary, null).state).toBe('kept');
    expect(
      standingOf(parseSlo('ttft.p97<20ms'.replace('97', '99')), { ...summary, ttftMs: null, steady: null }, null).state,
    ).toBe('unknown');
  });
  test('law: at the limit itself, a sure word is wrong in at most 5 % a side (200 runs of independent requests)', () => {
    const wrong = { kept: 0, broken: 0 };
    const runs = 200;
    for (let run = 0; run < runs; run++) {
      const stream = randomStream(run, 'latency');
      // Uniform between 5 and 15 ms: the true p90 is 14 ms.
      const { state } = says(
        'latency.p90<14ms',
        Array.from({ length: 200 }, () => 5 + 10 * stream.next()),
      );
      if (state === 'kept' || state === 'broken') wrong[state] += 1;
    }
    // 5 % of 200 are 10; 3.3 standard errors above it.
    expect(Math.max(wrong.kept, wrong.broken)).toBeLessThanOrEqual(20);
  });
});
