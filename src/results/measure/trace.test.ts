import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../core/index.ts';
import { makeMeter } from './meter.ts';
import { makeTrace } from './trace.ts';
import { cdfOf, requestSpans, timelineOf } from './timeline.ts';

function exchange(
  seq: number,
  sentMs: number,
  reads: readonly (readonly [number, number])[],
  endMs: number,
  server: number | null,
): Exchange {
  return {
    seq,
    promptId: `p${seq}`,
    labels: {},
    warmup: false,
    dueMs: sentMs,
    sentMs,
    connectMs: null,
    firstByteMs: sentMs,
    chunks: {
      atMs: reads.map(([at]) => at),
      tokens: reads.map(([, tokens]) => tokens),
      kinds: 'a'.repeat(reads.length),
    },
    endMs,
    inputTokens: { planned: null, server: 10, client: null },
    outputTokens: { planned: null, server, client: null },
    cachedTokens: null,
    reasoningTokens: null,
    inputChars: 1,
    outputChars: 1,
    finish: 'stop',
    httpStatus: 200,
    attempts: 1,
    outcome: 'ok',
    problem: null,
  };
}

const anyExchange = fc
  .record({
    sentMs: fc.integer({ min: 0, max: 5000 }),
    gaps: fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 4 })), {
      minLength: 1,
      maxLength: 20,
    }),
    server: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }),
  })
  .map(({ sentMs, gaps, server }) => (seq: number): Exchange => {
    let at = sentMs + 5;
    const reads = gaps.map(([gap, tokens]): [number, number] => [(at += gap), tokens]);
    return exchange(seq, sentMs, reads, at + 1, server);
  });

describe('a trace', () => {
  test('counts the same tokens in the same 100 ms as the meter: the steady rates of both agree', () => {
    fc.assert(
      fc.property(fc.array(anyExchange, { minLength: 5, maxLength: 25 }), (makers) => {
        const load = { kind: 'closed', concurrency: 2 } as const;
        const [meter, trace] = [makeMeter({ load, stream: true }), makeTrace(load)];
        for (const [seq, make] of makers.entries()) {
          const one = make(seq);
          meter.add(one);
          trace.add(one);
        }
        const { steady } = meter.read();
        const window = trace.steady();
        expect(window === null).toBe(steady === null);
        if (steady === null || window === null) return;
        expect([window.fromMs, window.toMs]).toEqual([steady.fromMs, steady.toMs]);
        const spanMs = window.toMs - window.fromMs;
        if (steady.outputTokensPerSec !== null)
          expect((trace.tokenArrivals.between(window.fromMs, window.toMs) * 1000) / spanMs).toBeCloseTo(
            steady.outputTokensPerSec,
            3,
          );
      }),
      { numRuns: 200 },
    );
  });
  test('worked out by hand: two requests, 100 ms apart, of ten tokens each', () => {
    const trace = makeTrace({ kind: 'closed', concurrency: 2 });
    trace.add(
      exchange(
        0,
        0,
        [
          [50, 1],
          [150, 9],
        ],
        200,
        10,
      ),
    );
    trace.add(
      exchange(
        1,
        100,
        [
          [150, 5],
          [350, 5],
        ],
        400,
        20,
      ),
    );
    // The second answer had 20 tokens, so each read of 5 stands for 10.
    expect([0, 100, 200, 300].map((from) => trace.tokenArrivals.between(from, from + 100))).toEqual([1, 19, 0, 10]);
    expect(trace.span()).toEqual({ fromMs: 0, toMs: 400 });
    expect(trace.table.meanGap.at(0)).toBeCloseTo(100 / 9, 12);
    expect(trace.table.meanGap.at(1)).toBe(20);
    const steps = timelineOf(trace, 4);
    expect(steps.map(({ inFlight }) => inFlight)).toEqual([1, 2, 1, 1]);
    expect(steps.map(({ outputTokensPerSec }) => outputTokensPerSec)).toEqual([10, 190, 0, 100]);
    expect(cdfOf(trace, 'latencyMs')).toEqual([
      { share: 0.5, value: 200 },
      { share: 1, value: 300 },
    ]);
    expect(requestSpans(trace)[1]).toEqual({ seq: 1, sentMs: 100, firstOutputMs: 150, endMs: 400, ok: true });
  });
});
