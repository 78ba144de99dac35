import { exitCodes, say, userError, UserError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import {
  anyText,
  flag,
  one,
  oneOf,
  progressText,
  readPlanText,
  recoveryText,
  runTune,
  tuneScreen,
  wholeNumber,
  workerSettings,
  workloadWords,
} from '../../lab/index.ts';
import { storeTyped } from '../../results/report/index.ts';
import {
  calibrationPoints,
  configMistakes,
  initFile,
  initNames,
  paretoOfTune,
  patchOf,
  pointWords,
  readGoal,
  readTuneFile,
  recover,
  resumable,
  sha256,
  sizeOf,
  trialsFigure,
  unfinishedTunes,
} from '../../advice/tune/index.ts';
import type { TuneDocument, TuneRequest } from '../../advice/tune/index.ts';
import { argument, example, printJson, remark, settingsIn, typedSettings } from '../command.ts';
import type { CommandFile, ParsedCommand } from '../command.ts';
import { commandWorld } from '../experiment-command.ts';
import { screenOptions } from '../show.ts';
import { columnsOf } from '../terminal.ts';
import { profileNamed } from '../profile-flags.ts';
import { keepFigure } from '../render.ts';

const pictureWidth = 900;

const flags = {
  init: one(
    `init ${initNames.join('|')}`,
    oneOf(initNames),
    'print a commented tune file to begin with',
    '输出带注释的 tune 文件模板',
  ),
  goal: one(
    'goal GOAL',
    anyText,
    "a goal of the MindIE guide instead of the file's SLOs: throughput, decode-limit=50ms, ttft=8s, ttft=8s,decode=50ms",
    '使用指南中的目标代替文件中的 SLO：throughput、decode-limit=50ms、ttft=8s、ttft=8s,decode=50ms',
  ),
  runs: one(
    'runs COUNT',
    wholeNumber(1, 9999),
    "budget of runs, instead of the file's",
    '运行次数预算（代替文件中的值）',
  ),
  dryRun: flag('dry-run', 'say what would happen and change nothing', '只说明将要做什么，不做任何改动'),
  simulate: one(
    'simulate PROFILE',
    profileNamed,
    'the whole search against a simulated engine, in virtual time',
    '在虚拟时间中对模拟引擎完成整个搜索',
  ),
  resume: one(
    'resume ID|latest',
    anyText,
    'go on with a tune of the same file that was interrupted or killed',
    '继续同一文件被中断或终止的调优',
  ),
  restore: flag(
    'restore',
    'only put back what killed tunes left changed, and end',
    '仅恢复被终止的调优留下的改动，然后结束',
  ),
};

export const command: CommandFile = {
  about: {
    en: 'Search server settings under SLOs, restarting the server between trials: model-guided, confirmed with fresh runs, everything put back at the end. Or compare variants without a search.',
    zh: '在 SLO 约束下搜索服务器设置，试验之间重启服务器：由模型引导，用新的运行确认，结束后恢复原状。也可不搜索、只比较若干方案。',
  },
  arguments: [argument('[file]', 'tune file (YAML)', 'tune 文件（YAML）')],
  flags: { ...flags, ...workerSettings },
  examples: [
    example('dyno tune --init mindie > tune.yaml', 'a file to begin with', '生成模板文件'),
    example('dyno tune tune.yaml --dry-run', 'what would happen', '查看将要执行的内容'),
    example(
      'dyno tune tune.yaml --goal decode-limit=50ms',
      'most throughput with a mean decode time below 50 ms',
      'decode 平均时延低于 50 ms 的最大吞吐',
    ),
    example(
      'dyno tune tune.yaml --simulate qwen1.5-7b-mindie-8x910b4',
      'the same search in virtual time',
      '在虚拟时间中进行同样的搜索',
    ),
    example(
      'dyno tune tune.yaml --workers redis://10.0.0.5:6379 --min-workers 4',
      'trials loaded by other machines',
      '由其他机器为试验发送负载',
    ),
  ],
  async run(given) {
    const { init, goal, runs, resume: wanted, ...asked } = settingsIn(given, flags);
    if (init !== undefined) {
      given.io.out(initFile(init));
      return exitCodes.ok;
    }
    await putBack(given);
    if (asked.restore === true) return exitCodes.ok;
    const file = given.args[0];
    if (file === undefined)
      throw userError(
        'no-tune-file',
        'no tune file',
        '没有指定 tune 文件',
        'Print one with `dyno tune --init mindie > tune.yaml`, then: dyno tune tune.yaml',
        '用 `dyno tune --init mindie > tune.yaml` 生成，然后：dyno tune tune.yaml',
      );
    const text = readPlanText(file);
    const request = withRuns(readTuneFile(text, file, goal === undefined ? null : readGoal(goal)), runs);
    const simulate = asked.simulate ?? null;
    const workload = workloadWords(request, file, typedSettings(given, workerSettings));
    if (simulate === null) await checkConfigs(request);
    if (asked.dryRun === true) return dryRun(given, request);
    const { world, done } = commandWorld(given, (event) => {
      if (event.event === 'trial' && !given.common.quiet) given.io.err(progressText(event.progress, given.common.lang));
    });
    try {
      const hash = sha256(`${text}\n${goal ?? ''}`);
      const resume = wanted === undefined ? null : await folderToResume(given, hash, wanted);
      const { document, dir } = await runTune(
        { request, words: workload, simulate, file, sha256: hash, resume },
        world,
      );
      await drawCharts(given, document, dir);
      if (given.common.json) printJson(given, document);
      else given.io.out(tuneScreen(document, given.common.lang, columnsOf(given.io), everyTrial(given, dir)));
      remark(given, 'kept in', '结果保存于', ` ${dir}`);
      return exitCodeOf(document, workload.lenient === true);
    } finally {
      done();
    }
  },
};

function everyTrial(given: ParsedCommand, dir: string): Phrase {
  const { kept, store } = screenOptions(given, dir, null);
  const line = `dyno runs show ${kept}${storeTyped(store)}`;
  return { en: `Every trial: ${line}`, zh: `全部试验：${line}` };
}

function exitCodeOf({ stoppedBecause, best, variants, trials }: TuneDocument, lenient: boolean): number {
  if (stoppedBecause === 'interrupted') return exitCodes.interrupted;
  // An experiment in which nothing ran well has shown nothing.
  if (variants.length > 0) return variants.every(({ ok }) => ok === 0) ? exitCodes.unreachable : exitCodes.ok;
  if (best === null) return exitCodes.unreachable;
  if (!best.confirmed) return exitCodes.gateFailed;
  const doubtful = trials.some(({ number, valid }) => !valid && best.trials.includes(number));
  return doubtful && !lenient ? exitCodes.notValid : exitCodes.ok;
}

/** Puts back what tunes that were killed left behind; one that is at work on the same store is left alone. */
async function putBack(given: ParsedCommand): Promise<void> {
  for (const left of await unfinishedTunes(given.common.store)) {
    if (left.alive) continue;
    given.io.err(recoveryText(await recover(left), given.common.lang));
  }
}

async function folderToResume(given: ParsedCommand, hash: string, wanted: string): Promise<string> {
  const found = await resumable(given.common.store, hash, wanted);
  if (found !== null) return found;
  throw userError(
    'nothing-to-resume',
    'there is no tune of this file to go on with',
    '没有可继续的同一文件的调优',
    'The file and the goal must be the same as before; leave --resume out to begin anew.',
    '文件与目标须与之前一致；去掉 --resume 可重新开始。',
    '--resume',
  );
}

async function checkConfigs({ server }: TuneRequest): Promise<void> {
  const mistakes = (await Promise.all(server.configs.map(configMistakes))).flat();
  if (mistakes.length > 0) throw new UserError(mistakes);
}

function withRuns(request: TuneRequest, budgetRuns: number | undefined): TuneRequest {
  return budgetRuns === undefined ? request : { ...request, problem: { ...request.problem, budgetRuns } };
}

function dryRun(given: ParsedCommand, { problem, server, variants, repeats, url }: TuneRequest): number {
  const { lang } = given.common;
  const points = variants.length > 0 ? [] : calibrationPoints(problem);
  const patch = patchOf(server, points[0]?.settings ?? variants[0]?.settings ?? null);
  const plan = {
    schema: 'llmdyno.tune-plan/1',
    url,
    places: sizeOf(problem.space),
    runs: variants.length > 0 ? variants.length * repeats : problem.budgetRuns,
    guidedBy: problem.family?.scheduler ?? null,
    first: points,
    patch,
    evaluate: server.evaluate?.command ?? null,
    slos: problem.slos.map((slo) => slo.text),
  };
  if (given.common.json) printJson(given, plan);
  else {
    const guide = plan.guidedBy ?? say({ en: 'the trials alone', zh: '仅由试验' }, lang);
    given.io.out(
      [
        say(
          {
            en: `${plan.places} settings, at most ${plan.runs} runs, guided by: ${guide}`,
            zh: `${plan.places} 种设置，最多 ${plan.runs} 次运行，引导：${guide}`,
          },
          lang,
        ),
        ...points.map((point, i) => `${i + 1}. ${pointWords(point.settings, point.load)}`),
        ...patch.files.map(({ file, set }) => `${file}: ${JSON.stringify(set)}`),
        ...(patch.command === null ? [] : [`$ ${patch.command}`]),
        ...(plan.evaluate === null ? [] : [`$ ${plan.evaluate}`]),
        say({ en: 'nothing was changed', zh: '未做任何改动' }, lang),
        '',
      ].join('\n'),
    );
  }
  return exitCodes.ok;
}

async function drawCharts(given: ParsedCommand, document: TuneDocument, dir: string): Promise<void> {
  const figures = [document.trials.length > 0 ? trialsFigure(document) : null, paretoOfTune(document)];
  for (const figure of figures) if (figure !== null) await keepFigure(given, figure, dir, pictureWidth);
}
