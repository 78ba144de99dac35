import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyExchange } from '../../../test/fixtures/measure/exchanges.ts';
import { percentileRanks } from '../../core/index.ts';
import type { Distribution, Exchange } from '../../core/index.ts';
import { makeMeter } from './meter.ts';
import type { Meter, MeterOptions } from './meter.ts';
import { forEachTokenGap, tokenReads } from './token-reads.ts';

const runs = fc.array(anyExchange, { maxLength: 40 });
const anyOptions: fc.Arbitrary<MeterOptions> = fc.record({
  load: fc.record({ kind: fc.constantFrom('closed', 'open'), concurrency: fc.integer({ min: 1, max: 4 }) }),
  stream: fc.boolean(),
  slo: fc.constant(['ttft.p99<150ms', 'latency<2s']),
  exactGaps: fc.constantFrom(10, 2_000_000),
});

function metered(options: MeterOptions, exchanges: readonly Exchange[]): Meter {
  const meter = makeMeter(options);
  for (const one of exchanges) meter.add(one);
  return meter;
}

describe('laws of the meter', () => {
  it('merging the meters of two parts reads exactly as one meter of both', () => {
    fc.assert(
      fc.property(anyOptions, runs, runs, (options, left, right) => {
        const merged = metered(options, left);
        merged.merge(metered(options, right));
        expect(merged.read(100)).toEqual(metered(options, [...left, ...right]).read(100));
      }),
      { numRuns: 150 },
    );
  });

  it('the order in which exchanges come does not matter', () => {
    fc.assert(
      fc.property(
        anyOptions,
        runs.chain((run) => fc.tuple(fc.constant(run), fc.shuffledSubarray(run, { minLength: run.length }))),
        (options, [run, shuffled]) => {
          expect(metered(options, shuffled).read()).toEqual(metered(options, run).read());
        },
      ),
      { numRuns: 150 },
    );
  });

  it('every planned request is in exactly one bucket', () => {
    fc.assert(
      fc.property(anyOptions, runs, fc.nat(60), (options, run, planned) => {
        const { counts } = metered(options, run).read(planned);
        const measured = run.filter((one) => !one.warmup);
        expect(counts.ok + counts.failed + counts.cancelled + counts.dropped).toBe(measured.length);
        expect(counts.planned).toBe(Math.max(planned, measured.length));
        expect(counts.unaccounted).toBe(counts.planned - measured.length);
        expect(Object.values(counts.byProblem).reduce((a, b) => a + b, 0)).toBe(measured.length - counts.ok);
      }),
      { numRuns: 100 },
    );
  });

  it('quantiles rise with their rank and stay between min and max, and so does the mean', () => {
    const ordered = (dist: Distribution | null): void => {
      if (dist === null) return;
      const rising = [dist.min!, ...percentileRanks.map((rank) => dist[`p${rank}`]!), dist.max!];
      for (let i = 1; i < rising.length; i++) expect(rising[i]).toBeGreaterThanOrEqual(rising[i - 1]!);
      expect(dist.mean).toBeGreaterThanOrEqual(dist.min! - 1e-9);
      expect(dist.mean).toBeLessThanOrEqual(dist.max! + 1e-9);
    };
    fc.assert(
      fc.property(anyOptions, runs, (options, run) => {
        const read = metered(options, run).read();
        for (const figures of [read, read.steady])
          if (figures !== null)
            [figures.latencyMs, figures.ttftMs, figures.tpotMs, figures.itlMs, figures.latenessMs].forEach(ordered);
        [read.inputTokens, read.outputTokens, read.userTokensPerSec, read.timeToAnswerMs].forEach(ordered);
      }),
      { numRuns: 100 },
    );
  });

  it('gap times weight, summed, is the time from the first read to the last one that carried a token', () => {
    fc.assert(
      fc.property(anyExchange, (one) => {
        const reads = tokenReads(one);
        let decodeMs = 0;
        let weights = 0;
        forEachTokenGap(reads, (gapMs, weight) => {
          decodeMs += gapMs * weight;
          weights += weight;
        });
        const last = reads.tokens.findLastIndex((tokens, i) => i > 0 && tokens > 0);
        expect(decodeMs).toBeCloseTo(last < 1 ? 0 : reads.atMs[last]! - reads.atMs[0]!, 6);
        const all = reads.tokens.reduce((a, b) => a + b, 0);
        expect(weights).toBeCloseTo(all - (reads.tokens[0] ?? 0), 6);
        const told = one.outputTokens.server ?? one.outputTokens.client;
        if (told !== null && told > 0 && all > 0) expect(all).toBeCloseTo(told, 6);
      }),
      { numRuns: 300 },
    );
  });

  it('in flight on average times duration is the time that all requests took together', () => {
    fc.assert(
      fc.property(anyOptions, runs, (options, run) => {
        const read = metered(options, run).read();
        const left = run.filter((one) => !one.warmup && one.sentMs !== null);
        const together = left.reduce((sum, one) => sum + one.endMs - one.sentMs!, 0);
        const shown = (read.concurrencyAchieved ?? 0) * (read.durationMs ?? 0);
        expect(shown).toBeCloseTo(together, 5);
      }),
      { numRuns: 100 },
    );
  });
});
