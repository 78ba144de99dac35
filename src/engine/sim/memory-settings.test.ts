import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { builtinProfile, withMemory } from './index.ts';
import type { EngineProfile, SchedulerName } from './index.ts';

const qwq = builtinProfile('qwq-32b-mindie-atb-4x910b3');
const unlimited: EngineProfile = { ...qwq, kv: null };

const kvOf = (words: Record<string, number>, profile = qwq, name: SchedulerName = 'mindie'): EngineProfile['kv'] =>
  withMemory(profile, name, new Map(Object.entries(words))).profile.kv;
const hostOf = (words: Record<string, number>, name: SchedulerName = 'mindie'): Readonly<Record<string, number>> =>
  withMemory(qwq, name, new Map(Object.entries(words))).host;

describe('memory under the servers’ own names', () => {
  it('npuMemSize becomes blocks: QwQ-32B on four cards has 64 KiB a token and card, so 8 GiB are 1024 blocks of 128, 35 GiB 4480', () => {
    expect(kvOf({ npuMemSize: 8 })).toEqual({ blocks: 1024, blockSize: 128 });
    expect(kvOf({ npuMemSize: 35 })).toEqual({ blocks: 4480, blockSize: 128 });
    expect(kvOf({ npuMemSize: 35 }, unlimited)).toEqual({ blocks: 4480, blockSize: 128 });
  });

  it('npuMemSize −1 leaves what the profile has', () => {
    expect(kvOf({ npuMemSize: -1 })).toEqual(qwq.kv);
    expect(kvOf({ npuMemSize: -1 }, unlimited)).toBeNull();
  });

  it('a count that the server itself says goes before what follows from memory', () => {
    expect(kvOf({ npuMemSize: 8, blocks: 999 })).toEqual({ blocks: 999, blockSize: 128 });
    expect(kvOf({ num_gpu_blocks_override: 777, block_size: 32 }, qwq, 'vllm-v1')).toEqual({
      blocks: 777,
      blockSize: 32,
    });
  });

  it('blocks of another size are another count of the same memory', () => {
    expect(kvOf({ cacheBlockSize: 64 })).toEqual({ blocks: 8960, blockSize: 64 });
    expect(kvOf({ npuMemSize: 8, cacheBlockSize: 16 })).toEqual({ blocks: 8192, blockSize: 16 });
    expect(kvOf({ max_total_tokens: 1000, page_size: 64 }, qwq, 'sglang')).toEqual({ blocks: 15, blockSize: 64 });
  });

  it('cpuMemSize and swap_space become blocks of the host: 5 GiB are 640 of 8 MiB', () => {
    expect(hostOf({ cpuMemSize: 5 })).toEqual({ cpuBlocks: 640 });
    expect(hostOf({ cpuMemSize: 0 })).toEqual({ cpuBlocks: 0 });
    expect(hostOf({ swap_space: 0.5 }, 'vllm-v0')).toEqual({ num_cpu_blocks: 64 });
  });

  it.each([
    [{ npuMemSize: 0 }, 'at least 1'],
    [{ npuMemSize: 1.5 }, 'whole number'],
    [{ cacheBlockSize: 100 }, 'one of 16, 32'],
    [{ cacheBlockSize: 256 }, 'one of 16, 32'],
    [{ cpuMemSize: -1 }, 'whole number'],
    [{ blocks: Number.NaN }, 'whole number'],
  ])('%j is refused, as the server’s own validator would', (words, why) => {
    expect(() => kvOf(words)).toThrow(why);
  });

  it('GiB without the bytes of a token, and a block size without a limit, are refused with what to do', () => {
    const { kvBytesPerTokenPerCard: _, ...bare } = unlimited;
    expect(() => kvOf({ npuMemSize: 8 }, bare)).toThrow(UserError);
    expect(kvOf({ npuMemSize: 8, kvBytesPerTokenPerCard: 65_536 }, bare)).toEqual({ blocks: 1024, blockSize: 128 });
    expect(() => kvOf({ cacheBlockSize: 16 }, bare)).toThrow('no limit');
  });
});
