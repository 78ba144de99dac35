import { describe, expect, it } from 'vitest';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';
import type { Summary } from '../../core/index.ts';
import { roofOf } from './roof.ts';

/** vLLM 0.25, Qwen2.5-7B's shape, one H200, one request in flight: 512 prompt tokens, 128 answered, 4.70 ms a step (2026-11-19). */
const alone = samplePoint({
  model: 'Qwen/Qwen2.5-7B-Instruct',
  asked: { card: 'h200', cards: 1 },
  load: { kind: 'closed', concurrency: 1, ratePerSec: null, stream: true },
  concurrencyAchieved: 1,
  inputTokensPerSec: 1.595 * 512,
  inputTokens: sampleDistribution({ mean: 512 }),
  outputTokens: sampleDistribution({ mean: 128 }),
  latencyMs: sampleDistribution({ mean: 627 }),
  ttftMs: sampleDistribution({ mean: 25.6 }),
  itlMs: sampleDistribution({ p50: 4.7 }),
  cachedInputRatio: 0,
});

describe('how near a point came to the limits of its cards', () => {
  it('decode: weights and cache of a step over the bandwidth, beside the typical gap', () => {
    // On paper: 2 bytes × (7,615,616,512 parameters − 152,064 × 3,584 of the lookup) = 14.14 GB; 57,344 bytes of cache a token × 576; at 4.8 TB/s.
    const leastMs = ((14_141_238_272 + 57_344 * 576) / 4.8e12) * 1000;
    expect(roofOf(alone)?.step?.leastMs).toBeCloseTo(leastMs, 3);
    expect(roofOf(alone)?.step?.memoryRatio).toBeCloseTo(leastMs / 4.7, 4);
  });

  it('prompts: two operations a parameter and token over the peak, and what the cache gave costs nothing', () => {
    const whole = roofOf(alone)!.promptComputeRatio!;
    // On paper, without attention: 2 × 7.616e9 × 512 × 1.595 / 989e12 = 0.01258; the lookup multiplies nothing, attention adds half a percent.
    expect(whole).toBeGreaterThan(0.0112);
    expect(whole).toBeLessThan(0.0127);
    const half = roofOf({ ...alone, cachedInputRatio: 0.5 })!.promptComputeRatio!;
    expect(half / whole).toBeCloseTo(0.5, 2);
  });

  it('a model over two cards reads half of it on each', () => {
    const two = roofOf({ ...alone, asked: { card: 'h200', cards: 2 } })!;
    expect(two.step!.leastMs / roofOf(alone)!.step!.leastMs).toBeCloseTo(0.5, 1);
  });

  it('the steady part is read, and the whole where it holds the end of no request', () => {
    const whole = roofOf(alone)!.step!;
    const gaps = { itlMs: alone.itlMs, tpotMs: null, concurrencyAchieved: 4 };
    const steady = (more: object) => ({ ...alone, steady: { ...gaps, ...more } as Summary['steady'] });
    const own = { latencyMs: sampleDistribution({ mean: 100 }), ttftMs: sampleDistribution({ mean: 50 }) };
    expect(roofOf(steady(own))!.step!.sequences).toBe(2);
    for (const none of [{ latencyMs: null }, { ttftMs: null }])
      expect(roofOf(steady({ ...own, ...none }))!.step!.sequences).toBeCloseTo(4 * whole.sequences * (601.4 / 627), 9);
    for (const unknown of [{ itlMs: null }, { concurrencyAchieved: null }, { itlMs: sampleDistribution({ p50: 0 }) }])
      expect(roofOf({ ...alone, ...unknown })!.step).toBeNull();
    expect(roofOf({ ...alone, itlMs: null, tpotMs: sampleDistribution({ p50: 4.7 }) })!.step).toEqual(whole);
    expect(roofOf({ ...alone, latencyMs: sampleDistribution({ mean: 25.6 }) })!.step).toBeNull();
  });

  it('a share above one contradicts the sheet and is not told', () => {
    expect(roofOf({ ...alone, itlMs: sampleDistribution({ p50: 2 }) })?.step).toBeNull();
    expect(roofOf({ ...alone, inputTokensPerSec: 1e6 })?.promptComputeRatio).toBeNull();
  });

  it('the card is the one that worked beside the client, unless the user named another', () => {
    const card = (name: string, max: number): unknown => ({
      name,
      memoryTotalBytes: 150_754_820_096,
      utilizationRatio: { mean: max, max },
    });
    const devices = { devices: [card('NVIDIA H200', 0), card('NVIDIA H200', 0.9), card('NVIDIA H200', 0.8)] };
    expect(roofOf({ ...alone, asked: {}, devices })).toMatchObject({ card: 'h200-sxm-141g', cards: 2 });
    expect(roofOf({ ...alone, asked: { card: '910b4-32g', cards: 1 }, devices })?.card).toBe('910b4-32g');
  });

  it('is null where card or model are not known, never a guess', () => {
    expect(roofOf({ ...alone, asked: {} })).toBeNull();
    expect(roofOf({ ...alone, model: 'my-own-model' })).toBeNull();
  });
});
