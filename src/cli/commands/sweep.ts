import type { RunPlan } from '../../core/index.ts';
import { findSettings, planSettings, sweepSettings } from '../../lab/index.ts';
import { openSweep } from '../../results/store/index.ts';
import { argument, example } from '../command.ts';
import type { CommandFile } from '../command.ts';
import { experimentCommand } from '../experiment-command.ts';
import { readPlanInput } from '../plan-input.ts';
import { mergeResumedFlags, resumeFlag, resumeWord } from '../resume.ts';
import { allFlag, perWorkerFlag } from '../show.ts';

export const command: CommandFile = {
  about: {
    en: 'Load a server with several load points, one after the other, each with prompts of its own.',
    zh: '依次以多个负载点测试服务器，每个点使用各自的提示词。',
  },
  arguments: [argument('[url]', 'address of the server, or a YAML plan file', '服务器地址，或 YAML 计划文件')],
  flags: {
    ...planSettings,
    ...sweepSettings,
    ...findSettings,
    all: allFlag,
    perWorker: perWorkerFlag,
    resume: resumeFlag,
  },
  examples: [
    example(
      'dyno sweep http://127.0.0.1:8000 --concurrency 8,16,32,64 -n 1000',
      'the usual concurrency sweep',
      '常见的并发扫描',
    ),
    example(
      'dyno sweep http://127.0.0.1:8000 --rate 1,2,4,8 --duration 60',
      'open loop: rates for a minute each',
      '开环：每个速率持续一分钟',
    ),
    example(
      'dyno sweep http://127.0.0.1:1025 --concurrency 8,16 -n 200 --dataset openqa:open_qa.jsonl --lang zh',
      'table in Chinese',
      '输出中文表格',
    ),
    example(
      'dyno sweep http://127.0.0.1:8000 --grid input=100,500,1000 output=100,500 -n 50 --concurrency 16',
      'every pair of prompt and answer lengths, as a heat table',
      '输入 × 输出长度网格，输出热力表',
    ),
    example(
      "dyno sweep http://127.0.0.1:8000 --find max --slo 'ttft.p99<2s' --slo 'tpot.p90<50ms' --rate 0.1,20",
      'the largest rate under two SLOs',
      '满足两个 SLO 的最大速率',
    ),
  ],
  async run(typed) {
    const word = resumeWord(typed);
    const resume = word === null ? null : await openSweep(typed.common.store, word);
    const begun = (resume?.runs[0]?.record.plan ?? null) as RunPlan | null;
    const given = resume === null ? typed : mergeResumedFlags(typed, 'sweep', command, resume.record, begun);
    const settings = readPlanInput(given, { ...sweepSettings, ...findSettings });
    // A sweep of one point is a sweep still: `run` is the command for one.
    const kind = settings.find === undefined ? 'sweep' : 'find';
    return experimentCommand(given, { kind, settings, simulate: null, resume });
  },
};
