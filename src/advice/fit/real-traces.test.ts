import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fitTrace, readTrace } from './index.ts';
import type { TraceFit } from './index.ts';

// Measured and published by others: test/fixtures/request-traces/README.md.
const textOf = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/request-traces/${name}`, import.meta.url), 'utf8');
const servers = JSON.parse(textOf('servers.json')) as Record<string, Record<string, number>>;
function fitted(name: string, told = servers[name]!): TraceFit {
  const { requests } = readTrace(textOf(`${name}.jsonl`), name);
  return fitTrace(requests, { train: 0.25, scheduler: 'vllm-v1', settings: told, kv: null });
}
const worst = ({ metrics }: TraceFit): number =>
  Math.max(...Object.values(metrics).map(({ error }) => Math.abs(error)));

describe('traces of real vLLM servers, of which the first quarter is shown', () => {
  it.each([
    ['rtxpro6000-llama-3.1-8b'],
    ['rtxpro6000x2-qwen3-32b'],
    ['rtxpro6000x2-qwen3-32b-earlier'],
    ['rtx4090-llama-3.1-8b-earlier'],
    ['rtxpro6000-deepseek-v3.2-16l64e'],
    // Two engines behind one address, told as one of twice the size.
    ['rtxpro6000x2-qwen3-30b-a3b'],
    // The only one here that can serve its load.
    ['rtx4090-qwen3-8b-2.85'],
  ])('%s: every mean, p50, p90 and p99 of the rest is predicted within six in a hundred', (name) => {
    const fit = fitted(name);
    expect(fit.scored).toBeGreaterThanOrEqual(3 * fit.trained);
    expect(Object.keys(fit.metrics)).toHaveLength(12);
    expect(worst(fit)).toBeLessThan(0.06);
  });

  it('a KV cache that is too small is found, too: the publishers’ own configuration leaves 5.056 GiB, 2,588 blocks of 2 MiB', () => {
    const fit = fitted('rtx4090-llama-3.1-8b');
    expect(worst(fit)).toBeLessThan(0.06);
    expect(Math.abs(fit.profile.kv!.blocks / 2588 - 1)).toBeLessThan(0.03);
  });

  it('a prompt costs something of its own where one is seen to: steps of 2048 tokens take 370 ms with one prompt and 590 with six', () => {
    const perPromptMs = (590 - 370) / (6 - 1);
    const deepSeek = fitted('rtxpro6000-deepseek-v3.2-16l64e').profile.cost.rMsPerPrompt!;
    expect(deepSeek / perPromptMs).toBeGreaterThan(0.5);
    expect(deepSeek / perPromptMs).toBeLessThan(2);
    expect(fitted('rtxpro6000x2-qwen3-32b').profile.cost.rMsPerPrompt).toBeUndefined();
  });

  it('the batch that nobody told is found, though only 75 of 128 sequences in it may be seen', () => {
    const fit = fitted('rtxpro6000-llama-3.1-8b', {});
    expect(fit.profile.scheduler!.settings).toMatchObject(servers['rtxpro6000-llama-3.1-8b']!);
    expect(fit.batchKnown).toBe(true);
    expect(worst(fit)).toBeLessThan(0.06);
  });
});
