import type { Mistake } from '../../../core/index.ts';
import { mistake } from '../../../core/index.ts';
import type { SchedulerName, SettingValue } from './schedulers.ts';

/** Two settings that a server's validator accepts alone and refuses together. */
interface Conflict {
  names: readonly string[];
  /** Refused only where the user gave this setting, because a profile may hold both. */
  where: string;
  refuses(settings: Readonly<Record<string, SettingValue>>): boolean;
  en: string;
  zh: string;
}

const atMost = (small: string, large: string): Conflict => ({
  names: [small, large],
  where: small,
  refuses: (settings) => Number(settings[small]) > Number(settings[large]),
  en: `${small} must not be larger than ${large}`,
  zh: `${small} 不能大于 ${large}`,
});

const conflicts: Partial<Record<SchedulerName, readonly Conflict[]>> = {
  'vllm-v1': [
    atMost('max_num_seqs', 'max_num_batched_tokens'),
    {
      names: ['max_num_partial_prefills'],
      where: 'max_num_partial_prefills',
      refuses: (settings) => settings['enable_chunked_prefill'] === false && settings['max_num_partial_prefills'] !== 1,
      en: 'max_num_partial_prefills above 1 needs enable_chunked_prefill',
      zh: 'max_num_partial_prefills 大于 1 需要 enable_chunked_prefill',
    },
  ],
  'vllm-v0': [atMost('max_num_seqs', 'max_num_batched_tokens')],
  mindie: [
    atMost('maxPrefillBatchSize', 'maxBatchSize'),
    atMost('maxPreemptCount', 'maxBatchSize'),
    {
      names: ['maxPreemptCount', 'cpuBlocks'],
      where: 'maxPreemptCount',
      refuses: (settings) => Number(settings['maxPreemptCount']) > 0 && settings['cpuBlocks'] === 0,
      en: 'maxPreemptCount above 0 needs host memory: cpuMemSize above 0',
      zh: 'maxPreemptCount 大于 0 需要主机内存：cpuMemSize 大于 0',
    },
  ],
};

/** What the server's validator would refuse of all settings together, where somebody `told` it so. */
export function settingConflicts(
  name: SchedulerName,
  settings: Readonly<Record<string, SettingValue>>,
  told: ReadonlySet<string>,
): Mistake[] {
  return (conflicts[name] ?? [])
    .filter(({ where, refuses }) => told.has(where) && refuses(settings))
    .map(({ names, en, zh }) => {
      const values = names.map((one) => `${one}=${String(settings[one])}`).join(' ');
      return mistake(
        'bad-setting',
        `${en} (here ${values})`,
        `${zh}（现为 ${values}）`,
        'The server itself would not start with these.',
        '服务器自身也会拒绝这样启动。',
        '--set',
      );
    });
}
