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

/** What guidellm keeps of each request: when it was sent, its first and last token, and how many. */
function guidellm(
  requests: readonly [sentSec: number, firstSec: number, lastSec: number, tokens: number][],
  more = {},
): string {
  const successful = requests.map(([sent, first, last, tokens]) => ({
    info: {
      status: 'completed',
      error: null,
      timings: {
        request_start: sent,
        first_token_iteration: first,
        last_token_iteration: last,
        request_end: last,
        request_iterations: tokens + 3,
      },
    },
    prompt_tokens: 64,
    output_tokens: tokens,
    output_metrics: { text_characters: 3 * tokens },
    ...more,
  }));
  const totals = { successful: successful.length, errored: 0, incomplete: 0, total: successful.length };
  return JSON.stringify({
    benchmarks: [
      {
        config: { strategy: { type_: 'concurrent', streams: 4 } },
        metrics: { request_totals: totals },
        requests: { successful, errored: [], incomplete: [] },
      },
    ],
  });
}
/** A closed loop of four answers of `tokens` each; `at` moves what happens after a moment. */
const fours = (tokens: number, perTokenSec: number, at = (sec: number) => sec): Parameters<typeof guidellm>[0] =>
  Array.from({ length: 80 }, (_, i) => {
    const took = 0.1 + tokens * perTokenSec;
    const sent = Math.floor(i / 4) * took + (i % 4) * 0.01;
    return [at(sent), at(sent + 0.1), at(sent + took), tokens] as const;
  }).map(([sent, first, last, n]) => [sent, first, last, n]);

describe("guidellm's requests, of which the first and the last token are known", () => {
  test('a real vLLM that was stopped from 5.0 s to 11.0 s: silent then, four waiting, and nothing else', () => {
    const point = pointOf(fixture('guidellm/requests.json'));
    expect(point.flow!.state).toBe('stable');
    expect(point.impossibleCounts).toBeUndefined();
    const [silence, ...more] = point.silences!;
    expect(more).toEqual([]);
    expect(silence).toMatchObject({ waiting: 4, lost: 0, back: true });
    expect(Math.abs(silence!.fromMs - 5000)).toBeLessThan(200);
    // It is over with the next answer that ends, because no token before it is known.
    expect(silence!.toMs).toBeGreaterThan(10_900);
    expect(silence!.toMs).toBeLessThan(11_800);
  });
  test('streams that a stop lies in are slower than the others; long answers that begin and end together are not', () => {
    const stopped = (sec: number): number => (sec < 3 ? sec : sec + 4);
    expect(pointOf(guidellm(fours(20, 0.05, stopped))).silences).toMatchObject([{ waiting: 4, back: true }]);
    expect(pointOf(guidellm(fours(20, 0.05))).silences).toBeUndefined();
    // One round of four long answers after many short ones: nothing is known of what came in between.
    const long = fours(20, 0.05).map((one, i) => (i < 76 ? one : ([one[0], one[1], one[1] + 10, 200] as const)));
    expect(pointOf(guidellm(long.map(([a, b, c, n]) => [a, b, c, n]))).silences).toBeUndefined();
  });
  test('counts that cannot be leave no figure per token', () => {
    const point = pointOf(guidellm(fours(20, 0.05), { output_tokens: 5000, output_metrics: { text_characters: 40 } }));
    expect([point.impossibleCounts, point.tpotMs, point.outputTokens]).toEqual([80, null, null]);
  });
  test('a sample of its requests says nothing of how many were under way', () => {
    const sampled = JSON.parse(guidellm(fours(20, 0.05)));
    sampled.benchmarks[0].metrics.request_totals.total = 81;
    expect(pointOf(JSON.stringify(sampled))).not.toHaveProperty('flow');
  });
});

test("vLLM's --save-detailed with texts: counts that cannot be, and answers without text, are told", () => {
  const texts = (text: string): object => {
    const n = (JSON.parse(detailed(30, 10, 20, 0.5)) as { start_times: [] }).start_times.length;
    return {
      generated_texts: Array.from({ length: n }, (_, i) => (i === 0 ? 'x' : text)),
      input_lens: Array(n).fill(5),
    };
  };
  expect(pointOf(detailed(30, 10, 20, 0.5, texts('a b c d e'))).impossibleCounts).toBeUndefined();
  const n = pointOf(detailed(30, 10, 20, 0.5)).counts.ok;
  const lying = { ...texts('ab'), output_lens: Array(n).fill(1000) };
  expect(pointOf(detailed(30, 10, 20, 0.5, lying)).impossibleCounts).toBe(n);
  expect(pointOf(detailed(30, 10, 20, 0.5, texts(''))).textlessAnswers).toBe(n - 1);
  // A file whose texts were left out says nothing.
  const empty = { ...texts(''), generated_texts: Array(n).fill('') };
  expect(pointOf(detailed(30, 10, 20, 0.5, empty)).textlessAnswers).toBeUndefined();
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
