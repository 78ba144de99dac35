import { userError } from '../../core/index.ts';
import { findSettings, kindOf, loadPoints, many, nowhere, planSettings, sweepSettings } from '../../lab/index.ts';
import { simFaultNames, parseSimFault } from '../../engine/sim/index.ts';
import type { SimFault } from '../../engine/sim/index.ts';
import { argument, example, settingsIn } from '../command.ts';
import type { CommandFile } from '../command.ts';
import { experimentCommand } from '../experiment-command.ts';
import { allFlag } from '../show.ts';
import { readPlanInput } from '../plan-input.ts';
import { profileFlags, profileOf } from '../profile-flags.ts';

const engineFlags = {
  ...profileFlags,
  fault: many(
    'fault NAME',
    faultNamed,
    `what went wrong in published benchmarks, repeatable: ${simFaultNames.join(', ')}`,
    `重现公开测试中出现过的问题，可重复：${simFaultNames.join('、')}`,
  ),
};

export const command: CommandFile = {
  about: {
    en: 'Play a run or sweep plan in virtual time against a simulated engine: the same words, the same summary and reports, marked as simulated, thousands of times faster than real.',
    zh: '在虚拟时间中对模拟引擎执行运行或扫描计划：同样的参数、同样的汇总与报告，均标明为模拟结果，比实时快数千倍。',
  },
  arguments: [argument('[url]', 'a YAML plan file (an address is not needed)', 'YAML 计划文件（不需要地址）')],
  flags: {
    all: allFlag,
    ...engineFlags,
    ...planSettings,
    ...sweepSettings,
    ...findSettings,
    // --set is the engine's own here, and is kept with the result as that of a server is.
    set: engineFlags.set,
  },
  examples: [
    example(
      'dyno sim --profile qwen1.5-7b-mindie-8x910b4 --concurrency 8,64,200,400 -n 1000',
      'a sweep that would take minutes, in a second',
      '一秒完成数分钟的扫描',
    ),
    example(
      'dyno sim --scheduler vllm-v1 --set max_num_seqs=64 --rate 2,4,8 --duration 10m',
      'another scheduler, open loop',
      '换一个调度器，开环负载',
    ),
    example(
      "dyno sim --profile my-engine.json --find max --slo 'ttft.p90<2s' --slo 'tpot.p90<50ms' --rate 0.1,50",
      'the capacity that a profile predicts under SLOs',
      '由引擎配置预测 SLO 下的容量',
    ),
    example(
      'dyno sim --concurrency 8,16,32,64,128,256 -n 100000 --workers redis://10.0.0.5:6379',
      'points simulated side by side, by whoever is on the queue',
      '由队列上的 worker 并行模拟各点',
    ),
  ],
  run(given) {
    const { fault: faults = [], ...engine } = settingsIn(given, engineFlags);
    const simulate = { profile: profileOf(engine), faults };
    const settings = readPlanInput(given, { ...sweepSettings, ...findSettings }, nowhere);
    return experimentCommand(given, {
      kind: kindOf(settings, loadPoints(settings).length),
      settings,
      simulate,
      resume: null,
    });
  },
};

function faultNamed(text: string): SimFault {
  const fault = parseSimFault(text);
  if (fault !== null) return fault;
  throw userError(
    'unknown-fault',
    `there is no fault "${text.slice(0, 50)}" here`,
    `这里没有名为 "${text.slice(0, 50)}" 的故障`,
    `Faults: ${simFaultNames.join(', ')}. Those of the wire are for dyno engine.`,
    `可用的故障：${simFaultNames.join('、')}。网络层的故障用于 dyno engine。`,
  );
}
