import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { cards, knownModels } from '../../inputs/hardware/index.ts';
import { engineRules } from './engine-rules.ts';
import { emitSglang, emitVllm, mindiePatch, planDocument } from './index.ts';
import type { PlanAsked, PlanDocument } from './index.ts';

const target = { model: 'm', kvFormat: null };

/** The flags of a written command line, as a shell and the engine would read them. */
function flagsIn(text: string): Map<string, string> {
  const words = text.replaceAll('\\\n', ' ').split(/\s+/);
  const flags = words.flatMap((word, at) => (word.startsWith('--') ? [[word, words[at + 1] ?? ''] as const] : []));
  return new Map(flags);
}

const numberIn = (flags: Map<string, string>, name: string): number => Number(flags.get(name));

/** What was written, or null where the plan or the line was refused with a mistake and a hint. */
function written<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    for (const { message, hint } of error.mistakes) {
      expect([message.en, message.zh, hint.en, hint.zh]).not.toContain('');
    }
    return null;
  }
}

const power = (most: number): fc.Arbitrary<number> => fc.nat(most).map((n) => 2 ** n);

const anyRig: fc.Arbitrary<PlanAsked> = fc
  .record({
    modelName: fc.constantFrom(...knownModels.map(({ name }) => name)),
    cardName: fc.constantFrom(...cards.map(({ name }) => name)),
    tensorParallel: power(4),
    dataParallel: power(2),
    pipelineParallel: fc.constantFrom(1, 1, 2),
    inputTokens: fc.integer({ min: 1, max: 200_000 }),
    outputTokens: fc.integer({ min: 1, max: 40_000 }),
    gpuMemoryUtilization: fc.constantFrom(0.5, 0.9, 0.95, 1),
    kvFormat: fc.constantFrom('auto', 'fp8'),
    weightFormat: fc.constantFrom('auto', 'fp8', 'int4'),
    goal: fc.constantFrom('throughput', 'ttft-limit'),
  })
  .map((asked) => ({ ...asked, weightsGiB: 1 + (asked.tensorParallel % 3) * 20 }));

/** For any model, card, spread and lengths: the law holds of every line that is written, and some are. */
function forAllLines(
  emit: (plan: PlanDocument) => string,
  law: (flags: Map<string, string>, plan: PlanDocument) => void,
) {
  let lines = 0;
  fc.assert(
    fc.property(anyRig, (asked) => {
      const plan = written(() => planDocument(asked));
      const text = plan === null ? null : written(() => emit(plan));
      if (plan === null || text === null) return;
      lines++;
      law(flagsIn(text), plan);
    }),
    { numRuns: 1500 },
  );
  expect(lines).toBeGreaterThan(50);
}

describe('what a plan writes for vLLM', () => {
  it('has a token a step for each sequence', () => {
    forAllLines(
      (plan) => emitVllm(plan, target),
      (flags) => {
        const seqs = numberIn(flags, '--max-num-seqs');
        expect(seqs).toBeGreaterThanOrEqual(1);
        expect(numberIn(flags, '--max-num-batched-tokens')).toBeGreaterThanOrEqual(seqs);
      },
    );
  });

  it('is no longer than the model, fits one longest request, and splits heads evenly', () => {
    forAllLines(
      (plan) => emitVllm(plan, target),
      (flags, plan) => {
        const length = numberIn(flags, '--max-model-len');
        expect(length).toBeLessThanOrEqual(plan.model.maxPositionTokens ?? Infinity);
        expect(plan.vllm.longestRequestGiB).toBeLessThanOrEqual(plan.vllm.kvCacheGiB);
        const [tensor, heads] = [numberIn(flags, '--tensor-parallel-size'), plan.model.kvHeads];
        if (plan.model.attention !== 'mla') expect(Math.max(tensor, heads) % Math.min(tensor, heads)).toBe(0);
        const share = numberIn(flags, '--gpu-memory-utilization');
        expect(share > 0 && share <= 1).toBe(true);
        expect(flags.has('--block-size')).toBe(false);
      },
    );
  });

  it('keeps the batch that vLLM 0.32 refused within its step: 15,586 sequences at 8,192 tokens', () => {
    const plan = planDocument({ modelName: 'qwen2.5-0.5b', cardName: 'h200', inputTokens: 512, outputTokens: 128 });
    expect([plan.vllm.maxNumSeqs, plan.vllm.maxNumBatchedTokens]).toEqual([8192, 8192]);
    expect(emitVllm(plan, target)).toContain('--max-num-seqs 8192');
  });

  it.each(['int8', 'int4', 'float32'])('refuses a KV cache in %s, which neither engine has', (kvFormat) => {
    const plan = planDocument({ modelName: 'llama-3-8b', cardName: 'h200', inputTokens: 512, outputTokens: 128 });
    for (const emit of [emitVllm, emitSglang])
      expect(() => emit(plan, { ...target, kvFormat })).toThrow(/has no KV cache in/);
  });
});

describe('what a plan writes for SGLang', () => {
  it('has chunks of whole pages, a share between 0 and 1, and a length of the model’s', () => {
    forAllLines(
      (plan) => emitSglang(plan, target),
      (flags, plan) => {
        expect(numberIn(flags, '--chunked-prefill-size') % 128).toBe(0);
        const share = numberIn(flags, '--mem-fraction-static');
        expect(share > 0 && share <= 1).toBe(true);
        expect(numberIn(flags, '--context-length')).toBeLessThanOrEqual(plan.model.maxPositionTokens ?? Infinity);
        expect(numberIn(flags, '--max-running-requests')).toBeGreaterThanOrEqual(1);
      },
    );
  });

  it('names the cache as SGLang does, and spreads experts over all of tensor or not at all', () => {
    const deep = { modelName: 'deepseek-v3', cardName: 'h200', cards: 16, inputTokens: 512, outputTokens: 128 };
    const whole = emitSglang(planDocument({ ...deep, expertParallel: 16 }), { ...target, kvFormat: 'fp8' });
    expect(whole).toContain('--ep-size 16');
    expect(whole).toContain('--kv-cache-dtype fp8_e4m3');
    expect(() => emitSglang(planDocument({ ...deep, expertParallel: 8 }), target)).toThrow(/over 16 cards here, not/);
  });
});

describe('what a plan writes for MindIE', () => {
  it('bends no rule of its config.json', () => {
    forAllLines(
      (plan) => JSON.stringify(mindiePatch(plan)),
      (_flags, plan) => {
        const patch = mindiePatch(plan) as { BackendConfig: { ScheduleConfig: Record<string, number> } };
        const set = patch.BackendConfig.ScheduleConfig;
        expect(set['maxPrefillBatchSize']).toBeLessThanOrEqual(set['maxBatchSize']!);
        expect(set['maxPrefillTokens']).toBeGreaterThanOrEqual(plan.workload.maxInputTokens);
        expect(set['maxBatchSize']).toBeLessThanOrEqual(819_200);
      },
    );
  });

  it('refuses a block that MindIE cannot lay out', () => {
    const plan = planDocument({ modelName: 'llama-3-8b', cardName: '910b4', cards: 2, blockSize: 100 });
    expect(() => mindiePatch(plan)).toThrow(/not a multiple of 16/);
  });
});

it('every rule of an engine names the file that says so', () => {
  for (const { source } of engineRules) expect(source).toMatch(/\/\w+\.py, /);
});
