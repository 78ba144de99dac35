import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areaUnder, growth } from './statistics.ts';
import { summariseTelemetry } from './run-telemetry.ts';
import type { DeviceSample, TelemetryLine } from './telemetry-line.ts';

const server = (atMs: number, kv: number, preemptions: number, waiting = 0): TelemetryLine => ({
  kind: 'server',
  atMs,
  tookMs: 1,
  url: 'http://127.0.0.1:8000/metrics',
  flavour: 'vllm',
  running: 8,
  waiting,
  kvUsageRatio: kv,
  preemptionsTotal: preemptions,
  prefixQueriesTotal: null,
  prefixHitsTotal: null,
  prefixHitRatio: null,
  promptTokensTotal: null,
  generationTokensTotal: null,
  finishedTotal: null,
  kvCapacityTokens: null,
});

const gib = 1024 ** 3;
const card = (powerW: number | null, usedGib: number, use: number, index = 0): DeviceSample => ({
  vendor: 'nvidia',
  index,
  name: 'H200',
  busId: null,
  memoryTotalBytes: 100 * gib,
  memoryUsedBytes: usedGib * gib,
  memoryUsedRatio: usedGib / 100,
  utilizationRatio: use,
  powerW,
  temperatureC: 50,
});
const cards = (atMs: number, ...devices: DeviceSample[]): TelemetryLine => ({
  kind: 'devices',
  atMs,
  tookMs: 1,
  tool: 'nvidia-smi',
  devices,
});

describe('summariseTelemetry', () => {
  test('the story: KV full from 41 s after the first send, 37 preemptions since', () => {
    const lines = [server(0, 0.1, 5), server(10_000, 0.5, 5), server(51_000, 1, 12), server(80_000, 1, 42, 9)];
    const told = summariseTelemetry(lines, { fromMs: 10_000, toMs: 90_000 }, null).server!;
    expect(told['story']).toBe('KV full from 41 s, 37 preemptions, up to 9 waiting, up to 8 running');
    expect(told['zh']).toEqual({ story: 'KV 自 41 s 起占满，抢占 37 次，最多 9 个排队，最多 8 个运行' });
    expect(told).toMatchObject({ preemptions: 37, scrapes: 3, kvUsageRatio: { max: 1, fullFromMs: 41_000 } });
  });

  test('the front: its busiest second, its mean, its cost per token, and only while the load lasted', () => {
    const at = (atMs: number, cpu: number[], tokens: number): TelemetryLine =>
      ({ ...server(atMs, 0.1, 0), cpuSecondsTotals: cpu, generationTokensTotal: tokens }) as TelemetryLine;
    const lines = [
      at(0, [10], 0),
      at(1000, [10.02], 0),
      at(2000, [10.5], 5000),
      at(3000, [11.46], 20_000),
      at(4000, [11.5], 20_000),
    ];
    const told = (all: TelemetryLine[]): unknown =>
      summariseTelemetry(all, { fromMs: 1000, toMs: 3000 }, null).server!['front'];
    expect(told(lines)).toEqual({
      processes: 1,
      busiestRatio: expect.closeTo(0.96, 9),
      meanRatio: expect.closeTo(0.72, 9),
      usPerToken: expect.closeTo(72, 6),
    });
    // Two processes that are half full each are no full front.
    const two = [at(1000, [1, 1], 0), at(2000, [1.5, 1.5], 100), at(3000, [2, 2], 200)];
    expect(told(two)).toMatchObject({ processes: 2, busiestRatio: 0.5, meanRatio: 0.5 });
    expect(told([server(1000, 0.1, 0), server(2000, 0.1, 0)])).toBeUndefined();
  });

  test('a process that began later than the first is another one', () => {
    const at = (atMs: number, startedAtSec: number): TelemetryLine =>
      ({ ...server(atMs, 0.1, 0), startedAtSec }) as TelemetryLine;
    const told = (second: number): unknown =>
      summariseTelemetry([at(0, 100), at(1000, 100), at(2000, second)], { fromMs: 0, toMs: 3000 }, null).server!;
    expect(told(100)).toMatchObject({ startedAtSec: 100, restartedAtMs: null });
    expect(told(150)).toMatchObject({ startedAtSec: 100, restartedAtMs: 2000 });
    // Two servers behind one address, each of which answers now and then.
    const turns = [at(0, 100), at(1000, 150), at(2000, 100)];
    expect(summariseTelemetry(turns, { fromMs: 0, toMs: 3000 }, null).server!['restartedAtMs']).toBeNull();
  });

  test('warm-up is left out, and a server that nobody asked is null', () => {
    const lines = [server(0, 1, 0), server(5000, 0.2, 0)];
    expect(summariseTelemetry(lines, { fromMs: 4000, toMs: 6000 }, null).server).toMatchObject({
      kvUsageRatio: { max: 0.2 },
    });
    expect(summariseTelemetry([], { fromMs: 0, toMs: 1 }, null)).toEqual({ server: null, devices: null });
  });

  test('tokens per joule: 100 W rising to 300 W over ten seconds are 2000 J', () => {
    const lines = [cards(0, card(100, 40, 0.5)), cards(10_000, card(300, 90, 1))];
    const told = summariseTelemetry(lines, { fromMs: 0, toMs: 10_000 }, 8000).devices!;
    expect(told).toMatchObject({ energyJ: 2000, tokensPerJoule: 4, energyOfDevices: 1 });
    expect(told['devices']).toMatchObject([
      { powerW: { mean: 200, max: 300 }, memoryMarginBytes: 10 * gib, utilizationRatio: { mean: 0.75, max: 1 } },
    ]);
    expect(told['memoryMarginRatio']).toBeCloseTo(0.1, 12);
  });

  test('cards that did nothing do not count as energy of the run', () => {
    const line = (atMs: number) => cards(atMs, card(500, 10, 0.9), card(70, 1, 0, 1));
    const told = summariseTelemetry([line(0), line(4000)], { fromMs: 0, toMs: 4000 }, 1000).devices!;
    expect(told).toMatchObject({ energyJ: 2000, energyOfDevices: 1, tokensPerJoule: 0.5 });
  });

  test('what was missing is told with its moment; power nobody told stays null', () => {
    const why = { en: 'npu-smi did not answer in time and was ended', zh: 'npu-smi 超时未响应，已终止' };
    const told = summariseTelemetry(
      [cards(0, card(null, 1, 1)), { kind: 'missing', atMs: 5, what: 'devices', who: 'npu-smi', why }],
      { fromMs: 0, toMs: 10 },
      5,
    ).devices!;
    expect(told).toMatchObject({
      energyJ: null,
      tokensPerJoule: null,
      missing: [{ atMs: 5, who: 'npu-smi', why: why.en }],
    });
  });
});

describe('laws', () => {
  test('the area under a constant is the constant times the time, wherever samples stand', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -50, max: 150 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 900 }),
        (times, value) => {
          const samples = times.toSorted((a, b) => a - b).map((atMs) => ({ atMs, value }));
          expect(areaUnder(samples, 0, 100)).toBeCloseTo(value * 100, 6);
        },
      ),
    );
  });

  test('a counter that only grows has grown by its last less its first; a restart loses nothing counted after it', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 2 }), (steps) => {
        const counter = steps.map((_, at) => steps.slice(0, at + 1).reduce((sum, step) => sum + step, 0));
        expect(growth(counter)).toBe(counter.at(-1)! - counter[0]!);
      }),
    );
    expect(growth([100, 130, 0, 25])).toBe(55);
    expect(growth([7])).toBe(null);
  });
});
