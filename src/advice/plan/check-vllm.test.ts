import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { checkVllm, emitVllm, planCheckSchema, planDocument } from './index.ts';
import { servedSettings } from './served-settings.ts';

const log = readFileSync(new URL('../../../test/fixtures/plan/server-log-vllm-h200.txt', import.meta.url), 'utf8');
/** The line that vLLM 0.25 gives on /metrics, shortened to the labels that are read. */
const page =
  'vllm:cache_config_info{block_size="16",enable_prefix_caching="True",gpu_memory_utilization="0.92",kv_cache_size_tokens="2115440"} 1.0\n';
const plan = planDocument({
  modelName: 'qwen2.5-7b',
  cardName: 'h200',
  cards: 1,
  inputTokens: 512,
  outputTokens: 128,
  maxInputTokens: 2048,
  maxOutputTokens: 512,
});
/** Short prompts and long answers: what a front is busy with. */
const tokenHeavy = planDocument({
  modelName: 'qwen2.5-7b',
  cardName: 'h200',
  cards: 1,
  inputTokens: 64,
  outputTokens: 512,
  maxOutputTokens: 512,
});
const said = (changes: string, after = plan): string[] =>
  checkVllm(`${log}\n${changes}\n`, { file: 'vllm.log', plan: after }).verdict.findings.map(({ code }) => code);

describe('a running vLLM by its own words', () => {
  it('reads what a log says, and the last start wins', () => {
    expect(servedSettings(log)).toMatchObject({
      maxNumSeqs: 256,
      maxBatchedTokens: 8192,
      maxModelLen: 8192,
      kvTokens: 2_115_440,
      apiServers: 1,
    });
    expect(servedSettings(`${log}\nnon-default args: {'max_num_seqs': 64, 'api_server_count': 4}`)).toMatchObject({
      maxNumSeqs: 64,
      apiServers: 4,
    });
  });

  it('reads what a metrics page says, and claims nothing of what it does not', () => {
    expect(servedSettings(page)).toEqual({
      maxNumSeqs: null,
      maxBatchedTokens: null,
      maxModelLen: null,
      kvTokens: 2_115_440,
      memoryShare: 0.92,
      enforceEager: null,
      prefixCaching: true,
      apiServers: null,
    });
  });

  it('holds the batch beside what the cache can take: 2,115,440 tokens are 3,305 requests of 640', () => {
    const { findings } = checkVllm(log, { file: 'vllm.log', plan }).verdict;
    expect(findings.find(({ code }) => code === 'batch-below-cache')?.evidence).toMatchObject({ fit: 3305 });
    expect(said("non-default args: {'max_num_seqs': 4000}")).toContain('batch-beyond-cache');
    expect(said("non-default args: {'max_num_seqs': 2000}")).not.toContain('batch-beyond-cache');
    expect(said("non-default args: {'max_num_seqs': 2000}")).not.toContain('batch-below-cache');
  });

  it('requests longer than it takes are wrong, all else is advice', () => {
    const check = checkVllm(`${log}\nmax_seq_len=1024`, { file: 'vllm.log', plan });
    expect(check.verdict).toMatchObject({ valid: false });
    planCheckSchema.parse(check);
    expect(checkVllm(log, { file: 'vllm.log', plan }).verdict.valid).toBe(true);
  });

  it.each([
    ["'enforce_eager': True", 'eager-steps'],
    ['enable_prefix_caching=False', 'no-prefix-cache'],
    ["'gpu_memory_utilization': 0.5", 'memory-left'],
    ['max_num_batched_tokens=256', 'prompts-in-pieces'],
  ])('%s is told as %s, and nothing of the kind without it', (line, code) => {
    expect(said(line)).toContain(code);
    expect(said('')).not.toContain(code);
  });

  it('asks for more fronts where the estimate is beyond one, and the emitted line has as many', () => {
    const line = emitVllm(tokenHeavy, { model: 'm', kvFormat: null });
    const servers = Number(/--api-server-count (\d+)/.exec(line)?.[1]);
    expect(servers).toBeGreaterThan(1);
    expect(said('', tokenHeavy)).toContain('front-too-narrow');
    expect(said('')).not.toContain('front-too-narrow');
    expect(said(`'api_server_count': ${servers}`, tokenHeavy)).not.toContain('front-too-narrow');
  });

  it('text that is neither says what to give instead', () => {
    expect(() => checkVllm('hello', { file: 'x.txt', plan: null })).toThrow(UserError);
  });
});
