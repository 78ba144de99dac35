import { describe, expect, test } from 'vitest';
import { UserError } from '../../core/index.ts';
import { readFileSync } from 'node:fs';
import {
  checkMindieConfig,
  emitSglang,
  emitVllm,
  mindiePatch,
  planDocument,
  renderCheck,
  renderPlan,
  withPatch,
} from './index.ts';
import type { PlanAsked } from './index.ts';
import { mindieSections } from './mindie-fields.ts';
import { checkSection } from './check-mindie-fields.ts';
import type { FieldRule, MindieSection } from './mindie-fields.ts';

const golden = '../../../test/fixtures/plan';
const lengths = { inputTokens: 512, outputTokens: 128, maxOutputTokens: 1024 };

/** A plan for each thing that a plan says only of some. */
const asked: Readonly<Record<string, PlanAsked>> = {
  'two small cards': { modelName: 'llama-3-8b', cardName: '910b4', cards: 2, idleGiB: 3, weightsGiB: 15, ...lengths },
  'decoding within a limit': {
    modelName: 'qwen2.5-7b',
    cardName: 'h200',
    cards: 1,
    goal: 'decode-limit',
    decodeLimitMs: 20,
    ttftLimitMs: 5,
    pricePerHour: 3.5,
    swap: true,
    ...lengths,
  },
  'a limit that nothing keeps': {
    modelName: 'qwen2-72b',
    cardName: '910b3',
    cards: 8,
    goal: 'ttft-limit',
    decodeLimitMs: 1,
    measuredPrefillMs: 4000,
    measuredDecodeMs: 0.2,
    kvFormat: 'int8',
    ...lengths,
  },
  'latent attention, stages and replicas': {
    modelName: 'deepseek-v3',
    cardName: 'h200',
    tensorParallel: 8,
    pipelineParallel: 2,
    dataParallel: 2,
    mtpTokens: 1,
    kvFormat: 'fp8',
    ...lengths,
  },
  'more cards than KV heads': {
    modelName: 'qwen2-72b',
    cardName: '910b4',
    tensorParallel: 16,
    inputTokens: 4000,
    outputTokens: 4000,
  },
  'one request that does not fit': {
    modelName: 'qwen2.5-7b',
    cardMemoryGiB: 26,
    idleGiB: 1,
    memoryFraction: 0.5,
    inputTokens: 30_000,
    outputTokens: 30_000,
    maxInputTokens: 60_000,
    maxOutputTokens: 80_000,
  },
  'blocks that the server told': {
    modelName: 'qwen2.5-7b',
    cardName: 'h200',
    serverBlocks: { blocks: 20_000, line: 7, foundBy: 'num_gpu_blocks' },
    serverSettings: { maxBatchSize: 256, maxPrefillTokens: 100 },
    ...lengths,
  },
  'no room': { modelName: 'qwen2-72b', cardName: '910b4', cards: 2, ...lengths },
  'no room beside the weights': {
    modelName: 'qwen2-72b',
    cardMemoryGiB: 40,
    idleGiB: 1,
    cards: 4,
    inputTokens: 30_000,
    outputTokens: 9000,
  },
  'short ones, thousands at once': {
    modelName: 'qwen2.5-7b',
    cardName: 'h200',
    inputTokens: 16,
    outputTokens: 16,
    maxOutputTokens: 16,
  },
};

test('every kind of plan comes out as agreed', async () => {
  const pages = Object.entries(asked).flatMap(([name, one], i) => {
    const plan = planned(one);
    if (typeof plan === 'string') return [`# ${name}`, plan];
    const { schema: _, ...told } = plan;
    const lines = Object.entries(told).flatMap(([key, value]) =>
      (Array.isArray(value) ? value : [value]).map((part) => `${key} ${JSON.stringify(rounded(part))}`),
    );
    const target = { model: 'm', kvFormat: null };
    const written = [
      () => JSON.stringify(mindiePatch(plan)),
      ...[emitVllm, emitSglang].map((emit) => () => emit(plan, target)),
    ];
    return [`# ${name}`, ...lines, ...written.map(orRefused), renderPlan(plan, i % 2 === 0 ? 'en' : 'zh', true)];
  });
  await expect(pages.join('\n')).toMatchFileSnapshot(`${golden}/plans.golden.txt`);
});

function planned(one: PlanAsked) {
  return orRefused(() => planDocument(one));
}

function orRefused<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof UserError) return `refused: ${error.message}`;
    throw error;
  }
}

/** Said again where the plan is told to people. */
const words: ReadonlySet<string> = new Set(['zh', 'message']);

function rounded(part: unknown): unknown {
  return JSON.parse(
    JSON.stringify(part, (key, value: unknown) =>
      words.has(key) ? undefined : typeof value === 'number' ? Number(value.toPrecision(6)) : value,
    ) ?? 'null',
  );
}

describe('a field of MindIE’s file', () => {
  const rules = Object.entries(mindieSections).flatMap(([section, fields]) =>
    Object.entries(fields as Record<string, FieldRule>).map(
      ([key, rule]) => [section as MindieSection, key, rule] as const,
    ),
  );
  const saidOf = (section: MindieSection, key: string, value: unknown): string[] =>
    checkSection(section, { [key]: value })
      .filter(({ field }) => field?.endsWith(key) === true)
      .map(({ en }) => en[0]);

  test('is told its range, its words or its kind as agreed, where it has none of them', async () => {
    const lines = rules.map(([section, key]) => {
      const told = [-99, 'no such word', 'x'.repeat(300), true, 1.5].map((value) => saidOf(section, key, value).join());
      return `${section}.${key}: ${[...new Set(told)].map((one) => (one === '' ? 'nothing' : one)).join(' | ')}`;
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`${golden}/mindie-fields.golden.txt`);
  });

  test('may have both ends of its range and nothing beyond them', () => {
    const ints = rules.flatMap(([section, key, rule]) => (rule.kind === 'int' ? [[section, key, rule] as const] : []));
    for (const [section, key, rule] of ints) {
      const step = rule.multipleOf ?? 1;
      const inside = [Math.max(rule.min, step), rule.max, ...(rule.also ?? [])];
      expect([key, ...inside.flatMap((value) => saidOf(section, key, value))]).toEqual([key]);
      for (const value of [rule.min - 1, rule.max + 1])
        if (rule.also?.includes(value) !== true) expect([key, saidOf(section, key, value).length]).toEqual([key, 1]);
    }
    expect(ints.length).toBeGreaterThan(40);
  });

  test('is missed where the server needs it, and nowhere else', async () => {
    const missing = Object.keys(mindieSections).flatMap((section) =>
      checkSection(section as MindieSection, {}).map(({ field }) => field),
    );
    await expect(`${missing.join('\n')}\n`).toMatchFileSnapshot(`${golden}/mindie-needs.golden.txt`);
  });
});

test('every mistake of a file is told as agreed', async () => {
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../../test/fixtures/plan/${name}.json`, import.meta.url), 'utf8'));
  const plan = planDocument(asked['two small cards']!);
  const pages = (read('mindie-mistakes') as { finds: string; patch: unknown }[]).map(({ finds, patch }) => {
    const check = checkMindieConfig(withPatch(read('mindie-good'), patch), { file: 'config.json', mode: 0o640, plan });
    return `# ${finds} ${JSON.stringify(check.verdict.findings.map(({ evidence }) => evidence))}\n${renderCheck(check, 'en')}`;
  });
  await expect(pages.join('\n')).toMatchFileSnapshot(`${golden}/mindie-mistakes.golden.txt`);
});
