import { describe, expect, it } from 'vitest';
import type { EngineProfile, SettingValue } from '../../engine/sim/index.ts';
import { builtinProfile, EngineCore } from '../../engine/sim/index.ts';
import { closedRun } from './index.ts';
import type { ClosedLoad } from './index.ts';

/** The published QwQ-32B runs at concurrency 10: about 60 prompt tokens, answers of 448 and 482 tokens on average. */
function told(
  settings: Record<string, SettingValue>,
  blocks: number,
  meanTokens: number,
): { profile: EngineProfile; load: ClosedLoad } {
  const profile = builtinProfile('qwq-32b-mindie-mindspore-4x910b3');
  const engine: EngineProfile = {
    ...profile,
    jitter: { stepSigma: 0 },
    kv: { blocks, blockSize: 128 },
    scheduler: { name: 'mindie', settings: { ...profile.scheduler!.settings, ...settings } },
  };
  const outputTokens = Array.from({ length: 200 }, (_, i) =>
    Math.round(meanTokens * (0.7 + (0.6 * ((i * 37) % 101)) / 100)),
  );
  return { profile: engine, load: { concurrency: 10, inputTokens: outputTokens.map(() => 60), outputTokens } };
}

function qwq(settings: Record<string, SettingValue>, blocks: number, meanTokens: number): number {
  const { profile, load } = told(settings, blocks, meanTokens);
  return closedRun(profile, load).outputTokensPerSec;
}

/** Gaps between the tokens of each answer in ms, ten at a time, once the start is over. */
function gapsOf(settings: Record<string, SettingValue>, blocks: number, meanTokens: number): number[][] {
  const { profile, load } = told(settings, blocks, meanTokens);
  const core = new EngineCore({ profile, seed: 1 });
  const gaps: number[][] = [];
  let next = 0;
  const send = (arrivalMs: number): void => {
    core.submit({ id: next, inputTokens: 60, outputTokens: load.outputTokens[next]!, arrivalMs });
    next++;
  };
  while (next < 10) send(0);
  core.beginStep(0);
  while (next < 120) {
    for (const { tokenAtMs, endMs, id } of core.advance(Infinity)) {
      if (id >= 10) gaps.push(tokenAtMs.slice(1).map((atMs, i) => atMs - tokenAtMs[i]!));
      send(endMs);
    }
  }
  return gaps;
}

describe('QwQ-32B on MindIE with the MindSpore backend', () => {
  // npuMemSize 8 and 35 at 128-token blocks of 64 KiB per token and card: 8 GiB/8 MiB and 35 GiB/8 MiB, rounded down.
  const [small, large] = [1024, 4480];

  it('maxPrefillBatchSize 1 → 50 changes the throughput about ninefold, as measured (37.8 → 327.3 tokens/s)', () => {
    const [one, fifty] = [qwq({ maxPrefillBatchSize: 1 }, large, 448), qwq({ maxPrefillBatchSize: 50 }, large, 482)];
    expect(Math.abs(one / 37.78 - 1)).toBeLessThan(0.05);
    expect(Math.abs(fifty / 327.3 - 1)).toBeLessThan(0.05);
    expect(fifty / one).toBeGreaterThan(8);
    expect(fifty / one).toBeLessThan(10);
  });

  it('with maxPrefillBatchSize 1 answers stall once for the nine others: gaps of 27 ms (p75), 265 ms on average, 107 s at worst, as measured', () => {
    const gaps = gapsOf({ maxPrefillBatchSize: 1 }, large, 448);
    const all = gaps.flat().toSorted((a, b) => a - b);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(all[Math.floor(0.75 * all.length)]! / 26.72).toBeCloseTo(1, 1);
    expect(Math.abs(mean(all) / 264.9 - 1)).toBeLessThan(0.1);
    expect(Math.abs(mean(gaps.map((own) => Math.max(...own))) / 107_180 - 1)).toBeLessThan(0.1);
  });

  it('npuMemSize 8 → 35 changes nothing: ten requests never fill even the small cache', () => {
    expect(qwq({ maxPrefillBatchSize: 1 }, large, 448)).toBe(qwq({ maxPrefillBatchSize: 1 }, small, 448));
  });
});
