import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readServerMetrics } from './server-metrics.ts';

const page = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/telemetry', name), 'utf8');

describe('readServerMetrics', () => {
  test('vLLM before mid-2025: gpu_ names, a hit rate as a gauge', () => {
    expect(readServerMetrics(page('vllm-2024.txt'))).toMatchObject({
      flavour: 'vllm',
      running: 12,
      waiting: 3,
      kvUsageRatio: 6 / 7,
      preemptionsTotal: 7,
      prefixHitRatio: 0.25,
      prefixQueriesTotal: null,
      promptTokensTotal: 10_000,
      generationTokensTotal: 20_000,
      finishedTotal: 34,
    });
  });

  test('vLLM that prints old and new names side by side counts once, and sums its engines', () => {
    expect(readServerMetrics(page('vllm-2025.txt'))).toMatchObject({
      running: 11,
      waiting: 1,
      kvUsageRatio: 0.625,
      prefixQueriesTotal: 100,
      prefixHitsTotal: 40,
      preemptionsTotal: 5,
      generationTokensTotal: 1_500_000,
      kvCapacityTokens: 32_000,
    });
  });

  test('vLLM after v0.12: only the new names; waiting by reason is not added to waiting', () => {
    expect(readServerMetrics(page('vllm-2026.txt'))).toMatchObject({
      running: 64,
      waiting: 17,
      kvUsageRatio: 1,
      preemptionsTotal: 37,
    });
  });

  test('a page of SGLang 0.5.23: its cache, and its front of a tokenizer and a detokenizer', () => {
    expect(readServerMetrics(page('sglang-cpu.txt'))).toMatchObject({
      flavour: 'sglang',
      promptTokensTotal: 119,
      prefixHitsTotal: 74,
      generationTokensTotal: 44,
      finishedTotal: 7,
      kvCapacityTokens: 20_000,
      cpuSecondsTotals: [0.179_999_999_999_999_72, 0.089_999_999_999_998_3],
    });
  });

  test("a page of llama.cpp's server: what came from its cache is not among the prompt tokens that it counts", () => {
    expect(readServerMetrics(page('llamacpp.txt'))).toMatchObject({
      flavour: 'llamacpp',
      running: 0,
      waiting: 0,
      promptTokensTotal: 108,
      prefixQueriesTotal: 108,
      prefixHitsTotal: 74,
      generationTokensTotal: 36,
      kvUsageRatio: null,
    });
    // Before it told its cache.
    const before = page('llamacpp.txt').replaceAll(/^.*tokens_cached.*$/gm, '');
    expect(readServerMetrics(before)).toMatchObject({ prefixQueriesTotal: null, prefixHitsTotal: null });
  });

  test('SGLang, also behind a proxy that turns colons into underscores', () => {
    const told = {
      flavour: 'sglang',
      running: 9,
      waiting: 2,
      kvUsageRatio: 0.28,
      prefixHitsTotal: 1016,
      prefixQueriesTotal: 8128,
      kvCapacityTokens: 454_497,
    };
    expect(readServerMetrics(page('sglang.txt'))).toMatchObject(told);
    expect(readServerMetrics(page('sglang.txt').replaceAll('sglang:', 'sglang_'))).toMatchObject(told);
  });

  test('MindIE: the same words without a prefix, npu_ for the cache', () => {
    expect(readServerMetrics(page('mindie.txt'))).toMatchObject({
      flavour: 'mindie',
      running: 40,
      waiting: 8,
      kvUsageRatio: 0.75,
      prefixHitRatio: 0.5,
      generationTokensTotal: 3400,
      finishedTotal: 21,
    });
  });

  test('XInference: its worker tells tokens and requests of all its models together; the page of its API tells neither', () => {
    expect(readServerMetrics(page('xinference-worker.txt'))).toMatchObject({
      flavour: 'xinference',
      running: 0,
      waiting: null,
      generationTokensTotal: 666 + 625,
      finishedTotal: 26 + 15 + 1 + 2,
    });
    expect(readServerMetrics('xinference:build_info{version="4.1.0",xinference_role="supervisor"} 1\n')).toBe(null);
  });

  test('pages of others, garbage and absurd shares are not taken', () => {
    expect(readServerMetrics('node_cpu_seconds_total 1\n')).toBe(null);
    expect(readServerMetrics('<html>not found</html>')).toBe(null);
    expect(readServerMetrics('vllm:num_requests_running NaN\nvllm:kv_cache_usage_perc 93.5\n')).toMatchObject({
      running: null,
      kvUsageRatio: null,
    });
  });

  test('processor time and start of the process, where the page has them', () => {
    const text =
      'vllm:num_requests_running 1\nprocess_cpu_seconds_total 173.4\nprocess_start_time_seconds 1.79506891946e+09\n';
    expect(readServerMetrics(text)).toMatchObject({ cpuSecondsTotals: [173.4], startedAtSec: 1_795_068_919.46 });
    expect(readServerMetrics('vllm:num_requests_running 1\n')).not.toHaveProperty('startedAtSec');
  });
});
