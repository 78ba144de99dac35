import type { Exchange, Summary, Sweep } from '../../core/index.ts';
import { listOf, planPoint, runExperiment } from '../../lab/index.ts';
import type {
  Experiment,
  LabPoint,
  LoadPoint,
  OpenPrompts,
  PlanSettings,
  Prepared,
  ServerWords,
} from '../../lab/index.ts';
import { readAnswers, readExchanges } from '../../results/store/index.ts';
import { remark } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { commandWorld } from '../experiment-command.ts';
import type { AsMeasured, ForeignWords } from '../../tools/index.ts';

/** One load point of another tool's command. */
export interface AsPoint {
  load: LoadPoint;
  /** What differs from the common settings, such as the number of requests. */
  settings?: Partial<PlanSettings>;
  /** Number of its first prompt. */
  offset?: number;
}

/** What another tool's command comes down to. */
export interface AsJob {
  settings: ServerWords;
  points: readonly AsPoint[];
  title: string;
  /** How prompts are chosen; left out = as the settings say. */
  open?: OpenPrompts;
  pauseMs?: number;
  /** Called before and after each point, to print as that tool does. */
  before?(point: AsPoint, number: number): void;
  after(measured: AsMeasured, number: number): Promise<void>;
}

/** Measures every point into the store and hands each to the tool's own printer; ends with the exit code (5 = a point is not valid). */
export async function measureAs(given: ParsedCommand, job: AsJob): Promise<{ code: number; sweep: Sweep }> {
  const { world, done } = commandWorld(given, (event) => {
    if (event.event === 'started') job.before?.(job.points[event.number]!, event.number);
  });
  const experiment: Experiment = {
    kind: 'sweep',
    settings: { ...job.settings, pause: job.pauseMs ?? 0, lenient: given.flags.has('lenient') },
    simulate: null,
    resume: null,
    title: job.title,
    points: async (runners) => listOf(pointsOf(job, await runners.prepare(job.settings, 1, job.open))),
    async after({ summary, dir }, { plan }, number) {
      const exchanges: Exchange[] = [];
      for await (const exchange of readExchanges({ dir })) if (!exchange.warmup) exchanges.push(exchange);
      await job.after({ plan, summary, exchanges, dir }, number);
      doubts(given, summary);
    },
  };
  try {
    const { sweep, dir, exitCode } = await runExperiment(experiment, world);
    remark(given, 'kept in', '结果保存于', ` ${dir}`);
    return { code: exitCode, sweep: sweep! };
  } finally {
    done();
  }
}

function pointsOf({ points, title }: AsJob, prepared: Prepared): LabPoint[] {
  return points.map(({ load, settings, offset }) => {
    const own = { ...prepared, settings: { ...prepared.settings, ...settings } };
    return { prepared: own, plan: planPoint(own, load, offset ?? 0), name: { en: title, zh: title } };
  });
}

/** The answers of a run by request number. */
export async function answersOf(dir: string): Promise<Map<number, string>> {
  const answers = new Map<number, string>();
  for await (const answer of readAnswers({ dir })) answers.set(answer.seq, answer.reasoning + answer.text);
  return answers;
}

/** What the audit holds against a point, on stderr: the other tool would not have said it, its readers must not stumble over it. */
function doubts(given: ParsedCommand, summary: Summary): void {
  for (const { severity, code, message, zh } of summary.verdict.findings)
    if (severity !== 'info') remark(given, `llmdyno: ${code}: ${message}`, `llmdyno: ${code}: ${zh.message}`);
}

/** One warning that names everything that has no effect here. */
export function warnIgnored(given: ParsedCommand, typed: ForeignWords): void {
  const flags = typed.ignored.join(', ');
  if (flags !== '') remark(given, `warning: without effect here: ${flags}`, `警告：以下选项在此不起作用：${flags}`);
}
