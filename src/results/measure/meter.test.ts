import { describe, expect, it } from 'vitest';
import { exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { makeMeter } from './meter.ts';
import type { MeterOptions } from './meter.ts';
import type { Exchange } from '../../core/index.ts';

const closed: MeterOptions = { load: { kind: 'closed', concurrency: 2 }, stream: true };
const open: MeterOptions = { load: { kind: 'open', concurrency: null }, stream: true };

function metered(options: MeterOptions, exchanges: readonly Exchange[]) {
  const meter = makeMeter(options);
  for (const one of exchanges) meter.add(one);
  return meter;
}

describe('a run worked out on paper', () => {
  // Two ok requests of 4 and 1 output tokens, one failure that ends last, one request that never left.
  const run = [
    exchange({
      seq: 0,
      dueMs: 900,
      sentMs: 1000,
      chunks: { atMs: [1200, 1300, 1600], tokens: [1, 1, 2], kinds: 'rra' },
      endMs: 1700,
      inputTokens: { planned: null, server: 30, client: 29 },
      outputTokens: { planned: null, server: 4, client: null },
      cachedTokens: 15,
      inputChars: 100,
      outputChars: 20,
    }),
    exchange({
      seq: 1,
      dueMs: 1000,
      sentMs: 1000,
      chunks: { atMs: [1100], tokens: [1], kinds: 'a' },
      endMs: 1100,
      inputTokens: { planned: null, server: null, client: 10 },
      outputTokens: { planned: null, server: 1, client: null },
      inputChars: 40,
      outputChars: 4,
    }),
    exchange({
      seq: 2,
      dueMs: 2000,
      sentMs: 2000,
      chunks: { atMs: [], tokens: [], kinds: '' },
      endMs: 3000,
      outcome: 'failed',
      problem: { code: 'timeout-read', status: null, words: null },
    }),
    exchange({
      seq: 3,
      dueMs: 2500,
      sentMs: null,
      chunks: { atMs: [], tokens: [], kinds: '' },
      endMs: 9999,
      outcome: 'dropped',
      problem: { code: 'dropped-late', status: null, words: null },
    }),
    exchange({ seq: 4, warmup: true, sentMs: 0, endMs: 50_000 }),
  ];
  const read = metered(open, run).read(5);

  it('counts every planned request once and leaves warm-up out', () => {
    expect(read.counts).toEqual({
      planned: 5,
      issued: 4,
      ok: 2,
      failed: 1,
      cancelled: 0,
      dropped: 1,
      unaccounted: 1,
      byProblem: { 'dropped-late': 1, 'timeout-read': 1 },
    });
  });

  it('takes duration from the first send to the last end, failures included', () => {
    expect(read.durationMs).toBe(2000);
    expect(read.requestsPerSec).toBe(1);
    expect(read.inputTokensPerSec).toBe(20);
    expect(read.outputTokensPerSec).toBe(2.5);
    expect(read.totalTokensPerSec).toBe(22.5);
    expect(read.inputCharsPerSec).toBe(70);
    expect(read.outputCharsPerSec).toBe(12);
    expect(read.concurrencyAchieved).toBe(0.9);
    expect(read.tokenSource).toEqual({ input: 'mixed', output: 'server' });
    expect(read.cachedInputRatio).toBe(0.5);
  });

  it('takes latency and first token from the send, and both again from the due time', () => {
    expect(read.latencyMs).toMatchObject({ mean: 400, min: 100, max: 700, p50: 400, n: 2 });
    expect(read.ttftMs).toMatchObject({ mean: 150, min: 100, max: 200, n: 2 });
    expect(read.timeToAnswerMs).toMatchObject({ min: 100, max: 600, n: 2 });
    expect(read.latencyFromDueMs).toMatchObject({ min: 100, max: 800, n: 2 });
    expect(read.ttftFromDueMs).toMatchObject({ min: 100, max: 300, n: 2 });
    expect(read.latenessMs).toMatchObject({ min: 0, max: 100, n: 3 });
    expect(read.userTokensPerSec).toMatchObject({ min: 4000 / 700, max: 10, n: 2 });
    // Two speeds: a tenth and a hundredth of the way from the slower to the faster one.
    const way = 10 - 4000 / 700;
    expect(read.userTokensPerSec!.p10).toBeCloseTo(4000 / 700 + way / 10, 9);
    expect(read.userTokensPerSec!.p1).toBeCloseTo(4000 / 700 + way / 100, 9);
  });

  it('has a tpot only for answers of more than one token, and spreads a read of two tokens over two gaps', () => {
    expect(read.tpotMs).toMatchObject({ mean: 500 / 3, n: 1 });
    expect(read.itlMs).toMatchObject({ mean: 400 / 3, min: 100, max: 150, p50: 150, n: 3 });
  });
});

describe('what is not known is null', () => {
  it('has no first-token figures where the run is not streamed', () => {
    const read = metered({ ...closed, stream: false }, [exchange()]).read();
    expect([read.ttftMs, read.tpotMs, read.itlMs, read.timeToAnswerMs]).toEqual([null, null, null, null]);
    expect(read.latencyMs).toMatchObject({ mean: 200, n: 1 });
  });
  it('has no due-time figures in a closed loop', () => {
    const read = metered(closed, [exchange()]).read();
    expect([read.latencyFromDueMs, read.ttftFromDueMs, read.latenessMs]).toEqual([null, null, null]);
  });
  it('has no token rate when one ok answer was counted by nobody', () => {
    const uncounted = exchange({ seq: 1, outputTokens: { planned: 5, server: null, client: null } });
    const read = metered(closed, [exchange(), uncounted]).read();
    expect(read.outputTokensPerSec).toBeNull();
    expect(read.totalTokensPerSec).toBeNull();
    expect(read.inputTokensPerSec).toBe(100);
    expect(read.outputTokens).toMatchObject({ n: 1 });
  });
  it('reads an empty run as nothing, not as zero', () => {
    const read = metered(closed, []).read(3);
    expect(read.durationMs).toBeNull();
    expect(read.requestsPerSec).toBeNull();
    expect(read.latencyMs).toBeNull();
    expect(read.steady).toBeNull();
    expect(read.counts.unaccounted).toBe(3);
  });
});

describe('NumPy beside it', () => {
  it('agrees on the percentiles of latencies', () => {
    // python3 -c "import numpy as np; x=[12.5,3.25,99,41,7.75,18,64.5,22.25,5.5,150,33.3,28.125];
    //   print([np.quantile(x,r/100) for r in (50,66,75,80,90,95,98,99)], np.mean(x))"   (NumPy 2.4.6)
    const latencies = [12.5, 3.25, 99, 41, 7.75, 18, 64.5, 22.25, 5.5, 150, 33.3, 28.125];
    const read = metered(
      closed,
      latencies.map((endMs, seq) => exchange({ seq, endMs, sentMs: 0 })),
    ).read();
    const dist = read.latencyMs!;
    const got = [dist.p50, dist.p66, dist.p75, dist.p80, dist.p90, dist.p95, dist.p98, dist.p99, dist.mean];
    const numpy = [25.1875, 35.302, 46.875, 59.8, 95.55, 121.95, 138.78, 144.39, 40.43125];
    for (const [i, value] of numpy.entries()) expect(got[i]).toBeCloseTo(value, 9);
  });
  it('agrees on token gaps: a read of k tokens after g is k samples of g/k', () => {
    // python3 -c "import numpy as np; e=np.repeat([10,20,25,40,100],[3,1,4,2,1]);
    //   print([np.quantile(e,r/100) for r in (50,66,75,80,90,95,98,99)], e.mean(), len(e))"   (NumPy 2.4.6)
    const answer = exchange({
      chunks: { atMs: [50, 80, 100, 200, 280, 380], tokens: [1, 3, 1, 4, 2, 1], kinds: 'aaaaaa' },
      endMs: 400,
      outputTokens: { planned: null, server: 12, client: null },
    });
    const dist = metered(closed, [answer]).read().itlMs!;
    const got = [dist.p50, dist.p66, dist.p75, dist.p80, dist.p90, dist.p95, dist.p98, dist.p99, dist.mean, dist.n];
    const numpy = [25, 25, 32.5, 40, 40, 70, 88, 94, 30, 11];
    for (const [i, value] of numpy.entries()) expect(got[i]).toBeCloseTo(value, 9);
  });
});

describe('the steady part', () => {
  // Two slots, each sends a request of 500 ms again and again: 12 requests from 0 to 3000 ms, five tokens at 100 and at 500.
  const rounds = Array.from({ length: 12 }, (_, seq) => {
    const sentMs = Math.floor(seq / 2) * 500;
    return exchange({
      seq,
      dueMs: sentMs,
      sentMs,
      chunks: { atMs: [sentMs + 100, sentMs + 500], tokens: [5, 5], kinds: 'aa' },
      endMs: sentMs + 500,
      outputTokens: { planned: null, server: 10, client: null },
    });
  });
  it('runs from the end of the opening cohort to the last send and counts tokens when they come', () => {
    const steady = metered(closed, rounds).read().steady!;
    // The first two have ended at 500.
    expect([steady.fromMs, steady.toMs]).toEqual([500, 2500]);
    expect(steady.concurrencyAchieved).toBe(2);
    // Four rounds of two lie whole in [500, 2500); reads at 600, 1100, 1600, 2100 too.
    expect(steady.requestsPerSec).toBe(8 / 2);
    expect(steady.outputTokensPerSec).toBe(80 / 2);
    expect(steady.inputTokensPerSec).toBe(80 / 2);
    expect(steady.latencyMs).toMatchObject({ mean: 500, n: 8 });
    // One gap of five tokens in each request that ended inside.
    expect(steady.itlMs).toMatchObject({ mean: 80, n: 40 });
  });
  it('tells the rate of a loop whose requests end in waves, also where no wave ends inside', () => {
    // vLLM on an H200, 256 at once: 60 requests a second, of which the ends in a stretch of one wave said 19.
    const wave = (n: number): Exchange[] =>
      Array.from({ length: 4 }, (_, slot) => {
        const sentMs = n * 3000 + slot;
        return exchange({ seq: n * 4 + slot, dueMs: sentMs, sentMs, endMs: sentMs + 3000 });
      });
    const load = { kind: 'closed', concurrency: 4 } as const;
    const steady = metered({ load, stream: true }, [...wave(0), ...wave(1), ...wave(2)]).read().steady!;
    expect(steady.requestsPerSec).toBeCloseTo(4 / 3, 2);
  });
  it('is null where the asked load never stood', () => {
    expect(metered({ ...closed, load: { kind: 'closed', concurrency: 3 } }, rounds).read().steady).toBeNull();
  });
  it('starts one mean latency after the first due time in an open loop, edges on whole 100 ms', () => {
    const asks = rounds.map((one, i) =>
      exchange({ ...one, dueMs: 30 + i * 200, sentMs: 30 + i * 200, endMs: 80 + i * 200 }),
    );
    const steady = metered(open, asks).read().steady!;
    // First due 30, mean latency 50: from 80 to 2230, snapped to [100, 2200).
    expect([steady.fromMs, steady.toMs]).toEqual([100, 2200]);
  });
});

describe('goodput', () => {
  const quick = exchange({ seq: 0 });
  const slow = exchange({ seq: 1, chunks: { atMs: [300, 400], tokens: [1, 1], kinds: 'aa' }, endMs: 400 });
  const failed = exchange({
    seq: 2,
    outcome: 'failed',
    problem: { code: 'reset', status: null, words: null },
    endMs: 1000,
  });
  it('judges each request on its own value and divides by the issued ones', () => {
    const read = metered({ ...closed, slo: ['ttft.p99<200ms', 'failed<1%'] }, [quick, slow, failed]).read(4);
    expect(read.goodput).toEqual({ slo: ['ttft.p99<200ms'], requestsPerSec: 1, ratio: 0.25 });
  });
  it('is not known where the run cannot tell', () => {
    const read = metered({ ...closed, stream: false, slo: ['ttft<1s'] }, [quick]).read();
    expect(read.goodput).toEqual({ slo: ['ttft<1s'], requestsPerSec: null, ratio: null });
  });
});

describe('a look in between', () => {
  it('tells counts, the last five seconds and the means so far', () => {
    const meter = metered(closed, [
      exchange({ seq: 0, sentMs: 0, endMs: 200 }),
      exchange({ seq: 1, sentMs: 5000, chunks: { atMs: [5300], tokens: [1], kinds: 'a' }, endMs: 5400 }),
    ]);
    expect(meter.peek(6000)).toEqual({
      recorded: 2,
      ok: 2,
      failed: 0,
      cancelled: 0,
      dropped: 0,
      recent: { requestsPerSec: 0.2, outputTokensPerSec: 0.4 },
      latencyMs: 300,
      ttftMs: 200,
    });
  });
});
