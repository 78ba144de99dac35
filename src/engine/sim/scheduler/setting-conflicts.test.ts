import { expect, it } from 'vitest';
import { builtinProfile, filledSettings, settingConflicts } from '../index.ts';
import type { SchedulerName, SettingValue } from '../index.ts';

const profile = { ...builtinProfile('llama-3-8b-vllm-rtx4090'), maxBatchSize: 256, maxPrefillTokens: 2048 };

function refusalsOf(name: SchedulerName, told: Record<string, SettingValue>): string[] {
  const filled = filledSettings(profile, name, told);
  return settingConflicts(name, filled, new Set(Object.keys(told))).map(({ message }) => message.en);
}

it.each<[SchedulerName, Record<string, SettingValue>, string | null]>([
  [
    'vllm-v1',
    { max_num_batched_tokens: 128, max_num_seqs: 129 },
    'max_num_seqs must not be larger than max_num_batched_tokens',
  ],
  ['vllm-v1', { max_num_batched_tokens: 128, max_num_seqs: 128 }, null],
  ['vllm-v1', { max_num_batched_tokens: 128 }, null],
  ['vllm-v1', { max_num_seqs: 4096 }, 'max_num_seqs=4096 max_num_batched_tokens=2048'],
  ['vllm-v0', { max_num_seqs: 4096 }, 'max_num_batched_tokens'],
  ['vllm-v1', { enable_chunked_prefill: false, max_num_partial_prefills: 2 }, 'needs enable_chunked_prefill'],
  ['vllm-v1', { enable_chunked_prefill: false, max_num_partial_prefills: 1 }, null],
  ['vllm-v1', { enable_chunked_prefill: false }, null],
  ['mindie', { maxPrefillBatchSize: 300 }, 'maxPrefillBatchSize must not be larger than maxBatchSize'],
  ['mindie', { maxPrefillBatchSize: 300, maxBatchSize: 300 }, null],
  ['mindie', { maxPreemptCount: 300, cpuBlocks: 10 }, 'maxPreemptCount must not be larger than maxBatchSize'],
  ['mindie', { maxPreemptCount: 1 }, 'needs host memory'],
  ['mindie', { maxPreemptCount: 1, cpuBlocks: 10 }, null],
  // The default of 50 is nobody's mistake.
  ['mindie', { maxBatchSize: 30 }, null],
])('%s %j together: %s', (name, told, why) => {
  const refusals = refusalsOf(name, told);
  if (why === null) expect(refusals).toEqual([]);
  else expect(refusals.join()).toContain(why);
});
