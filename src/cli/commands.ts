import type { Phrase } from '../core/index.ts';
import type { CommandFile } from './command.ts';

/** A line of the command table; the command itself is loaded only when it is asked for, so that start-up stays quick. */
export interface CommandEntry {
  about: Phrase;
  load(): Promise<{ command: CommandFile }>;
}

/** Every command, in the order of `dyno --help`. Adding one is a file and a line here. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  demo: {
    about: {
      en: 'the whole job on simulated engines: no GPU, no set-up',
      zh: '在模拟引擎上完成全流程：无需 GPU 和任何配置',
    },
    load: () => import('./commands/demo.ts'),
  },
  run: {
    about: { en: 'one load point against a server', zh: '对服务器测试一个负载点' },
    load: () => import('./commands/run.ts'),
  },
  find: {
    about: {
      en: 'how many users a server takes within your limits',
      zh: '在给定时延要求内，服务器最多支持多少并发',
    },
    load: () => import('./commands/find.ts'),
  },
  sweep: {
    about: { en: 'many load points, one after the other', zh: '依次测试多个负载点' },
    load: () => import('./commands/sweep.ts'),
  },
  compare: {
    about: { en: 'results side by side, with intervals; a gate for CI', zh: '并排比较结果及置信区间；可作 CI 门禁' },
    load: () => import('./commands/compare.ts'),
  },
  as: {
    about: {
      en: 'the benchmark command you already have, printed as its tool prints it',
      zh: '直接运行已有的压测命令，按原工具格式输出',
    },
    load: () => import('./commands/as.ts'),
  },
  report: {
    about: { en: 'render a run or sweep again, in another form', zh: '以其他形式重新输出运行或扫描结果' },
    load: () => import('./commands/report.ts'),
  },
  import: {
    about: { en: "other tools' logs and results into the store", zh: '导入其他工具的日志与结果' },
    load: () => import('./commands/import.ts'),
  },
  audit: {
    about: { en: 'doubts about a result, with evidence and advice', zh: '审计结果：依据与建议' },
    load: () => import('./commands/audit.ts'),
  },
  runs: {
    about: { en: 'list, show, tag and delete what the store holds', zh: '列出、查看、标记、删除已保存的结果' },
    load: () => import('./commands/runs.ts'),
  },
  engine: {
    about: { en: 'a simulated engine over HTTP', zh: '通过 HTTP 提供的模拟引擎' },
    load: () => import('./commands/engine.ts'),
  },
  sim: {
    about: {
      en: 'the same plan in virtual time, against a simulated engine',
      zh: '在虚拟时间中对模拟引擎执行同样的计划',
    },
    load: () => import('./commands/sim.ts'),
  },
  fit: {
    about: {
      en: 'calibrate an engine profile from measured points, with its error on held-out ones',
      zh: '由实测点标定引擎配置，并给出留出点的误差',
    },
    load: () => import('./commands/fit.ts'),
  },
  plan: {
    about: {
      en: 'memory, KV blocks, batch ranges and config advice for a model on cards',
      zh: '模型在加速卡上的显存、KV block、批大小与配置建议',
    },
    load: () => import('./commands/plan.ts'),
  },
  tune: {
    about: {
      en: 'search server settings under SLOs, or compare variants',
      zh: '在 SLO 约束下搜索服务器设置，或比较方案',
    },
    load: () => import('./commands/tune.ts'),
  },
  selftest: {
    about: { en: 'how far this client on this host can be trusted', zh: '本机客户端的可信程度' },
    load: () => import('./commands/selftest.ts'),
  },
  devices: {
    about: {
      en: 'accelerators and NUMA of this host, or of a captured output',
      zh: '本机（或捕获输出中的）加速卡与 NUMA',
    },
    load: () => import('./commands/devices.ts'),
  },
  doctor: {
    about: {
      en: 'what is wrong with this host, client or engine, and how to mend it',
      zh: '检查主机、客户端与引擎的问题及修复方法',
    },
    load: () => import('./commands/doctor.ts'),
  },
  dataset: {
    about: {
      en: 'list, inspect, sample, convert, count and fetch datasets',
      zh: '列出、查看、抽样、转换、计数和下载数据集',
    },
    load: () => import('./commands/dataset.ts'),
  },
  ui: {
    about: {
      en: 'a local page over the store: start, watch, compare, plan, simulate',
      zh: '本地网页：启动、观察、比较、规划、模拟',
    },
    load: () => import('./commands/ui.ts'),
  },
  worker: {
    about: {
      en: 'lend this machine to runs that are started elsewhere',
      zh: '把本机借给别处发起的运行',
    },
    load: () => import('./commands/worker.ts'),
  },
  completion: {
    about: { en: 'shell completion for bash, zsh and fish', zh: 'bash、zsh、fish 的命令补全' },
    load: () => import('./commands/completion.ts'),
  },
};
