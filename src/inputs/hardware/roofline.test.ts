import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cards,
  decodeWork,
  findCard,
  findModel,
  knownModels,
  prefillWork,
  rooflineStep,
  stepCostPrior,
  usualEfficiency,
} from './index.ts';
import type { Rig } from './index.ts';

function rig(model: string, card: string, tensor: number): Rig {
  return {
    shape: findModel(model)!.shape,
    card: findCard(card)!,
    parallel: { tensor, pipeline: 1, data: 1, expert: null },
    weights: { format: null, withMtp: false },
    kv: { format: null, withMtp: false },
    efficiency: usualEfficiency,
  };
}

describe('rooflineStep', () => {
  it('one token of Llama-3-8B on one perfect A100 reads 15.0 GB at 2,039 GB/s: 7.36 ms', () => {
    const perfect = { memoryRatio: 1, computeRatio: 1, linkRatio: 1, collectiveMs: 0, layerMs: 0, hostMs: 0 };
    const step = rooflineStep({ ...rig('llama-3-8b', 'a100', 1), efficiency: perfect }, decodeWork(1, 0))!;
    // 16,060,522,496 bytes less the embedding table's 1,050,673,152
    expect(step.totalMs).toBeCloseTo(7.361, 2);
    expect(step.bound).toBe('memory');
  });

  it('a 2,048-token prompt of it computes 2·7.5e9·2048 flops and attention: 102 ms at 312 TFLOPS', () => {
    const perfect = { memoryRatio: 1, computeRatio: 1, linkRatio: 1, collectiveMs: 0, layerMs: 0, hostMs: 0 };
    const step = rooflineStep({ ...rig('llama-3-8b', 'a100', 1), efficiency: perfect }, prefillWork(2048))!;
    // 2 · 7.504924672e9 · 2048 = 3.074e13; attention 2 · 2,098,176 · 32 · 256 · 32 = 1.1e12
    expect(step.totalMs).toBeCloseTo(102.05, 1);
    expect(step.bound).toBe('compute');
  });

  it('law: more sequences, more context never make a step shorter; more cards never make the roof higher', () => {
    const any = fc.record({
      model: fc.constantFrom(...knownModels.map((m) => m.name)),
      card: fc.constantFrom(...cards.map((c) => c.name)),
      sequences: fc.integer({ min: 1, max: 512 }),
      context: fc.integer({ min: 0, max: 32_000 }),
    });
    fc.assert(
      fc.property(any, ({ model, card, sequences, context }) => {
        const base = rooflineStep(rig(model, card, 1), decodeWork(sequences, context))!;
        expect(rooflineStep(rig(model, card, 1), decodeWork(sequences + 8, context))!.totalMs).toBeGreaterThanOrEqual(
          base.totalMs,
        );
        expect(rooflineStep(rig(model, card, 1), decodeWork(sequences, context + 100))!.totalMs).toBeGreaterThanOrEqual(
          base.totalMs,
        );
        const two = rooflineStep(rig(model, card, 2), decodeWork(sequences, context))!;
        expect(two.memoryMs).toBeLessThanOrEqual(base.memoryMs);
        expect(two.computeMs).toBeLessThanOrEqual(base.computeMs);
      }),
      { numRuns: 60 },
    );
  });

  it('a mixture of experts reads few weights for one token and nearly all for many', () => {
    const one = rooflineStep(rig('mixtral-8x7b', 'h100', 2), decodeWork(1, 0))!;
    const many = rooflineStep(rig('mixtral-8x7b', 'h100', 2), decodeWork(64, 0))!;
    // 2 of 8 experts: 12.75 of 46.57 billion parameters
    expect(one.memoryMs / many.memoryMs).toBeCloseTo(12.75 / 46.57, 2);
  });

  it('says nothing where the sheet says nothing', () => {
    const bare = { ...rig('llama-3-8b', 'a100', 1), card: { ...findCard('a100')!, memoryBytesPerSec: null } };
    expect(rooflineStep(bare, decodeWork(1, 0))).toBeNull();
    expect(stepCostPrior(bare)).toBeNull();
  });
});

describe('stepCostPrior', () => {
  it('is positive in every term and close to the roofline where it was drawn through', () => {
    const prior = stepCostPrior(rig('qwq-32b', '910b3', 4))!;
    expect(Object.values(prior).every((term) => term > 0)).toBe(true);
    const step = rooflineStep(rig('qwq-32b', '910b3', 4), decodeWork(10, 300))!;
    const line = prior.baseMs + 10 * prior.perSequenceMs + 3 * prior.perKvKiloTokenMs;
    expect(Math.abs(line / step.totalMs - 1)).toBeLessThan(0.05);
  });
});
