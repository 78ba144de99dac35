import { describe, expect, test } from 'vitest';
import { fixture } from '../../../test/imported.ts';
import { handedOver, importJson, joinFiles } from '../index.ts';
import { courseOf, failureOf } from './request-course.ts';
import type { RequestTimes } from './request-course.ts';

/** What vLLM's --save-detailed tells of an open loop on a server with `slots` places that takes `serviceSec` for each. */
function detailed(perSec: number, forSec: number, slots: number, serviceSec: number, more: object = {}): string {
  const free = Array.from({ length: slots }, () => 0);
  const [starts, ttfts, itls]: [number[], number[], number[][]] = [[], [], []];
  for (let at = 0; at < forSec; at += 1 / perSec) {
    const slot = free.indexOf(Math.min(...free));
    const begun = Math.max(at, free[slot]!);
    free[slot] = begun + serviceSec;
    // The clock of its client begins anywhere.
    starts.push(777_000 + at);
    ttfts.push(begun + serviceSec / 10 - at);
    itls.push(Array.from({ length: 9 }, () => serviceSec / 10));
  }
  const n = starts.length;
  return JSON.stringify({
    completed: n,
    request_rate: perSec,
    request_throughput: n / forSec,
    duration: forSec,
    output_lens: starts.map(() => 10),
    errors: starts.map(() => ''),
    start_times: starts,
    ttfts,
    itls,
    ...more,
  });
}
const pointOf = (text: string) => joinFiles([importJson(text, 'a.json')]).sweeps[0]!.points[0]!;

describe('imports that tell the times of each request', () => {
  test("vLLM's --save-detailed of an overloaded server is overloaded, and of one that keeps up stable", () => {
    // 20 places of half a second take 40 a second.
    expect(pointOf(detailed(60, 60, 20, 0.5)).flow).toMatchObject({ state: 'overloaded' });
    expect(pointOf(detailed(30, 60, 20, 0.5)).flow).toMatchObject({ state: 'stable' });
  });
  test('a closed loop is read as one, and a file without lists says nothing', () => {
    const closed = { request_rate: 'inf', max_concurrency: 20 };
    expect(pointOf(detailed(30, 60, 20, 0.5, closed)).flow).toMatchObject({ state: 'stable', pilingRatio: null });
    expect(pointOf(detailed(60, 60, 20, 0.5, { itls: undefined }))).not.toHaveProperty('flow');
  });
  test('a file that vLLM wrote itself is read without a doubt about its server', () => {
    const point = pointOf(fixture('vllm/open-detailed.json'));
    expect(point.flow!.state).not.toBe('overloaded');
    expect(point.silences).toBeUndefined();
  });
  test('what was read in another thread is the same', () => {
    const read = importJson(detailed(60, 20, 20, 0.5), 'a.json');
    const other = handedOver(structuredClone(read));
    expect(joinFiles([other])).toEqual(joinFiles([read]));
  });
});

test('a silence of all requests, and a server that went away by the words of another client', () => {
  const still = (ms: number): number => (ms < 3000 ? ms : ms + 4000);
  const streams = Array.from({ length: 40 }, (_, i): RequestTimes => {
    const sentMs = 777_000 + Math.floor(i / 4) * 600;
    const heardMs = Array.from({ length: 6 }, (_each, n) => 777_000 + still(sentMs - 777_000 + 100 * (n + 1)));
    return { sentMs: 777_000 + still(sentMs - 777_000), heardMs, endMs: heardMs.at(-1)!, failure: null };
  });
  expect(courseOf(streams, 'closed').silences).toMatchObject([{ waiting: 4, back: true }]);
  const last = Math.max(...streams.map(({ endMs }) => endMs));
  const failure = failureOf('Cannot connect to host 127.0.0.1:8000 ssl:default [Connect call failed]');
  const refused = Array.from({ length: 9 }, (): RequestTimes => ({
    sentMs: last + 5,
    heardMs: [],
    endMs: last + 6,
    failure,
  }));
  expect(courseOf([...streams, ...refused], 'closed').silences!.at(-1)).toMatchObject({ back: false, lost: 9 });
});
