import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import {
  checkMindieConfig,
  emitVllm,
  mindiePatch,
  planCheckSchema,
  planDocument,
  renderCheck,
  withPatch,
} from './index.ts';

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../test/fixtures/plan/${name}.json`, import.meta.url), 'utf8'));
const good = fixture('mindie-good');
const plan = planDocument({
  modelName: 'llama-3-8b',
  cardName: '910b4',
  cards: 2,
  idleGiB: 3,
  weightsGiB: 15,
  inputTokens: 186,
  outputTokens: 346,
  maxOutputTokens: 512,
});
const facts = { file: 'config.json', mode: 0o640, plan };
const codes = (json: unknown): string[] =>
  checkMindieConfig(json, facts).verdict.findings.map((finding) => finding.code);

describe('checkMindieConfig', () => {
  it('finds nothing in a good file', () => {
    const check = checkMindieConfig(good, facts);
    expect(check.verdict).toEqual({ valid: true, findings: [] });
    planCheckSchema.parse(check);
  });

  it.each(
    (fixture('mindie-mistakes') as { finds: string; patch: unknown }[]).map(
      ({ finds, patch }) => [finds, patch] as const,
    ),
  )('finds %s (%#)', (finds, patch) => {
    expect(codes(withPatch(good, patch))).toContain(finds);
  });

  it('one seeded mistake gives few findings, so that a reader sees it', () => {
    for (const { finds, patch } of fixture('mindie-mistakes') as { finds: string; patch: unknown }[]) {
      expect({ finds, count: codes(withPatch(good, patch)).length <= 3 }).toEqual({ finds, count: true });
    }
  });

  it('finds the slips of the tuning guide’s own example', () => {
    const found = checkMindieConfig(fixture('mindie-guide-example'), facts).verdict;
    expect(found.valid).toBe(false);
    expect(found.findings.map((f) => [f.code, f.evidence['field']])).toEqual([
      ['mindie-mis-cased', 'ModelConfig.modelname'],
      ['mindie-mis-cased', 'ModelConfig.BackendType'],
      ['answers-cut-short', 'maxIterTimes'],
      ['memory-in-the-wrong-field', 'cpuMemSize'],
    ]);
  });

  it('warns of a file that others may read', () => {
    expect(checkMindieConfig(good, { ...facts, mode: 0o644 }).verdict.findings.map((f) => f.code)).toEqual([
      'file-mode',
    ]);
  });

  it.each([[[]], [null], [{ hidden_size: 4096 }], [{ OtherParam: {} }]])(
    'refuses what is not such a file: %j',
    (json) => {
      expect(() => checkMindieConfig(json, facts)).toThrow(UserError);
    },
  );

  it('lists missing sections instead of failing', () => {
    expect(codes({ ServerConfig: {} })).toContain('mindie-section-missing');
  });

  it('speaks both languages, worst first', () => {
    const check = checkMindieConfig(fixture('mindie-guide-example'), facts);
    expect(renderCheck(check, 'en')).toMatch(/2 wrong, 2 risky or slow/);
    expect(renderCheck(check, 'zh')).toMatch(/2 处错误/);
  });
});

describe('emitting', () => {
  it('a patch over the good file is a good file, for every goal and spread', () => {
    const ways = [
      planDocument({
        modelName: 'llama-3-8b',
        cardName: '910b4',
        cards: 2,
        inputTokens: 186,
        outputTokens: 346,
        maxOutputTokens: 2048,
      }),
      planDocument({
        modelName: 'qwq-32b',
        cardName: '910b3',
        cards: 4,
        inputTokens: 6385,
        outputTokens: 1000,
        maxInputTokens: 8192,
        maxOutputTokens: 8192,
        goal: 'ttft-limit',
        swap: true,
      }),
      planDocument({
        modelName: 'deepseek-r1',
        cardName: '910c',
        cards: 16,
        dataParallel: 2,
        tensorParallel: 8,
        expertParallel: 16,
        weightFormat: 'int8',
        inputTokens: 1000,
        outputTokens: 1000,
        maxOutputTokens: 4000,
      }),
    ];
    for (const way of ways) {
      const check = checkMindieConfig(withPatch(good, mindiePatch(way)), { ...facts, plan: way });
      expect(
        check.verdict.findings.filter((finding) => finding.severity !== 'info').map((finding) => finding.code),
      ).toEqual([]);
    }
  });

  it('has the contract’s numbers in MindIE’s own nesting', () => {
    expect(mindiePatch(plan)).toMatchObject({
      BackendConfig: {
        npuDeviceIds: [[0, 1]],
        ModelDeployConfig: {
          maxSeqLen: 2560,
          maxInputTokenLen: 2048,
          ModelConfig: [{ worldSize: 2, npuMemSize: 17, cpuMemSize: 0 }],
        },
        ScheduleConfig: { maxBatchSize: 435, maxPrefillBatchSize: 44, maxPrefillTokens: 8192, maxIterTimes: 512 },
      },
    });
  });

  it('keeps everything of a template that the plan does not decide', () => {
    const whole = withPatch(good, mindiePatch(plan)) as {
      BackendConfig: { ModelDeployConfig: { ModelConfig: { modelWeightPath: string }[] } };
    };
    expect(whole.BackendConfig.ModelDeployConfig.ModelConfig[0]!.modelWeightPath).toBe('/weights/LLaMa3-8B');
  });

  it('a hostile template changes no prototype', () => {
    const merged = withPatch(JSON.parse('{"__proto__": {"polluted": 1}, "a": {}}'), { a: { b: 1 } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys(merged as object)).toEqual(['__proto__', 'a']);
  });

  it('has no pipeline to give MindIE', () => {
    const staged = planDocument({
      modelName: 'qwen2-72b',
      cardName: '910b3',
      cards: 4,
      pipelineParallel: 2,
      inputTokens: 100,
      outputTokens: 100,
    });
    expect(() => mindiePatch(staged)).toThrow(UserError);
  });

  it('writes a vllm serve line that a shell reads back', () => {
    const line = emitVllm(plan, { model: "/weights/it's here", kvFormat: 'fp8' });
    expect(line).toBe(
      "vllm serve '/weights/it'\\''s here' \\\n  --tensor-parallel-size 2 \\\n  --gpu-memory-utilization 0.9 \\\n  --max-model-len 2560 \\\n" +
        '  --max-num-seqs 616 \\\n  --max-num-batched-tokens 8192 \\\n  --kv-cache-dtype fp8\n',
    );
  });
});
