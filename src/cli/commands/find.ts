import { findSettings, planSettings } from '../../lab/index.ts';
import { argument, example } from '../command.ts';
import type { CommandFile } from '../command.ts';
import { experimentCommand } from '../experiment-command.ts';
import { readPlanInput } from '../plan-input.ts';
import { allFlag } from '../show.ts';

const { findRuns } = findSettings;

export const command: CommandFile = {
  about: {
    en: 'The largest load that keeps every --slo: how many users at once, or requests/s, confirmed with fresh prompts.',
    zh: '满足所有 --slo 的最大负载：最多支持多少并发用户或每秒请求数，并用新提示词复测确认。',
  },
  arguments: [argument('[url]', 'address of the server, or a YAML plan file', '服务器地址，或 YAML 计划文件')],
  flags: { ...planSettings, findRuns, all: allFlag },
  examples: [
    example(
      "dyno find http://127.0.0.1:8000 --slo 'ttft.p99<500ms' --slo 'tpot.p99<50ms'",
      'how many users at once this server takes',
      '该服务器最多支持多少并发用户',
    ),
    example(
      "dyno find http://127.0.0.1:8000 --slo 'ttft.p99<2s' --rate 0.1,20",
      'how many requests/s, between 0.1 and 20',
      '每秒多少请求（0.1 到 20 之间）',
    ),
    example(
      "dyno find http://127.0.0.1:8000 --slo 'tpot.p90<50ms' --concurrency 1,64 --output-tokens 64 --lang zh",
      'at most 64 users, answers of 64 tokens',
      '最多 64 并发，每个回答 64 个 Token',
    ),
  ],
  async run(given) {
    const settings = readPlanInput(given, { findRuns });
    const experiment = { kind: 'find', settings: { ...settings, find: 'max' }, simulate: null, resume: null } as const;
    return experimentCommand(given, experiment, 'find');
  },
};
