import { join } from 'node:path';
import { exitCodes, say, sweepDocument } from '../../core/index.ts';
import type { Sweep } from '../../core/index.ts';
import { comparisonOf, renderForm, runExperiment, storedSource, writeWhole } from '../../lab/index.ts';
import type { FileForm, Outcome, Rendered, World } from '../../lab/index.ts';
import type { Comparison } from '../../results/measure/index.ts';
import { comparisonScreen, storeTyped, sweepScreen } from '../../results/report/index.ts';
import { builtinProfile } from '../../engine/sim/index.ts';
import { findEntry } from '../../results/store/index.ts';
import { example, printJson, remark } from '../command.ts';
import type { CommandFile, ParsedCommand } from '../command.ts';
import { commandWorld } from '../experiment-command.ts';
import { defaultStore } from '../parse.ts';
import { renderOptions } from '../render.ts';
import { reportOptions, showPoint } from '../show.ts';
import { spawnEngine } from '../spawned-engine.ts';

const profiles = ['qwen1.5-7b-mindie-8x910b4', 'llama-3-8b-vllm-rtx4090'] as const;
const concurrencies = [16, 32, 64];
const requests = 640;
const maxTokens = 12;

export const command: CommandFile = {
  about: {
    en: 'The whole job with no GPU and no set-up: two simulated engines are started, swept, audited and compared; a report and pictures are written.',
    zh: '无需 GPU 和任何配置的全流程：启动两个模拟引擎，扫描、审计、对比，并写出报告与图片。',
  },
  arguments: [],
  flags: {},
  examples: [example('dyno demo --lang zh', 'in Chinese', '中文输出')],
  async run(given) {
    const { world, done } = commandWorld(given, (event) => {
      if (event.event === 'point') showPoint(given, event.summary);
    });
    const sweeps: Sweep[] = [];
    const folders: string[] = [];
    try {
      for (const profile of profiles) {
        if (world.stops.drain.aborted) break;
        const { sweep, dir } = await sweepEngine(given, profile, world);
        sweeps.push(sweep!);
        folders.push(dir);
      }
    } finally {
      done();
    }
    tell(given, sweeps, folders, sweeps.length === profiles.length ? await writeFiles(given, folders) : null);
    // Doubts about a point are shown with it; a demonstration has nothing to gate.
    return world.stops.drain.aborted ? exitCodes.interrupted : exitCodes.ok;
  },
};

async function sweepEngine(given: ParsedCommand, profile: string, world: World): Promise<Outcome> {
  const { title } = builtinProfile(profile);
  remark(given, `\nstarting a simulated engine: ${title}`, `\n启动模拟引擎：${title}`);
  const engine = await spawnEngine(['--profile', profile]);
  try {
    const settings = {
      url: engine.url,
      label: profile,
      concurrency: concurrencies,
      requests,
      maxTokens,
      ignoreEos: true,
      warmup: { requests: 8 },
      samePrompts: true,
    };
    const outcome = await runExperiment({ kind: 'sweep', settings, simulate: null, resume: null }, world);
    if (!given.common.json) given.io.out(sweepScreen(outcome.sweep!, reportOptions(given)));
    return outcome;
  } finally {
    await engine.stop();
  }
}

interface Written {
  files: readonly string[];
  comparison: Comparison;
}

/** The report of both engines and the pictures, each into the folder it belongs to; the page lies with the first. */
async function writeFiles(given: ParsedCommand, folders: readonly string[]): Promise<Written> {
  const sources = [];
  for (const folder of folders)
    sources.push(await storedSource(given.common.store, await findEntry(given.common.store, folder)));
  const comparison = await comparisonOf(sources, []);
  const files: string[] = [];
  const write = async (file: string, what: Rendered, form: FileForm): Promise<void> => {
    await writeWhole(file, await renderForm(what, form, renderOptions(given)));
    files.push(file);
  };
  const [first] = folders as [string];
  await write(join(first, 'report.html'), { sources, comparison }, 'html');
  await write(join(first, 'comparison.png'), { sources }, 'png');
  for (const [i, folder] of folders.entries())
    await write(join(folder, 'sweep.png'), { sources: [sources[i]!] }, 'png');
  return { files, comparison };
}

function tell(given: ParsedCommand, sweeps: Sweep[], folders: readonly string[], written: Written | null): void {
  const files = written?.files ?? [];
  const { io, common } = given;
  if (common.json) {
    printJson(given, { schema: 'llmdyno.demo/1', sweeps: sweeps.map(sweepDocument), folders, files });
    return;
  }
  // In a clone that is not linked the command is npx dyno, and npm run demo is how one comes here.
  const dyno = io.env['npm_lifecycle_event'] === undefined ? 'dyno' : 'npx dyno';
  const store = storeTyped(common.store === defaultStore ? undefined : common.store);
  if (written !== null) io.out(`\n${comparisonScreen(written.comparison, reportOptions(given))}\n`);
  io.out(
    `${say(
      {
        en: `Both engines were simulated; the load was real. Next, in this folder:\n  ${dyno} runs${store}\n  ${dyno} find http://YOUR-SERVER:8000 --slo 'ttft.p99<500ms' --slo 'tpot.p99<50ms'`,
        zh: `两个引擎均为模拟，负载是真实的。接下来可在本目录执行：\n  ${dyno} runs${store}\n  ${dyno} find http://你的服务器:8000 --slo 'ttft.p99<500ms' --slo 'tpot.p99<50ms'`,
      },
      common.lang,
    )}\n${files.length === 0 ? '' : `${say({ en: 'Report and pictures:', zh: '报告与图片：' }, common.lang)}\n${files.join('\n')}\n`}${say({ en: 'Results are in:', zh: '结果保存在：' }, common.lang)}\n${folders.join('\n')}\n`,
  );
}
