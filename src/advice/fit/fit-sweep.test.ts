import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { distributionOf } from '../../core/index.ts';
import type { Distribution } from '../../core/index.ts';
import { lineImporter } from '../../tools/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { choosePoints, closedRun, fitSweep, heldOutOf, interpolationOf, usablePoints } from './index.ts';
import type { FitPoint, RunFigures } from './index.ts';
import { PointNoise } from './point-noise.ts';

const truth: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'truth',
  title: 'truth',
  model: 'truth',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 20, cMsPerDecode: 0.2, p1MsPerPrefillToken: 0.002, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0.03 },
  maxBatchSize: 64,
  maxPrefillTokens: null,
  kv: null,
  notes: [],
};

/** Percentiles as a log would print them: those that a run tells, and between them the lengths', at this run's time per token. */
function percentilesOf(run: RunFigures, outputTokens: readonly number[]): Distribution {
  const latencyMs = distributionOf(outputTokens.map((tokens) => (tokens * run.latencyMeanMs) / 200))!;
  return { ...latencyMs, p50: run.latencyP50Ms, p90: run.latencyP90Ms, p99: run.latencyP99Ms };
}

/** A sweep as a log would print it, of an engine whose parameters are known. Answers of 50 to 350 tokens, evenly spread. */
function sweepOf(profile: EngineProfile, concurrencies: readonly number[]): FitPoint[] {
  const outputTokens = Array.from({ length: 400 }, (_, i) => 50 + ((i * 173) % 301));
  return concurrencies.map((concurrency) => {
    const load = { concurrency, inputTokens: outputTokens.map(() => 50), outputTokens };
    const run = closedRun(profile, load, concurrency);
    return {
      concurrency,
      requests: 400,
      inputTokens: 50,
      outputTokens: outputTokens.reduce((sum, tokens) => sum + tokens, 0) / 400,
      outputTokensPerSec: run.outputTokensPerSec,
      latencyMeanMs: run.latencyMeanMs,
      latencyP90Ms: run.latencyP90Ms,
      latencyMs: percentilesOf(run, outputTokens),
      ttftMeanMs: null,
      remarks: [],
    };
  });
}

const nothingKnown = { points: ['auto'], maxBatchSize: null, kv: null };

describe('an engine whose parameters are known', () => {
  it('is found again from three points, and the others are predicted', () => {
    const fit = fitSweep(sweepOf(truth, [4, 8, 16, 32, 64, 128]), nothingKnown);
    expect(fit.used.map((point) => point.concurrency)).toEqual([4, 64, 128]);
    expect(Math.abs(fit.profile.cost.aMs / 20 - 1)).toBeLessThan(0.03);
    expect(Math.abs(fit.profile.cost.cMsPerDecode / 0.2 - 1)).toBeLessThan(0.1);
    // The average of the engines that explain three points, not the likeliest one: near the truth, and sure of it.
    expect(Math.abs(fit.maxBatchSize! / 64 - 1)).toBeLessThan(0.05);
    expect(fit.intervals['maxBatchSize']![0]).toBeLessThan(64);
    expect(fit.intervals['maxBatchSize']![1]).toBeGreaterThan(64);
    const heldOut = heldOutOf(fit);
    expect(heldOut.outputTokensPerSec.worst).toBeLessThan(0.03);
    expect(heldOut['latencyMs.mean'].worst).toBeLessThan(0.03);
  });

  it('with a small KV cache is told from one with a small batch', () => {
    const cached = { ...truth, maxBatchSize: 1000, kv: { blocks: 1000, blockSize: 16 } };
    const points = sweepOf(cached, [4, 16, 32, 64, 128]).map((point) => ({ ...point, inputTokens: 50 }));
    // The same sweep with prompts of 500 tokens, so that 1000 blocks hold some 25 requests.
    const long = points.map((point) => {
      const outputTokens = Array.from({ length: 400 }, (_, i) => 50 + ((i * 173) % 301));
      const load = { concurrency: point.concurrency, inputTokens: outputTokens.map(() => 500), outputTokens };
      const run = closedRun(cached, load);
      const { outputTokensPerSec, latencyMeanMs, latencyP90Ms } = run;
      const latencyMs = percentilesOf(run, outputTokens);
      return { ...point, inputTokens: 500, outputTokensPerSec, latencyMeanMs, latencyP90Ms, latencyMs };
    });
    const fit = fitSweep(long, nothingKnown);
    expect(fit.limit).toBe('kv');
    const { blocks, blockSize } = fit.profile.kv!;
    expect(Math.abs((blocks * blockSize) / 16_000 - 1)).toBeLessThan(0.15);
  });

  it('without saturation gets no batch size, and a word for it', () => {
    const fit = fitSweep(sweepOf(truth, [2, 4, 8]), nothingKnown);
    expect(fit.limit).toBe('none');
    expect(fit.maxBatchSize).toBeNull();
  });
});

describe('a batch that ends between two points', () => {
  const full = { ...truth, maxBatchSize: 50, jitter: { stepSigma: 0 } };
  const points = sweepOf(full, [4, 16, 40, 64, 128]);
  const widthOf = (sweep: FitPoint[]): number => {
    const [low, high] = fitSweep(sweep, nothingKnown).intervals['maxBatchSize']!;
    expect(low).toBeLessThan(50);
    expect(high).toBeGreaterThan(50);
    return Math.log(high / low);
  };
  const bare = points.map((point, i) =>
    i === 0 ? point : { ...point, latencyMs: { ...point.latencyMs, p50: null, p99: null } },
  );

  it('is known better where short and long answers are seen to come closer together in the queue', () => {
    expect(widthOf(points)).toBeLessThan(0.9 * widthOf(bare));
  });

  it('is known better where first tokens are seen to wait', () => {
    const streamed = bare.map((point) => {
      const outputTokens = Array.from({ length: 400 }, (_, i) => 50 + ((i * 173) % 301));
      const load = { concurrency: point.concurrency, inputTokens: outputTokens.map(() => 50), outputTokens };
      return { ...point, ttftMeanMs: closedRun(full, load).ttftMeanMs };
    });
    expect(widthOf(streamed)).toBeLessThan(0.9 * widthOf(bare));
  });
});

describe('what an engine of the grid leaves over', () => {
  const [low, middle, high] = sweepOf(truth, [4, 32, 128]) as [FitPoint, FitPoint, FitPoint];

  it('is handed on: where one point is slower than any straight line, so are its neighbours, and most of all the nearest', () => {
    const slow = (point: FitPoint): FitPoint => ({
      ...point,
      outputTokensPerSec: point.outputTokensPerSec / 1.1,
      latencyMeanMs: point.latencyMeanMs * 1.1,
      latencyP90Ms: point.latencyP90Ms! * 1.1,
    });
    const noise = new PointNoise([low, slow(middle), high], 128);
    const logs = [low, middle, high].map((point) =>
      [point.outputTokensPerSec, point.latencyMeanMs, point.latencyP90Ms!].map(Math.log),
    );
    const explanation = noise.explain(logs);
    const latency = (concurrency: number): number =>
      noise.figuresAt([0, 0, 0], { ...middle, concurrency }, explanation)[1]!;
    expect(latency(32)).toBeGreaterThan(latency(40));
    expect(latency(40)).toBeGreaterThan(latency(64));
    expect(latency(64)).toBeGreaterThan(latency(128));
    // All figures belong to one run: what slows it adds the same to both latencies, and takes most of it from the throughput.
    const [throughput, mean, p90] = noise.figuresAt([0, 0, 0], { ...middle, concurrency: 40 }, explanation);
    expect(p90).toBeCloseTo(mean!, 12);
    expect(throughput).toBeLessThan(-0.8 * mean!);
  });

  it('is a late last answer where throughput is missing and no latency is longer: so it is at other concurrencies, the more the less often slots are filled again', () => {
    const late = (point: FitPoint): FitPoint => ({
      ...point,
      outputTokensPerSec: point.outputTokensPerSec / (1 + point.concurrency / point.requests),
    });
    const noise = new PointNoise([low, late(middle), late(high)], 128);
    const logs = [low, middle, high].map((point) =>
      [point.outputTokensPerSec, point.latencyMeanMs, point.latencyP90Ms!].map(Math.log),
    );
    const explanation = noise.explain(logs);
    const at = (concurrency: number): number[] => noise.figuresAt([0, 0, 0], { ...middle, concurrency }, explanation);
    expect(at(100)[0]).toBeLessThan(at(50)[0]!);
    expect(at(50)[0]).toBeLessThan(at(10)[0]!);
    expect(Math.abs(at(100)[1]!)).toBeLessThan(Math.abs(at(100)[0]!) / 4);
  });

  it('is nothing where the engine explains everything, and an engine twice as slow differs by a alone', () => {
    const noise = new PointNoise([low, middle, high], 128);
    const logs = [low, middle, high].map((point) => [
      Math.log(point.outputTokensPerSec / 2),
      Math.log(point.latencyMeanMs * 2),
      Math.log(point.latencyP90Ms! * 2),
    ]);
    const { logA, misfit } = noise.explain(logs);
    expect(Math.exp(logA)).toBeCloseTo(0.5, 12);
    expect(misfit).toBeCloseTo(0, 12);
  });

  it('is the less known the further away the measured points are', () => {
    const noise = new PointNoise([low, middle, high], 128);
    const latency = (concurrency: number): number => noise.varianceAt({ ...middle, concurrency }, 1);
    expect(latency(32)).toBeLessThan(latency(45));
    expect(latency(128)).toBeLessThan(latency(400));
  });
});

describe('a published sweep (Qwen1.5 on Atlas 800I A2, evalscope)', () => {
  const file = 'evalscope-atlas-800i-a2.md';
  const importer = lineImporter(file);
  const text = readFileSync(new URL(`../../../test/fixtures/import/published/${file}`, import.meta.url), 'utf8');
  for (const line of text.split('\n')) importer.line(line);
  const { sweeps } = importer.end();

  it('is predicted from three points within 4 % throughput, 4 % mean latency, 5 % p90, 13 % at worst', () => {
    const large = sweeps.filter((sweep) => usablePoints(sweep.points).points.length >= 4);
    expect(large.length).toBeGreaterThanOrEqual(3);
    for (const sweep of large) {
      const fit = fitSweep(usablePoints(sweep.points).points, nothingKnown);
      const heldOut = heldOutOf(fit);
      expect(heldOut.outputTokensPerSec.mape).toBeLessThanOrEqual(0.04);
      expect(heldOut['latencyMs.mean'].mape).toBeLessThanOrEqual(0.04);
      expect(heldOut['latencyMs.p90'].mape).toBeLessThanOrEqual(0.05);
      const errors = (['outputTokensPerSec', 'latencyMs.mean', 'latencyMs.p90'] as const).map((k) => heldOut[k].worst!);
      expect(Math.max(...errors)).toBeLessThanOrEqual(0.13);
    }
  });

  it('leaves out the two rows of the 14B sweep with a runaway answer, and says so', () => {
    const sweep = sweeps.find(({ title }) => title.includes('14B'))!;
    const { excluded } = usablePoints(sweep.points);
    expect(excluded.map((point) => point.concurrency)).toEqual([32, 128]);
    expect(excluded[0]!.why.en).toContain('runaway-generation');
  });
});

describe('a table with failures', () => {
  const read = (header: string, row: string): ReturnType<typeof usablePoints> => {
    const importer = lineImporter('table.md');
    for (const line of [header, header.replaceAll(/[^|]+/g, '---'), row]) importer.line(line);
    return usablePoints(importer.end().sweeps[0]!.points);
  };

  it('loses the points at which one in twenty failed, by name', () => {
    const header = '| 并发数 | 成功请求数 | 失败请求数 | QPS | 平均时延（ms） | 输出吞吐量（token/s） |';
    expect(read(header, '| 8 | 950 | 50 | 4 | 2000 | 400 |').excluded[0]?.why.en).toContain(
      '50 of 1000 requests failed',
    );
    expect(read(header, '| 8 | 990 | 10 | 4 | 2000 | 400 |').points).toHaveLength(1);
  });

  it('has a first token of its own only where tokens were streamed: one that comes with the last tells nothing', () => {
    const header = '| 并发数 | QPS | 平均时延（ms） | 输出吞吐量（token/s） | 平均首token时延（ms） |';
    expect(read(header, '| 8 | 4 | 2000 | 400 | 150 |').points[0]!.ttftMeanMs).toBe(150);
    expect(read(header, '| 8 | 4 | 2000 | 400 | 2000 |').points[0]!.ttftMeanMs).toBeNull();
  });

  it('keeps those whose total nobody printed', () => {
    expect(read('| 并发 | 失败数 | QPS | 延迟 | 吞吐量 |', '| 8 | 50 | 4 | 2 | 400 |').points).toHaveLength(1);
  });
});

describe('points', () => {
  const points = sweepOf(truth, [4, 8, 16, 32, 64, 128, 256]);
  it('are chosen by where they lie', () => {
    const at = (words: string[]): number[] => choosePoints(points, words).map((i) => points[i]!.concurrency);
    expect(at(['auto'])).toEqual([4, 128, 256]);
    expect(at(['lowest', 'middle', 'highest'])).toEqual([4, 64, 256]);
    expect(at(['lowest', 'half-knee', 'knee'])).toEqual([4, 32, 64]);
    expect(at(['8', '32', '256'])).toEqual([8, 32, 256]);
    expect(() => at(['7'])).toThrow('no usable point');
  });

  it('interpolation is exact on a power law, which is a straight line in log-log', () => {
    const law = points.map((point) => ({ ...point, outputTokensPerSec: 3 * point.concurrency ** 0.5 }));
    const fit = fitSweep(law, { ...nothingKnown, points: ['4', '32', '256'] });
    expect(interpolationOf(fit).outputTokensPerSec.worst).toBeLessThan(1e-9);
  });
});
