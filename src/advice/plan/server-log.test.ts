import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blocksInServerLog } from './index.ts';

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

  it('finds nothing in a log that says nothing', () => {
    expect(blocksInServerLog('Daemon start success!\n', 128)).toBeNull();
  });
});
