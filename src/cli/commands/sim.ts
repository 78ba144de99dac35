import { auditSweep } from '../../audit/index.ts';
import { exitCodes, say, UserError } from '../../core/index.ts';
import type { RunPlan, Summary, Sweep } from '../../core/index.ts';
import { executeRun, findWords, loadPoints, planWords, sweepWords } from '../../run/index.ts';
import type { PlanWords, RunParts } from '../../run/index.ts';
import {
  engineStory,
  makeSimRunner,
  mishapNames,
  parseMishap,
  saturationWords,
  saturationOf,
  schedulers,
} from '../../sim/index.ts';
import type { EngineProfile, Mishap, Saturation, SimRunnerKit } from '../../sim/index.ts';
import { createRun, createSweep } from '../../store/index.ts';
import type { NewRun, RunWriter } from '../../store/index.ts';
import { benchOf } from '../bench.ts';
import type { Bench } from '../bench.ts';
import type { CommandFile, Given } from '../command.ts';
import { findLoad } from '../find-load.ts';
import { cellKits, gridCells, lengthWords, sweepPoints } from '../grid.ts';
import { listenForInterrupts } from '../interrupts.ts';
import type { Interrupts } from '../interrupts.ts';
import { flagsOf, readPlanInput } from '../plan-input.ts';
import { offsetsOf, openWords, planPoint, sliceLength } from '../prepare.ts';
import type { Prepared } from '../prepare.ts';
import { profileFlags, profileOf } from '../profile-flags.ts';
import { keepChart } from '../render.ts';
import { showPoint, showRun, showSweep } from '../show.ts';
import { shownCommand } from '../shown-command.ts';
import { askBench } from '../sim-bench.ts';
import { simElsewhere } from '../sim-work.ts';
import { version } from '../version.ts';

/** Stands where a server's address would; nothing is ever sent there. */
const nowhere = 'http://simulated.invalid/v1/chat/completions';

export const command: CommandFile = {
  about: {
    en: 'Play a run or sweep plan in virtual time against a simulated engine: the same words, the same summary and reports, marked as simulated, thousands of times faster than real.',
    zh: '在虚拟时间中对模拟引擎执行运行或扫描计划：同样的参数、同样的汇总与报告，均标明为模拟结果，比实时快数千倍。',
  },
  arguments: [
    {
      name: 'url',
      required: false,
      help: { en: 'a YAML plan file (an address is not needed)', zh: 'YAML 计划文件（不需要地址）' },
    },
  ],
  flags: [
    ...profileFlags,
    {
      name: 'fault',
      value: 'NAME',
      repeat: true,
      help: {
        en: `what went wrong in published benchmarks, repeatable: ${mishapNames.join(', ')}`,
        zh: `重现公开测试中出现过的问题，可重复：${mishapNames.join('、')}`,
      },
    },
    ...flagsOf({ ...planWords, ...sweepWords, ...findWords }),
  ],
  examples: [
    {
      line: 'dyno sim --profile qwen1.5-7b-mindie-8x910b4 --concurrency 8,64,200,400 -n 1000',
      says: { en: 'a sweep that would take minutes, in a second', zh: '一秒完成数分钟的扫描' },
    },
    {
      line: 'dyno sim --scheduler vllm-v1 --set max_num_seqs=64 --rate 2,4,8 --duration 10m',
      says: { en: 'another scheduler, open loop', zh: '换一个调度器，开环负载' },
    },
    {
      line: "dyno sim --profile my-engine.json --find max --slo 'ttft.p90<2s' --slo 'tpot.p90<50ms' --rate 0.1,50",
      says: { en: 'the capacity that a profile predicts under SLOs', zh: '由引擎配置预测 SLO 下的容量' },
    },
    {
      line: 'dyno sim --concurrency 8,16,32,64,128,256 -n 100000 --workers redis://10.0.0.5:6379',
      says: { en: 'points simulated side by side, by whoever is on the queue', zh: '由队列上的 worker 并行模拟各点' },
    },
  ],
  async run(given) {
    const profile = profileOf(given);
    const befallen = mishapsOf(given);
    const { words: asking, more } = readPlanInput(given, { ...sweepWords, ...findWords }, nowhere);
    if (more.find !== undefined) return findSimulated(given, asking, more.findRuns ?? null, profile, befallen);
    const cells = gridCells(more.grid ?? [], asking);
    const words = { ...asking, ...lengthWords(cells[0] ?? null) };
    const points = sweepPoints(loadPoints(words), cells, more.repeat ?? 1);
    const slices = words.samePrompts === true || cells.length > 0 ? 1 : points.length;
    const prepared = await preparedFor(words, slices, profile);
    const interrupts = listenForInterrupts(given);
    const kits = await cellKits(prepared, words, points);
    const plans: Planned[] = [];
    let offset = 0;
    for (const point of points) {
      const kit = (point.cell !== undefined && kits.get(point.cell)) || prepared;
      plans.push({ kit, plan: planPoint(kit, point, offset), run: plans.length });
      if (words.samePrompts !== true) offset += await sliceLength(kit, offset);
    }
    const bench = await benchOf(given, words);
    try {
      const job = { given, prepared, profile, interrupts, befallen, bench };
      // Points do not wait for each other, unless what befalls one depends on those before it.
      if (bench !== null && befallen.length === 0)
        for (const plan of plans)
          plan.answer = askBench(bench, plan.kit, plan.plan, { profile, befallen, already: 0, run: plan.run });
      const isRun = plans.length === 1 && cells.length === 0;
      const done = isRun ? await simulateRun(job, plans[0]!) : await simulateSweep(job, plans, cells.length > 0);
      if (interrupts.heard) return exitCodes.interrupted;
      return words.lenient === true || done.every((point) => point.verdict.valid) ? exitCodes.ok : exitCodes.notValid;
    } finally {
      interrupts.done();
      await bench?.close();
    }
  },
};

/** What a plan needs, with no server to ask. */
async function preparedFor(
  words: PlanWords & { url: string },
  slices: number,
  profile: EngineProfile,
): Promise<Prepared> {
  const opened = await openWords(words, slices);
  return {
    words: opened.words,
    target: { url: words.url, api: words.api ?? 'openai-chat', model: words.model ?? profile.model, headers: {} },
    dataset: opened.dataset,
    gapsMs: opened.gapsMs,
    secrets: {},
    reopenable: false,
    contextTokens: null,
  };
}

/** The largest load under SLOs, every look in virtual time. */
async function findSimulated(
  given: Given,
  words: PlanWords & { url: string },
  runs: number | null,
  profile: EngineProfile,
  befallen: readonly Mishap[],
): Promise<number> {
  const bench = await benchOf(given, words);
  let already = 0;
  try {
    return await findLoad(given, words, runs, {
      // Virtual time is cheap: enough looks to close in, long enough for their tails.
      runs: 60,
      requests: 1000,
      prepare: (asked) => preparedFor(asked, 1, profile),
      async look(prepared, plan, interrupts, _shown, create) {
        const job = { given, prepared, profile, interrupts, befallen, bench };
        const { summary } = await simulate(job, { kit: prepared, plan, run: 0 }, already, create);
        already += summary.counts.issued;
        return summary;
      },
    });
  } finally {
    await bench?.close();
  }
}

interface Job {
  given: Given;
  prepared: Prepared;
  profile: EngineProfile;
  interrupts: Interrupts;
  befallen: readonly Mishap[];
  bench: Bench | null;
}

function mishapsOf(given: Given): Mishap[] {
  return (given.flags.get('fault') ?? []).map((text) => {
    const mishap = parseMishap(text);
    if (mishap !== null) return mishap;
    throw new UserError({
      code: 'unknown-fault',
      message: {
        en: `there is no fault "${text.slice(0, 50)}" here`,
        zh: `这里没有名为 "${text.slice(0, 50)}" 的故障`,
      },
      hint: {
        en: `Faults: ${mishapNames.join(', ')}. Those of the wire are for dyno engine.`,
        zh: `可用的故障：${mishapNames.join('、')}。网络层的故障用于 dyno engine。`,
      },
      place: { flag: '--fault' },
    });
  });
}

/** A plan, and what its prompts come from. */
interface Planned {
  kit: Prepared;
  plan: RunPlan;
  /** Its place in the sweep. */
  run: number;
  /** What another machine computes of it already. */
  answer?: Promise<unknown>;
}

async function simulateRun(job: Job, plan: Planned): Promise<Summary[]> {
  const { summary, dir } = await simulate(job, plan, 0, (run) => createRun(job.given.common.store, run));
  showRun(job.given, summary, dir);
  showSaturation(job.given, summary);
  return [summary];
}

async function simulateSweep(job: Job, plans: readonly Planned[], isGrid: boolean): Promise<Summary[]> {
  const { given, prepared, interrupts } = job;
  const title = prepared.words.label ?? null;
  const variable = isGrid ? 'grid' : prepared.words.rate === undefined ? 'concurrency' : 'rate';
  const about = { title, variable, llmdyno: version, command: shownCommand(given.io.argv) } as const;
  const writer = await createSweep(given.common.store, { ...about, startedAt: new Date().toISOString() });
  const points: Summary[] = [];
  // One engine serves the whole sweep: what befalls one request befalls it once, and it is cold once.
  let already = 0;
  for (const plan of plans) {
    if (interrupts.heard) break;
    const { summary } = await simulate(job, plan, already, (run) => writer.createRun(run));
    already += summary.counts.issued;
    showPoint(given, summary);
    showSaturation(given, summary);
    points.push(summary);
  }
  const findings = isGrid ? [] : auditSweep(points);
  await writer.finish(findings, !interrupts.heard);
  const sweep: Sweep = { schema: 'llmdyno.sweep/1', id: writer.sweepId, title, variable, points, findings };
  showSweep(given, sweep, writer.dir);
  if (isGrid && points.length > 0) await keepChart(given, sweep, writer.dir);
  return points;
}

async function simulate(
  { given, profile, interrupts, befallen, bench }: Job,
  planned: Planned,
  already: number,
  create: (run: NewRun) => Promise<RunWriter>,
): Promise<{ summary: Summary; dir: string }> {
  const { plan } = planned;
  const { dataset } = planned.kit;
  const offsets = await offsetsOf(dataset, plan);
  const kit =
    bench === null
      ? makeSimRunner({
          profile,
          workload: (phase) => dataset.workload(offsets[phase]),
          mishaps: { befallen, already },
          run: planned.run,
          breathe: () => new Promise((resolve) => void setImmediate(resolve)),
        })
      : simElsewhere(
          planned.answer ?? askBench(bench, planned.kit, plan, { profile, befallen, already, run: planned.run }),
        );
  const writer = await create({
    plan,
    startedAt: new Date().toISOString(),
    simulated: true,
    monotonicOriginNs: null,
    llmdyno: version,
    command: shownCommand(given.io.argv),
  });
  const telemetry = watchEngine(kit, plan, profile);
  const summary = await executeRun({ plan, kit, writer, stops: interrupts.stops, telemetry });
  return { summary, dir: writer.dir };
}

/** What a real server's metrics would have told of the run goes into the summary from the engine itself. */
function watchEngine(kit: SimRunnerKit, plan: RunPlan, profile: EngineProfile): NonNullable<RunParts['telemetry']> {
  const { name, settings } = profile.scheduler ?? { name: 'continuous' as const, settings: {} };
  const maxBatchSize = Number(settings[schedulers[name].batchSetting] ?? profile.maxBatchSize);
  const { kind, concurrency } = plan.load;
  return {
    start: () => {},
    saw: () => {},
    stop: () => Promise.resolve(),
    collect({ flow }) {
      const counters = kit.counters();
      const load = { isOpen: kind !== 'closed', concurrency, maxBatchSize };
      const saturation = saturationOf(flow?.state ?? 'unknown', load, counters);
      const facts = { profile: profile.name, scheduler: name, saturation, ...counters };
      if (counters === null) return { server: facts, devices: null };
      const { en: story, zh } = engineStory(counters, saturation);
      return { server: { ...facts, story, zh: { story: zh } }, devices: null };
    },
  };
}

function showSaturation(given: Given, summary: Summary): void {
  const label = summary.server?.['saturation'] as Saturation | null | undefined;
  if (given.common.quiet || given.common.json || label == null) return;
  const { lang } = given.common;
  given.io.err(`${say({ en: 'engine', zh: '引擎' }, lang)}: ${say(saturationWords[label], lang)}\n`);
}
