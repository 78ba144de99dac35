import { expect, test } from 'vitest';
import { estimatesOf, largestBatchWithin, pointAt, rigOf } from './estimates.ts';
import { apiServersFor } from './front.ts';
import { blocksInServerLog, checkMindieConfig, checkVllm, planDocument, withPatch } from './index.ts';
import type { PlanAsked } from './index.ts';
import { readFileSync } from 'node:fs';
import { settleRequest } from './plan-request.ts';
import { waitRounds } from './advice.ts';

const asked: PlanAsked = { modelName: 'qwen2.5-7b', cardName: 'h200', inputTokens: 512, outputTokens: 128 };
const plan = planDocument(asked);

test('a batch is below what the cache holds where twice as many fit, and beyond it from one more on', () => {
  const codes = (seqs: number, tokens: number): string[] =>
    checkVllm(`GPU KV cache size: ${tokens} tokens\nnon-default args: {'max_num_seqs': ${seqs}}\n`, {
      file: 'a.log',
      plan,
    })
      .verdict.findings.map(({ code }) => code)
      .filter((code) => code.startsWith('batch-'));
  // Requests of 640 tokens: 64,000 hold 100.
  expect([codes(50, 64_000), codes(51, 64_000), codes(100, 64_000), codes(101, 64_000), codes(100, 63_999)]).toEqual([
    ['batch-below-cache'],
    [],
    [],
    ['batch-beyond-cache'],
    ['batch-beyond-cache'],
  ]);
});

test('memory of a MindIE config is too much from above the room on, and unused below seven tenths of the plan', () => {
  const good: unknown = JSON.parse(
    readFileSync(new URL('../../../test/fixtures/plan/mindie-good.json', import.meta.url), 'utf8'),
  );
  const whole = {
    ...plan,
    npuMemSizeGiB: 20,
    memory: { ...plan.memory, totalGiB: 40, idleGiB: 3, weightsPerCardGiB: 10, activationGiB: 1 },
  };
  const codes = (npuMemSize: number): string[] =>
    checkMindieConfig(withPatch(good, { BackendConfig: { ModelDeployConfig: { ModelConfig: [{ npuMemSize }] } } }), {
      file: 'config.json',
      mode: 0o640,
      plan: whole,
    })
      .verdict.findings.map(({ code }) => code)
      .filter((code) => code.startsWith('m') && code.includes('memory'));
  expect([-1, 13, 14, 26, 27].map(codes)).toEqual([[], ['memory-unused'], [], [], ['more-memory-than-there-is']]);
});

test('the largest batch within a limit keeps it, and the next one does not', () => {
  const request = settleRequest(asked);
  const rig = rigOf(request)!;
  const tpot = (batch: number): number => pointAt(request, rig, batch)!.tpotMs;
  for (const batch of [1, 2, 3, 50, 100]) {
    expect([
      largestBatchWithin(request, 100, tpot(batch)),
      largestBatchWithin(request, 100, tpot(batch) * 0.9999),
    ]).toEqual([batch, batch === 1 ? null : batch - 1]);
  }
  expect(estimatesOf(request, 12)!.points.map(({ batch }) => batch)).toEqual([1, 2, 4, 8, 12]);
  expect(estimatesOf(request, 1)!.points.map(({ batch }) => batch)).toEqual([1]);
});

test('what was measured is written as MindIE takes it, from 1 to 1000 ms', () => {
  const of = (ms: number): unknown => {
    const { advice } = planDocument({ ...asked, measuredPrefillMs: ms, measuredDecodeMs: ms });
    return [advice.prefillTimeMsPerReq, advice.decodeTimeMsPerReq];
  };
  expect([0.2, 1.4, 999.6, 4000].map(of)).toEqual([
    [1, 1],
    [1, 1],
    [1000, 1000],
    [1000, 1000],
  ]);
});

test('a prompt of 512 tokens is read in pieces where the budget of a step is smaller', () => {
  const pieces = (budget: number): unknown =>
    checkVllm(`non-default args: {'max_num_batched_tokens': ${budget}}\n`, {
      file: 'a.log',
      plan,
    }).verdict.findings.find(({ code }) => code === 'prompts-in-pieces')?.evidence['pieces'];
  expect([512, 511, 256, 255].map(pieces)).toEqual([undefined, 2, 2, 3]);
});

test('ends of small counts: processes that answer, rounds that wait, a block in a log', () => {
  expect([0, 15_000, 15_001, 120_000, 500_000].map(apiServersFor)).toEqual([1, 1, 2, 8, 8]);
  const weights = { prefillMs: 600, decodeMs: 50 };
  // 600·R / (50·(B − R)) rounds, at least one; a full batch takes nobody in.
  expect([0, 1, 5, 9, 10].map((running) => waitRounds(running, 10, weights))).toEqual([1, 2, 12, 108, Infinity]);
  expect([0, 1, 2].map((n) => blocksInServerLog(`npuBlockNum: ${n}`, 128)?.blocks ?? null)).toEqual([null, 1, 2]);
});
