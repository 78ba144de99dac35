import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blocksInServerLog, emitProfile, emitVllm, planDocument, settingsInServerLog } from './index.ts';

const log = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/plan/server-log-${name}.txt`, import.meta.url), 'utf8');

describe('blocksInServerLog', () => {
  it('takes the smallest over the cards of MindIE', () => {
    expect(blocksInServerLog(log('mindie'), 128)).toEqual({ blocks: 2174, foundBy: 'npuBlockNum', line: 3 });
  });

  it('reads the shape of the first cache where nothing else is said', () => {
    expect(blocksInServerLog('k_caches[0].shape=torch.Size([1024, 128, 2, 128])', 128)?.blocks).toBe(1024);
  });

  it('reads vLLM’s blocks, and not those of the host', () => {
    expect(blocksInServerLog(log('vllm-v0'), 16)).toEqual({ blocks: 7391, foundBy: '# GPU blocks', line: 1 });
  });

  it('turns vLLM’s tokens into blocks', () => {
    expect(blocksInServerLog(log('vllm-v1'), 16)?.blocks).toBe(77_160);
  });

  it('counts blocks of vLLM’s own size, not of the plan’s', () => {
    expect(blocksInServerLog(log('vllm-v0'), 128)?.blocks).toBe(Math.floor((7391 * 16) / 128));
    expect(blocksInServerLog(`cache_config: block_size=32\n${log('vllm-v0')}`, 32)?.blocks).toBe(7391);
  });

  it.each(['GPU', 'CPU', 'NPU', 'XPU', 'HPU'])('reads the cache of a %s build', (device) => {
    expect(blocksInServerLog(`INFO ${device} KV cache size: 524,288 tokens`, 16)?.blocks).toBe(32_768);
    const old = `# ${device.toLowerCase()} blocks: 1000, # CPU blocks: 5`;
    expect(blocksInServerLog(old, 16)?.blocks).toBe(1000);
  });

  it('reads SGLang’s pool', () => {
    expect(blocksInServerLog(log('sglang'), 128)?.blocks).toBe(Math.floor(638_975 / 128));
  });

  it('finds nothing in a log that says nothing', () => {
    expect(blocksInServerLog('Daemon start success!\n', 128)).toBeNull();
  });
});

describe('settingsInServerLog', () => {
  it('reads vLLM’s arguments and its chunk', () => {
    expect(settingsInServerLog(log('vllm-h200'))).toEqual({ maxBatchSize: 256, maxPrefillTokens: 8192 });
  });

  it('reads SGLang’s line', () => {
    expect(settingsInServerLog(log('sglang'))).toEqual({ maxBatchSize: 2048, maxPrefillTokens: 8192 });
  });

  it('says null for what the log does not say, as of None', () => {
    expect(settingsInServerLog('max_running_requests=None')).toEqual({ maxBatchSize: null, maxPrefillTokens: null });
  });

  it('reaches every line that a plan writes: the H200’s 2,115,440 tokens and its limits', () => {
    const text = log('vllm-h200').replace('max_num_batched_tokens=8192', 'max_num_batched_tokens=4096');
    const asked = { modelName: 'qwen2.5-7b', cardName: 'h200', inputTokens: 512, outputTokens: 128 };
    const serverBlocks = blocksInServerLog(text, 128)!;
    const plan = planDocument({ ...asked, serverBlocks, serverSettings: settingsInServerLog(text) });
    expect(plan.vllm.totalBlocks * 16).toBe(Math.floor(2_115_440 / 128) * 128);
    expect(plan.vllm.kvCacheGiB).toBeCloseTo(112.98, 1);
    expect(emitVllm(plan, { model: 'm', kvFormat: null })).toContain('--max-num-batched-tokens 4096');
    expect(emitProfile(plan, '2026-11-19')).toMatchObject({ maxBatchSize: 256, maxPrefillTokens: 4096 });
    expect(plan.notes.map(({ code }) => code)).toContain('batch-of-server');
  });
});
