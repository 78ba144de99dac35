import { describe, expect, test } from 'vitest';
import {
  cardOfDevice,
  cards,
  cardsOf,
  findCard,
  findModel,
  kvBytesOf,
  parallelMistakes,
  prefillWork,
  rooflineStep,
  sequenceBytesPerCard,
  stepCostPrior,
} from './index.ts';
import type { ModelShape, Parallel, Rig } from './index.ts';
import { weightBytesOf } from './weight-bytes.ts';

const llama = findModel('llama-3-8b')!.shape;
const deepseek = findModel('deepseek-v3')!.shape;
const over = (parts: Partial<Parallel> = {}): Parallel => ({ tensor: 1, pipeline: 1, data: 1, expert: null, ...parts });

describe('a model spread over cards', () => {
  test('takes as many cards as its parts say', () => {
    expect(cardsOf(over({ tensor: 4, pipeline: 3, data: 2 }))).toBe(24);
  });

  test('is refused where heads, layers or experts do not divide, with the sizes that do', () => {
    const codes = (shape: ModelShape, parts: Partial<Parallel>): string[] =>
      parallelMistakes(shape, over(parts)).map(({ code }) => code);
    expect(codes(llama, { tensor: 8, pipeline: llama.layers })).toEqual([]);
    expect(codes(llama, { tensor: 3, pipeline: llama.layers + 1, expert: 2 })).toEqual([
      'tensor-parallel-does-not-divide-heads',
      'more-stages-than-layers',
      'no-experts-to-spread',
    ]);
    expect([codes(deepseek, { expert: 8 }), codes(deepseek, { expert: 7 })]).toEqual([
      [],
      ['expert-parallel-does-not-divide-experts'],
    ]);
    // 32 heads.
    expect(parallelMistakes(llama, over({ tensor: 3 }))[0]!.hint.en).toContain('out of 1, 2, 4, 8, 16, 32,');
  });

  test('keeps of a token what its definition says: KV heads are cut down to one a card, stages cut layers, a latent stays whole', () => {
    const plain = { format: null, withMtp: false };
    // 8 KV heads of 128, keys and values, 2 bytes, 32 layers.
    expect(kvBytesOf(llama, over({ tensor: 2, pipeline: 3 }), plain)).toEqual({
      perToken: 8 * 2 * 128 * 2 * 32,
      perTokenPerCard: 4 * 2 * 128 * 2 * 11,
      windowedPerTokenPerCard: 0,
      windowTokens: null,
    });
    expect(kvBytesOf(llama, over({ tensor: 16 }), plain).perTokenPerCard).toBe(1 * 2 * 128 * 2 * 32);
    expect(kvBytesOf(llama, over(), { format: 'int8', withMtp: false }).perToken).toBe(8 * 2 * 128 * 32);
    // 512 of the latent in one byte, 64 of the rotary part in two, 61 layers and one that guesses.
    const latent = kvBytesOf(deepseek, over({ tensor: 8 }), { format: 'int8', withMtp: true });
    expect(latent.perTokenPerCard).toBe((512 + 64 * 2) * (61 + deepseek.mtpLayers));
    expect(kvBytesOf(deepseek, over(), plain).perToken).toBe((512 + 64) * 2 * 61);
  });

  test('a card of a stage keeps the weights of its layers and the larger end; both ends are as large, so two stages halve them', () => {
    const per = (pipeline: number) => weightBytesOf(llama, over({ pipeline }), { format: null, withMtp: false });
    expect(per(2).totalBytes).toBe(per(1).totalBytes);
    expect(per(1).perCardBytes).toBe(per(1).totalBytes);
    expect(per(2).perCardBytes / per(1).totalBytes).toBeCloseTo(0.5, 5);
    // 11 of 32 layers.
    const end = (llama.vocabSize * llama.hiddenSize * 2) / per(1).totalBytes;
    expect(per(3).perCardBytes / per(1).totalBytes).toBeCloseTo((1 - 2 * end) * (11 / 32) + end, 5);
  });

  test('a window stops the growth of its layers only', () => {
    const sliding = { ...llama, sliding: { windowTokens: 100, layers: 20 } };
    const kv = kvBytesOf(sliding, over({ pipeline: 2 }), { format: null, withMtp: false });
    const layer = 8 * 2 * 128 * 2;
    expect(kv).toMatchObject({ windowTokens: 100, windowedPerTokenPerCard: 10 * layer, perTokenPerCard: 16 * layer });
    expect(sequenceBytesPerCard(kv, 60)).toBe(60 * 16 * layer);
    expect(sequenceBytesPerCard(kv, 400)).toBe(400 * 6 * layer + 100 * 10 * layer);
  });
});

describe('the time of a step', () => {
  const rig: Rig = {
    shape: llama,
    card: findCard('a100')!,
    parallel: over({ tensor: 4 }),
    weights: { format: null, withMtp: false },
    kv: { format: null, withMtp: false },
    efficiency: { memoryRatio: 0.5, computeRatio: 0.25, linkRatio: 0.2, collectiveMs: 0.1, layerMs: 0.01, hostMs: 2 },
  };
  const bare = {
    ...rig,
    efficiency: { memoryRatio: 1, computeRatio: 1, linkRatio: 1, collectiveMs: 0, layerMs: 0, hostMs: 0 },
  };

  test('is the roof, two all-reduces a layer, the launches and the host; shares of the peaks stretch it', () => {
    const [step, ideal] = [rooflineStep(rig, prefillWork(1000))!, rooflineStep(bare, prefillWork(1000))!];
    expect(step.memoryMs).toBeCloseTo(ideal.memoryMs / 0.5, 9);
    expect(step.computeMs).toBeCloseTo(ideal.computeMs / 0.25, 9);
    // 1,000 tokens of 4,096 in 2 bytes, 2·3/4 of them each time.
    const moved = ((1000 * 4096 * 2 * 1.5) / (rig.card.linkBytesPerSec! * 0.2)) * 1000;
    expect(step.linkMs).toBeCloseTo(64 * (0.1 + moved), 6);
    expect(step.overheadMs).toBeCloseTo(32 * 0.01 + 2, 9);
    expect(step.totalMs).toBeCloseTo(Math.max(step.memoryMs, step.computeMs) + step.linkMs + step.overheadMs, 9);
    expect(rooflineStep({ ...rig, parallel: over() }, prefillWork(1000))!.linkMs).toBe(0);
  });

  test('is bound by the largest of its parts', () => {
    const bound = (tokens: number, efficiency: Partial<Rig['efficiency']> = {}) =>
      rooflineStep(
        { ...bare, parallel: over(), efficiency: { ...bare.efficiency, ...efficiency } },
        prefillWork(tokens),
      )!.bound;
    expect([bound(1), bound(4000), bound(1, { hostMs: 1e6 }), bound(1, { layerMs: 1e6 })]).toEqual([
      'memory',
      'compute',
      'overhead',
      'overhead',
    ]);
    expect(rooflineStep({ ...rig, efficiency: { ...bare.efficiency, collectiveMs: 1e6 } }, prefillWork(1))!.bound).toBe(
      'overhead',
    );
  });

  test('as a line goes through a step that decodes one sequence and one that reads 4,096 tokens, and is unknown with the rates', () => {
    const line = stepCostPrior(rig)!;
    const at = (tokens: number) => rooflineStep(rig, { tokens, contextTokens: 0, attendedTokens: 0 })!.totalMs;
    expect(line.baseMs + line.perPrefillTokenMs * 4096).toBeCloseTo(at(4096), 6);
    expect(line.baseMs + line.perSequenceMs).toBeCloseTo(at(1), 6);
    expect(line.baseMs + 257 * line.perSequenceMs).toBeCloseTo(at(257), 6);
    const long = rooflineStep(rig, prefillWork(4096))!;
    expect(at(4096) + (line.perAttendedMegaTokenMs * (4096 * 4097)) / 2 / 1e6).toBeCloseTo(long.totalMs, 6);
    // 131,072 bytes a token on 4 cards, at half of the bandwidth.
    expect(line.perKvKiloTokenMs).toBeCloseTo((((131_072 / 4) * 1000) / (rig.card.memoryBytesPerSec! * 0.5)) * 1000, 6);
    expect(stepCostPrior({ ...rig, card: { ...rig.card, memoryBytesPerSec: null } })).toBeNull();
    expect(stepCostPrior({ ...rig, card: { ...rig.card, fp16FlopsPerSec: null } })).toBeNull();
  });
});

test('every card is found by the name and memory that its tool tells, and not with much more or less memory', () => {
  for (const card of cards) {
    expect(cardOfDevice(card.name, card.memoryBytes)?.memoryBytes).toBe(card.memoryBytes);
    expect(cardOfDevice(card.name, card.memoryBytes * 3)?.name).not.toBe(card.name);
  }
  const gib = 2 ** 30;
  expect(cardOfDevice('NVIDIA A100-SXM4-80GB', 80 * gib)?.memoryBytes).toBe(80 * gib);
  expect(cardOfDevice('NVIDIA A100-PCIE-40GB', 40 * gib)?.memoryBytes).toBe(40 * gib);
  expect([cardOfDevice(null, 80 * gib), cardOfDevice('Voodoo 3', 80 * gib)]).toEqual([null, null]);
});
