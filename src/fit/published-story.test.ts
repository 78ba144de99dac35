import { describe, expect, it } from 'vitest';
import type { EngineProfile, SettingValue } from '../sim/index.ts';
import { builtinProfile } from '../sim/index.ts';
import { closedRun } from './index.ts';

/** The published QwQ-32B runs at concurrency 10: about 60 prompt tokens, answers of 448 and 482 tokens on average. */
function qwq(settings: Record<string, SettingValue>, blocks: number, meanTokens: number): number {
  const profile = builtinProfile('qwq-32b-mindie-mindspore-4x910b3');
  const told: EngineProfile = {
    ...profile,
    jitter: { stepSigma: 0 },
    kv: { blocks, blockSize: 128 },
    scheduler: { name: 'mindie', settings: { ...profile.scheduler!.settings, ...settings } },
  };
  const outputTokens = Array.from({ length: 200 }, (_, i) =>
    Math.round(meanTokens * (0.7 + (0.6 * ((i * 37) % 101)) / 100)),
  );
  const load = { concurrency: 10, inputTokens: outputTokens.map(() => 60), outputTokens };
  return closedRun(told, load).outputTokensPerSec;
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

  it('npuMemSize 8 → 35 changes nothing: ten requests never fill even the small cache', () => {
    expect(qwq({ maxPrefillBatchSize: 1 }, large, 448)).toBe(qwq({ maxPrefillBatchSize: 1 }, small, 448));
  });
});
