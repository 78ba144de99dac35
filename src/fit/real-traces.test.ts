import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fitTrace, readTrace } from './index.ts';
import type { TraceFit } from './index.ts';

// Measured and published by others: test/fixtures/request-traces/README.md.
const settings = { max_num_seqs: 128, max_num_batched_tokens: 2048 };
function fitted(name: string, told: typeof settings | Record<string, never>): TraceFit {
  const path = new URL(`../../test/fixtures/request-traces/${name}.jsonl`, import.meta.url);
  const { requests } = readTrace(readFileSync(path, 'utf8'), name);
  return fitTrace(requests, { train: 0.25, scheduler: 'vllm-v1', settings: told, kv: null });
}
const worst = ({ metrics }: TraceFit): number =>
  Math.max(...Object.values(metrics).map(({ error }) => Math.abs(error)));

describe('traces of real vLLM servers under more load than they can serve, of which the first quarter is shown', () => {
  it.each([
    ['rtxpro6000-llama-3.1-8b'],
    ['rtxpro6000x2-qwen3-32b'],
    ['rtxpro6000x2-qwen3-32b-earlier'],
    ['rtx4090-llama-3.1-8b-earlier'],
    ['rtxpro6000-deepseek-v3.2-16l64e'],
  ])('%s: every mean, p50, p90 and p99 of the rest is predicted within six in a hundred', (name) => {
    const fit = fitted(name, settings);
    expect(fit.scored).toBe(225);
    expect(Object.keys(fit.metrics)).toHaveLength(12);
    expect(worst(fit)).toBeLessThan(0.06);
  });

  it('a KV cache that is too small is found, too: the publishers’ own configuration leaves 5.056 GiB, 2,588 blocks of 2 MiB', () => {
    const fit = fitted('rtx4090-llama-3.1-8b', settings);
    expect(worst(fit)).toBeLessThan(0.06);
    expect(Math.abs(fit.profile.kv!.blocks / 2588 - 1)).toBeLessThan(0.03);
  });

  it('two engines behind one address do as one of twice the size', () => {
    const fit = fitted('rtxpro6000x2-qwen3-30b-a3b', { max_num_seqs: 256, max_num_batched_tokens: 4096 });
    expect(worst(fit)).toBeLessThan(0.06);
  });

  it('a prompt costs something of its own where one is seen to: steps of 2048 tokens take 370 ms with one prompt and 590 with six', () => {
    const perPromptMs = (590 - 370) / (6 - 1);
    const deepSeek = fitted('rtxpro6000-deepseek-v3.2-16l64e', settings).profile.cost.rMsPerPrompt!;
    expect(deepSeek / perPromptMs).toBeGreaterThan(0.5);
    expect(deepSeek / perPromptMs).toBeLessThan(2);
    expect(fitted('rtxpro6000x2-qwen3-32b', settings).profile.cost.rMsPerPrompt).toBeUndefined();
  });

  it('the batch that nobody told is found, though only 75 of 128 sequences in it may be seen', () => {
    const fit = fitted('rtxpro6000-llama-3.1-8b', {});
    expect(fit.profile.scheduler!.settings).toMatchObject(settings);
    expect(fit.batchKnown).toBe(true);
    expect(worst(fit)).toBeLessThan(0.06);
  });
});
