import { auditSweep } from '../../audit/index.ts';
import { exitCodes, say } from '../../core/index.ts';
import type { RunPlan, Summary, Sweep } from '../../core/index.ts';
import { findWords, loadPoints, planWords, sweepWords } from '../../run/index.ts';
import type { PlanWords } from '../../run/index.ts';
import { createSweep, openSweep, readSummary, resumeSweep } from '../../store/index.ts';
import type { OpenedSweep, StoredRun, SweepWriter } from '../../store/index.ts';
import type { CommandFile, Given } from '../command.ts';
import { findLoad, onServer } from '../find-load.ts';
import { cellKits, gridCells, lengthWords, sweepPoints } from '../grid.ts';
import type { GridCell, SweepPoint } from '../grid.ts';
import { listenForInterrupts } from '../interrupts.ts';
import type { Interrupts } from '../interrupts.ts';
import { promptsOf } from '../new-prompts.ts';
import { measureOn, measurePoint } from '../measure-point.ts';
import { flagsOf, readPlanInput } from '../plan-input.ts';
import { planPoint, prepare, sliceLength } from '../prepare.ts';
import { keepChart } from '../render.ts';
import type { Prepared } from '../prepare.ts';
import {
  givenAgain,
  isFinished,
  otherPoints,
  refuseOtherPlan,
  refuseWhole,
  resumeFlag,
  resumeWord,
} from '../resume.ts';
import { perWorkerFlag, showPoint, showSweep } from '../show.ts';
import { shownCommand } from '../shown-command.ts';
import { version } from '../version.ts';

export const command: CommandFile = {
  about: {
    en: 'Load a server with several load points, one after the other, each with prompts of its own.',
    zh: '依次以多个负载点测试服务器，每个点使用各自的提示词。',
  },
  arguments: [
    {
      name: 'url',
      required: false,
      help: { en: 'address of the server, or a YAML plan file', zh: '服务器地址，或 YAML 计划文件' },
    },
  ],
  flags: [...flagsOf({ ...planWords, ...sweepWords, ...findWords }), perWorkerFlag, resumeFlag],
  examples: [
    {
      line: 'dyno sweep http://127.0.0.1:8000 --concurrency 8,16,32,64 -n 1000',
      says: { en: 'the usual concurrency sweep', zh: '常见的并发扫描' },
    },
    {
      line: 'dyno sweep http://127.0.0.1:8000 --rate 1,2,4,8 --duration 60',
      says: { en: 'open loop: rates for a minute each', zh: '开环：每个速率持续一分钟' },
    },
    {
      line: 'dyno sweep http://127.0.0.1:1025 --concurrency 8,16 -n 200 --dataset openqa:open_qa.jsonl --lang zh',
      says: { en: 'table in Chinese', zh: '输出中文表格' },
    },
    {
      line: 'dyno sweep http://127.0.0.1:8000 --grid input=100,500,1000 output=100,500 -n 50 --concurrency 16',
      says: { en: 'every pair of prompt and answer lengths, as a heat table', zh: '输入 × 输出长度网格，输出热力表' },
    },
    {
      line: "dyno sweep http://127.0.0.1:8000 --find max --slo 'ttft.p99<2s' --slo 'tpot.p90<50ms' --rate 0.1,20",
      says: { en: 'the largest rate under two SLOs', zh: '满足两个 SLO 的最大速率' },
    },
  ],
  async run(typed) {
    const word = resumeWord(typed);
    const unfinished = word === null ? null : await openSweep(typed.common.store, word);
    const begun = (unfinished?.runs[0]?.record.plan ?? null) as RunPlan | null;
    const given =
      unfinished === null ? typed : promptsOf(givenAgain(typed, 'sweep', command, unfinished.record, null), begun);
    if (unfinished !== null) refuseWhole(unfinished);
    const { words: asked, more } = readPlanInput(given, { ...sweepWords, ...findWords });
    if (more.find !== undefined) return findLoad(given, asked, more.findRuns ?? null, onServer(given));
    const cells = gridCells(more.grid ?? [], asked);
    const points = sweepPoints(loadPoints(asked), cells, more.repeat ?? 1);
    const words = { ...asked, ...lengthWords(cells[0] ?? null) };
    const samePrompts = asked.samePrompts === true;
    const prepared = await prepare(words, given, samePrompts || cells.length > 0 ? 1 : points.length);
    const interrupts = listenForInterrupts(given);
    try {
      const { sweep, dir, whole } = await measureSweep({
        given,
        prepared,
        words,
        points,
        samePrompts,
        pauseMs: more.pause ?? 0,
        interrupts,
        unfinished,
      });
      showSweep(given, sweep, dir);
      if (sweep.variable === 'grid' && sweep.points.length > 0) await keepChart(given, sweep, dir);
      if (!whole) return exitCodes.interrupted;
      return words.lenient === true || sweep.points.every((point) => point.verdict.valid)
        ? exitCodes.ok
        : exitCodes.notValid;
    } finally {
      interrupts.done();
      await prepared.team?.close();
    }
  },
};

/** What a sweep is made of. */
export interface SweepParts {
  given: Given;
  prepared: Prepared;
  words: PlanWords;
  points: readonly SweepPoint[];
  samePrompts: boolean;
  pauseMs: number;
  interrupts: Interrupts;
  /** The interrupted sweep to go on with; absent or null = a new one. */
  unfinished?: OpenedSweep | null;
}

/** Runs every point of a sweep; whole = it was not interrupted. */
export async function measureSweep(parts: SweepParts): Promise<{ sweep: Sweep; dir: string; whole: boolean }> {
  const { given, prepared, words, points, interrupts } = parts;
  const grid = points.some((point) => point.cell !== undefined);
  const variable = grid ? 'grid' : words.rate === undefined ? 'concurrency' : 'rate';
  // Every cell is opened and looked at before the first request of the first one.
  const kits = grid ? await cellKits(prepared, words, points) : new Map<GridCell, Prepared>();
  const { unfinished = null } = parts;
  const plans = await plansOf(parts, kits);
  if (unfinished !== null) checkPoints(unfinished, plans);
  const writer =
    unfinished !== null
      ? await resumeSweep(unfinished)
      : await createSweep(given.common.store, {
          title: words.label ?? null,
          variable,
          startedAt: new Date().toISOString(),
          llmdyno: version,
          command: shownCommand(given.io.argv),
        });
  const done: Summary[] = [];
  for (const [number, point] of points.entries()) {
    if (interrupts.heard) break;
    const begun = unfinished?.runs[number] ?? null;
    const known = begun === null || !(await isFinished(begun)) ? null : await readSummary(begun);
    if (known !== null) {
      done.push(known);
      continue;
    }
    const kit = (point.cell !== undefined && kits.get(point.cell)) || prepared;
    const plan = plans[number]!;
    if (done.length > 0 && parts.pauseMs > 0) await rest(parts.pauseMs, interrupts);
    const title = `${pointName(given, point)} (${number + 1}/${points.length})`;
    done.push(await measureOne({ ...parts, prepared: { ...kit, run: number } }, writer, plan, title, begun));
  }
  const findings = grid ? [] : auditSweep(done);
  const whole = !interrupts.heard;
  await writer.finish(findings, whole);
  const sweep: Sweep = {
    schema: 'llmdyno.sweep/1',
    id: writer.sweepId,
    title: words.label ?? null,
    variable,
    points: done,
    findings,
  };
  return { sweep, dir: writer.dir, whole };
}

/** The plan of every point; unless they ask the same prompts, each takes the slice behind the one before. */
async function plansOf(parts: SweepParts, kits: ReadonlyMap<GridCell, Prepared>): Promise<RunPlan[]> {
  const plans: RunPlan[] = [];
  let offset = 0;
  for (const point of parts.points) {
    const kit = (point.cell !== undefined && kits.get(point.cell)) || parts.prepared;
    plans.push(planPoint(kit, point, offset));
    if (!parts.samePrompts) offset += await sliceLength(kit, offset);
  }
  return plans;
}

/** Every point that was begun must be the one that would be measured now. */
function checkPoints(unfinished: OpenedSweep, plans: readonly RunPlan[]): void {
  for (const [number, run] of unfinished.runs.entries()) {
    const plan = plans[number];
    if (plan === undefined) throw otherPoints(unfinished);
    refuseOtherPlan(run, plan);
  }
}

async function measureOne(
  parts: SweepParts,
  writer: SweepWriter,
  plan: RunPlan,
  title: string,
  begun: StoredRun | null,
): Promise<Summary> {
  const { given, prepared, interrupts } = parts;
  const { summary } =
    begun === null
      ? await measurePoint(given, prepared, plan, interrupts, title, (run) => writer.createRun(run))
      : await measureOn(given, prepared, plan, interrupts, title, begun);
  showPoint(given, summary);
  return summary;
}

function pointName(given: Given, point: SweepPoint): string {
  const { lang } = given.common;
  if (point.cell !== undefined) {
    const { input, output } = point.cell;
    return say({ en: `input ${input}, output ${output}`, zh: `输入 ${input}，输出 ${output}` }, lang);
  }
  return point.ratePerSec === null
    ? say({ en: `concurrency ${point.concurrency}`, zh: `并发 ${point.concurrency}` }, lang)
    : say({ en: `rate ${point.ratePerSec}/s`, zh: `速率 ${point.ratePerSec}/s` }, lang);
}

function rest(forMs: number, interrupts: Interrupts): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, forMs);
    interrupts.stops.sending.addEventListener('abort', end, { once: true });
  });
}
