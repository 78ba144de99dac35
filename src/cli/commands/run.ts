import type { RunPlan } from '../../core/index.ts';
import { planSettings, refuseLists } from '../../lab/index.ts';
import { openRun } from '../../results/store/index.ts';
import { argument, example } from '../command.ts';
import type { CommandFile } from '../command.ts';
import { experimentCommand } from '../experiment-command.ts';
import { readPlanInput } from '../plan-input.ts';
import { mergeResumedFlags, resumeFlag, resumeWord } from '../resume.ts';
import { allFlag, perWorkerFlag } from '../show.ts';

export const command: CommandFile = {
  about: {
    en: 'Load a server with one load point and say what was measured, with every request accounted for.',
    zh: '以一个负载点测试服务器，报告测量结果，每个请求都有交代。',
  },
  arguments: [argument('[url]', 'address of the server, or a YAML plan file', '服务器地址，或 YAML 计划文件')],
  flags: { ...planSettings, all: allFlag, perWorker: perWorkerFlag, resume: resumeFlag },
  examples: [
    example(
      'dyno run http://127.0.0.1:8000 --concurrency 16 -n 1000',
      '16 requests in flight until 1000 are done',
      '保持 16 并发，直到完成 1000 个请求',
    ),
    example(
      'dyno run http://127.0.0.1:8000 --rate 5 --duration 2m --slo "ttft<2s"',
      'five requests a second for two minutes, with a goal',
      '每秒 5 个请求，持续两分钟，并设定目标',
    ),
    example(
      'dyno run http://127.0.0.1:1025 --dataset openqa:open_qa.jsonl --warmup 20 --label mindie',
      'your own questions, warm-up first',
      '使用自己的问题集，先预热',
    ),
    example(
      'dyno run plan.yaml --json > summary.json',
      'everything from a file, JSON for a script',
      '所有设置来自文件，输出 JSON 供脚本使用',
    ),
    example('dyno run --resume latest', 'go on with the run that was interrupted', '继续被中断的运行'),
  ],
  async run(typed) {
    const word = resumeWord(typed);
    const resume = word === null ? null : await openRun(typed.common.store, word);
    const given =
      resume === null ? typed : mergeResumedFlags(typed, 'run', command, resume.record, resume.record.plan as RunPlan);
    const settings = readPlanInput(given, {});
    refuseLists(settings);
    return experimentCommand(given, { kind: 'run', settings, simulate: null, resume });
  },
};
