import type { Phrase } from '../core/index.ts';
import type { CommandFile } from './command.ts';

/** A line of the command table; the command itself is loaded only when it is asked for, so that start-up stays quick. */
export interface CommandEntry {
  about: Phrase;
  load(): Promise<{ command: CommandFile }>;
}

function entry(en: string, zh: string, load: CommandEntry['load']): CommandEntry {
  return { about: { en, zh }, load };
}

/** Every command, in the order of `dyno --help`. Adding one is a file and a line here. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  demo: entry(
    'the whole job on simulated engines: no GPU, no set-up',
    '在模拟引擎上完成全流程：无需 GPU 和任何配置',
    () => import('./commands/demo.ts'),
  ),
  run: entry('one load point against a server', '对服务器测试一个负载点', () => import('./commands/run.ts')),
  find: entry(
    'how many users a server takes within your limits',
    '在给定时延要求内，服务器最多支持多少并发',
    () => import('./commands/find.ts'),
  ),
  sweep: entry('many load points, one after the other', '依次测试多个负载点', () => import('./commands/sweep.ts')),
  compare: entry(
    'results side by side, with intervals; a gate for CI',
    '并排比较结果及置信区间；可作 CI 门禁',
    () => import('./commands/compare.ts'),
  ),
  as: entry(
    'the benchmark command you already have, printed as its tool prints it',
    '直接运行已有的压测命令，按原工具格式输出',
    () => import('./commands/as.ts'),
  ),
  report: entry(
    'render a run or sweep again, in another form',
    '以其他形式重新输出运行或扫描结果',
    () => import('./commands/report.ts'),
  ),
  import: entry(
    "other tools' logs and results into the store",
    '导入其他工具的日志与结果',
    () => import('./commands/import.ts'),
  ),
  audit: entry(
    'doubts about a result, with evidence and advice',
    '审计结果：依据与建议',
    () => import('./commands/audit.ts'),
  ),
  runs: entry(
    'list, show, tag and delete what the store holds',
    '列出、查看、标记、删除已保存的结果',
    () => import('./commands/runs.ts'),
  ),
  engine: entry('a simulated engine over HTTP', '通过 HTTP 提供的模拟引擎', () => import('./commands/engine.ts')),
  sim: entry(
    'the same plan in virtual time, against a simulated engine',
    '在虚拟时间中对模拟引擎执行同样的计划',
    () => import('./commands/sim.ts'),
  ),
  fit: entry(
    'calibrate an engine profile from measured points, with its error on held-out ones',
    '由实测点标定引擎配置，并给出留出点的误差',
    () => import('./commands/fit.ts'),
  ),
  plan: entry(
    'memory, KV blocks, batch ranges and config advice for a model on cards',
    '模型在加速卡上的显存、KV block、批大小与配置建议',
    () => import('./commands/plan.ts'),
  ),
  tune: entry(
    'search server settings under SLOs, or compare variants',
    '在 SLO 约束下搜索服务器设置，或比较方案',
    () => import('./commands/tune.ts'),
  ),
  selftest: entry(
    'how far this client on this host can be trusted',
    '本机客户端的可信程度',
    () => import('./commands/selftest.ts'),
  ),
  devices: entry(
    'accelerators and NUMA of this host, or of a captured output',
    '本机（或捕获输出中的）加速卡与 NUMA',
    () => import('./commands/devices.ts'),
  ),
  doctor: entry(
    'what is wrong with this host, client or engine, and how to mend it',
    '检查主机、客户端与引擎的问题及修复方法',
    () => import('./commands/doctor.ts'),
  ),
  dataset: entry(
    'list, inspect, sample, convert, count and fetch datasets',
    '列出、查看、抽样、转换、计数和下载数据集',
    () => import('./commands/dataset.ts'),
  ),
  ui: entry(
    'a local page over the store: start, watch, compare, plan, simulate',
    '本地网页：启动、观察、比较、规划、模拟',
    () => import('./commands/ui.ts'),
  ),
  worker: entry(
    'lend this machine to runs that are started elsewhere',
    '把本机借给别处发起的运行',
    () => import('./commands/worker.ts'),
  ),
  completion: entry(
    'shell completion for bash, zsh and fish',
    'bash、zsh、fish 的命令补全',
    () => import('./commands/completion.ts'),
  ),
};
