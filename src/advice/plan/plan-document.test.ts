import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { cards, findModel, knownModels } from '../../inputs/hardware/index.ts';
import { planDocument, planSchema, renderPlan } from './index.ts';
import type { PlanAsked } from './index.ts';

/** The worked example of the MindIE tuning guide: Llama-3-8B, two cards of 32 GiB, 3 GiB idle, 15 GiB of weights. */
const example: PlanAsked = {
  modelName: 'llama-3-8b',
  cardMemoryGiB: 32,
  cards: 2,
  idleGiB: 3,
  weightsGiB: 15,
  inputTokens: 186,
  outputTokens: 346,
  maxOutputTokens: 512,
  blockSize: 128,
};

function mistakesOf(asked: PlanAsked): { code: string; place: string | undefined }[] {
  try {
    planDocument(asked);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.mistakes.map((m) => ({ code: m.code, place: m.place?.field ?? m.place?.flag }));
  }
  return [];
}

describe('the worked example of the MindIE guide', () => {
  const plan = planDocument(example);

  it('comes out to the digit by our arithmetic', () => {
    expect(plan).toMatchObject({
      schema: 'llmdyno.plan/1',
      kvBytesPerToken: 131_072,
      kvBytesPerTokenPerCard: 65_536,
      npuMemSizeGiB: 17,
      engineMemSizeGiB: 15,
      totalBlocks: 2176,
      blocksPerRequest: { min: 2, mean: 5, max: 6, expectedInFlight: 3.28 },
      maxBatchSize: { min: 362, mean: 435, max: 1088 },
      expectedConcurrent: 663,
      maxPrefillBatchSize: 44,
      maxPrefillTokens: 8192,
      maxSeqLen: 2560,
    });
  });

  it('comes out to the digit by the guide’s own', () => {
    expect(plan.guide).toEqual({
      kvBytesPerToken: 524_288,
      kvBytesPerTokenPerCard: 262_144,
      npuMemSizeGiB: 17,
      engineMemSizeGiB: null,
      totalBlocks: 544,
      blocksPerRequest: { min: 2, mean: 5, max: 6, expectedInFlight: null },
      maxBatchSize: { min: 90, mean: 108, max: 272 },
      startBatchSize: 200,
      maxPrefillBatchSize: 100,
      maxPrefillTokens: 8192,
    });
    expect(plan.differences.map((difference) => difference.code)).toContain('head-size');
  });

  it('fills every formula with its numbers', () => {
    const filled = Object.fromEntries(plan.formulas.map(({ name, numbers }) => [name, numbers]));
    expect(filled['npuMemSize']).toBe('⌊(32 − 3 − 7.5) × 0.8⌋ = ⌊17.2⌋ = 17 GiB');
    expect(filled['totalBlocks']).toContain('= 2176');
    expect(filled['maxBatchSize']).toContain('362, 435, 1088');
  });

  it('reads the same in both languages, digit for digit', () => {
    const digits = (text: string): string[] =>
      text.match(/\[362, 1088\]|\b2176\b|\b544\b|\[90, 272\]|\b108\b/g)!.toSorted();
    const [en, zh] = [renderPlan(plan, 'en', true), renderPlan(plan, 'zh', true)];
    expect(digits(en)).toEqual(digits(zh));
    expect(en).toContain('Total Block Num               544             2176');
    expect(zh).toContain('单卡显存');
  });

  it('shows the guide only when asked', () => {
    expect(renderPlan(plan, 'en', false)).not.toContain('544');
  });
});

describe('other published figures', () => {
  it('QwQ-32B on four cards: 8 GiB are 1,024 blocks, 35 GiB are 4,480', () => {
    // The fraction is chosen so that npuMemSize is what the published runs set.
    const of = (memory: number) =>
      planDocument({
        modelName: 'qwq-32b',
        cardMemoryGiB: memory,
        idleGiB: 0,
        weightsGiB: 0,
        memoryFraction: 1,
        cards: 4,
        inputTokens: 61,
        outputTokens: 449,
      });
    expect(of(8).totalBlocks).toBe(1024);
    expect(of(35).totalBlocks).toBe(4480);
  });

  it('the guide overstates Qwen2-72B 8 times and QwQ-32B 5 times', () => {
    for (const [modelName, times] of [
      ['qwen2-72b', 8],
      ['qwq-32b', 5],
    ] as const) {
      const plan = planDocument({ modelName, cardName: '910b3', cards: 4, inputTokens: 100, outputTokens: 100 });
      expect(plan.guide.kvBytesPerTokenPerCard / plan.kvBytesPerTokenPerCard).toBe(times);
    }
  });

  it('the waste rule of MindIE waits as its published table says', () => {
    const plan = planDocument({ ...example, weightsGiB: 0, memoryFraction: 1 });
    // P 600, D 50: at half a batch 12 rounds, at three quarters 36.
    expect(plan.advice.waitRounds).toMatchObject({ half: 12, threeQuarters: 36 });
  });

  it('a server’s own block count replaces the formula', () => {
    const plan = planDocument({ ...example, serverBlocks: { blocks: 1000, foundBy: 'npuBlockNum', line: 3 } });
    expect(plan.totalBlocks).toBe(1000);
    expect(plan.totalBlocksFrom).toBe('server-log');
    expect(plan.maxBatchSize).toEqual({ min: 166, mean: 200, max: 500 });
    expect(plan.notes.find((note) => note.code === 'blocks-from-server')!.evidence).toMatchObject({
      formulaBlocks: 2176,
    });
  });

  it('told weights are split evenly, or as the experts are spread', () => {
    const asked = {
      modelName: 'deepseek-r1',
      cardName: '910c',
      cards: 16,
      tensorParallel: 8,
      dataParallel: 2,
      weightFormat: 'int8',
      inputTokens: 500,
      outputTokens: 500,
    };
    const counted = planDocument({ ...asked, expertParallel: 16 }).memory;
    const told = planDocument({ ...asked, expertParallel: 16, weightsGiB: counted.weightsTotalGiB }).memory;
    expect(told.weightsPerCardGiB).toBeCloseTo(counted.weightsPerCardGiB, 6);
    expect(planDocument({ ...example, weightsGiB: 16 }).memory.weightsPerCardGiB).toBe(8);
  });

  it('a decode limit lowers the batch, a TTFT limit turns select-batch off', () => {
    const base = { ...example, cardName: '910b4', decodeLimitMs: 50 };
    const throughput = planDocument({ ...base, goal: 'throughput' }).advice;
    const decode = planDocument({ ...base, goal: 'decode-limit' }).advice;
    const ttft = planDocument({ ...base, goal: 'ttft-limit' }).advice;
    expect(throughput).toMatchObject({ maxBatchSize: 435, supportSelectBatch: true, boundBy: 'memory' });
    expect(decode).toMatchObject({ supportSelectBatch: true, boundBy: 'decode-limit' });
    expect(decode.maxBatchSize).toBeLessThan(435);
    expect(ttft).toMatchObject({ supportSelectBatch: false });
  });

  it('says when the prefill alone breaks the TTFT limit', () => {
    const base = {
      modelName: 'qwen2-72b',
      cardName: '910b4',
      cards: 8,
      inputTokens: 6385,
      outputTokens: 500,
      goal: 'ttft-limit',
    };
    const codes = (ttftLimitMs: number) => planDocument({ ...base, ttftLimitMs }).notes.map((note) => note.code);
    // 2 · 71.5e9 · 6385 / 8 / (280e12 / 2) is 0.8 s at the least.
    expect(codes(500)).toContain('ttft-limit-unreachable');
    expect(codes(5000)).not.toContain('ttft-limit-unreachable');
  });

  it('cost: at 36 per hour for all cards and T tokens/s a million tokens cost 1e4 / T', () => {
    const plan = planDocument({ ...example, cardName: '910b4', pricePerHour: 36 });
    const point = plan.estimates!.points.at(-1)!;
    expect(point.costPerMillionOutputTokens! * point.outputTokensPerSec).toBeCloseTo(10_000, 6);
  });
});

describe('mistakes, all at once, with the place', () => {
  it.each<[string, PlanAsked, { code: string; place: string | undefined }[]]>([
    ['zero cards', { ...example, cards: 0 }, [{ code: 'number-out-of-range', place: '--cards' }]],
    ['a negative size', { ...example, idleGiB: -3 }, [{ code: 'number-out-of-range', place: '--idle-gib' }]],
    [
      'heads not divided',
      { ...example, cards: 3 },
      [{ code: 'tensor-parallel-does-not-divide-heads', place: 'num_attention_heads' }],
    ],
    [
      'weights larger than memory',
      { ...example, weightsGiB: 70 },
      [{ code: 'weights-larger-than-memory', place: '--weights-gib' }],
    ],
    ['no room for a cache', { ...example, weightsGiB: 57.9 }, [{ code: 'no-room-for-kv-cache', place: '--cards' }]],
    [
      'cards that do not add up',
      { ...example, cards: 4, tensorParallel: 3 },
      [{ code: 'cards-do-not-add-up', place: '--cards' }],
    ],
    ['an unknown model', { ...example, modelName: 'lama-3-8' }, [{ code: 'model-not-known', place: '--model' }]],
    ['no card', { modelName: 'llama-3-8b' }, [{ code: 'card-missing', place: '--card' }]],
    [
      'mean above maximum',
      { ...example, maxOutputTokens: 100 },
      [{ code: 'number-out-of-range', place: '--max-output-tokens' }],
    ],
    [
      'a config without layers',
      {
        ...example,
        modelName: 'x',
        modelConfig: { hidden_size: 64, num_attention_heads: 2, vocab_size: 10, intermediate_size: 9 },
      },
      [{ code: 'model-config-field-missing', place: 'num_hidden_layers' }],
    ],
    [
      'three at once',
      { ...example, modelName: 'nothing', blockSize: 0, kvFormat: 'int3' },
      [
        { code: 'model-not-known', place: '--model' },
        { code: 'number-out-of-range', place: '--block-size' },
        { code: 'format-not-known', place: '--kv-dtype' },
      ],
    ],
  ])('%s', (_, asked, expected) => {
    expect(mistakesOf(asked)).toEqual(expected);
  });

  it('says how many cards would do', () => {
    const mistakes = (() => {
      try {
        planDocument({ modelName: 'qwen2-72b', cardName: '910b4', cards: 2, inputTokens: 100, outputTokens: 100 });
        return [];
      } catch (error) {
        return (error as UserError).mistakes;
      }
    })();
    // 135.4 GiB over cards of 29 free GiB are 6, and 64 heads divide by 8 next.
    expect(mistakes[0]!.hint.en).toContain('at least 8 cards (now 2)');
    expect(mistakes[0]!.hint.zh).toContain('至少 8 张卡');
  });
});

describe('laws over every known model and card', () => {
  const any = fc.record({
    modelName: fc.constantFrom(...knownModels.map((m) => m.name)),
    cardName: fc.constantFrom(...cards.map((c) => c.name)),
    cards: fc.constantFrom(1, 2, 4, 8, 16),
    inputTokens: fc.integer({ min: 1, max: 20_000 }),
    outputTokens: fc.integer({ min: 1, max: 8000 }),
    blockSize: fc.constantFrom(16, 64, 128),
  });

  it('a plan either is refused with a UserError or holds: schema, order, memory and blocks within bounds', () => {
    fc.assert(
      fc.property(any, (asked) => {
        let plan;
        try {
          plan = planDocument(asked);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          return;
        }
        planSchema.parse(JSON.parse(JSON.stringify(plan)));
        const { memory, maxBatchSize: batch, blocksPerRequest: per } = plan;
        expect(memory.idleGiB + memory.weightsPerCardGiB + plan.npuMemSizeGiB).toBeLessThanOrEqual(memory.totalGiB);
        expect(plan.totalBlocks * plan.kvBytesPerTokenPerCard * asked.blockSize).toBeLessThanOrEqual(
          plan.npuMemSizeGiB * 2 ** 30,
        );
        expect(batch.min).toBeLessThanOrEqual(batch.mean);
        expect(batch.mean).toBeLessThanOrEqual(batch.max);
        expect(per.min).toBeLessThanOrEqual(per.expectedInFlight);
        expect(per.expectedInFlight).toBeLessThanOrEqual(per.mean);
        expect(plan.advice.maxPrefillBatchSize).toBeLessThanOrEqual(plan.advice.maxBatchSize);
        expect(plan.advice.maxPrefillTokens).toBeGreaterThanOrEqual(plan.advice.maxInputTokenLen);
        renderPlan(plan, 'zh', true);
      }),
      { numRuns: 120 },
    );
  });

  it('int8 KV never lowers the number of blocks, and nearly doubles it without MLA', () => {
    const asked = { cardName: '910b3', cards: 8, inputTokens: 1000, outputTokens: 1000 };
    for (const modelName of ['llama-3-8b', 'qwen2-72b', 'qwq-32b']) {
      const wide = planDocument({ ...asked, modelName }).totalBlocks;
      expect(planDocument({ ...asked, modelName, kvFormat: 'int8' }).totalBlocks).toBeGreaterThanOrEqual(2 * wide);
    }
  });

  it('a config.json and the same model by name give the same plan', () => {
    const { shape } = findModel('qwen3-32b')!;
    const config = {
      model_type: 'qwen3',
      num_hidden_layers: shape.layers,
      hidden_size: 5120,
      intermediate_size: 25600,
      num_attention_heads: 64,
      num_key_value_heads: 8,
      head_dim: 128,
      vocab_size: 151936,
      max_position_embeddings: 40960,
      torch_dtype: 'bfloat16',
    };
    const asked = { cardName: '910b3', cards: 4, inputTokens: 1000, outputTokens: 500 };
    const byName = planDocument({ ...asked, modelName: 'qwen3-32b' });
    const byFile = planDocument({ ...asked, modelConfig: config });
    expect(byFile.totalBlocks).toBe(byName.totalBlocks);
    expect(byFile.memory.weightsPerCardGiB).toBe(byName.memory.weightsPerCardGiB);
  });
});
