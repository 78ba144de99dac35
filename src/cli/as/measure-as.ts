import { auditSweep } from '../../audit/index.ts';
import { exitCodes, say } from '../../core/index.ts';
import type { Exchange, RunPlan, Summary, Sweep } from '../../core/index.ts';
import type { LoadPoint, PlanWords } from '../../run/index.ts';
import { createSweep, readAnswers, readExchanges } from '../../store/index.ts';
import type { Given } from '../command.ts';
import { listenForInterrupts } from '../interrupts.ts';
import { measurePoint } from '../measure-point.ts';
import { openWords, planPoint, prepare } from '../prepare.ts';
import { shownCommand } from '../shown-command.ts';
import { version } from '../version.ts';
import type { ForeignWords } from './foreign-flags.ts';

/** One load point of another tool's command. */
export interface AsPoint {
  load: LoadPoint;
  /** What differs from the common words, such as the number of requests. */
  words?: Partial<PlanWords>;
  /** Number of its first prompt. */
  offset?: number;
}

/** What one point came to, with every measured exchange in the order they ended. */
export interface AsMeasured {
  plan: RunPlan;
  summary: Summary;
  exchanges: Exchange[];
  dir: string;
}

/** What another tool's command comes down to. */
export interface AsJob {
  words: PlanWords & { url: string };
  points: readonly AsPoint[];
  title: string;
  /** How prompts are chosen; left out = as the words say. */
  open?: typeof openWords;
  pauseMs?: number;
  /** Called before and after each point, to print as that tool does. */
  before?(point: AsPoint, number: number): void;
  after(measured: AsMeasured, number: number): Promise<void>;
}

/** Measures every point into the store and hands each to the tool's own printer; ends with the exit code (5 = a point is not valid). */
export async function measureAs(given: Given, job: AsJob): Promise<{ code: number; sweep: Sweep }> {
  const prepared = await prepare(job.words, given, 1, job.open ?? openWords);
  const interrupts = listenForInterrupts(given);
  const done: Summary[] = [];
  try {
    const variable = job.words.rate === undefined ? 'concurrency' : 'rate';
    const writer = await createSweep(given.common.store, {
      title: job.title,
      variable,
      startedAt: new Date().toISOString(),
      llmdyno: version,
      command: shownCommand(given.io.argv),
    });
    for (const [number, point] of job.points.entries()) {
      if (interrupts.heard) break;
      if (number > 0 && (job.pauseMs ?? 0) > 0) await rest(job.pauseMs!, interrupts.stops.sending);
      job.before?.(point, number);
      const kit = { ...prepared, words: { ...prepared.words, ...point.words }, run: number };
      const plan = planPoint(kit, point.load, point.offset ?? 0);
      const title = `${job.title} (${number + 1}/${job.points.length})`;
      const { summary, dir } = await measurePoint(given, kit, plan, interrupts, title, (run) => writer.createRun(run));
      done.push(summary);
      const exchanges: Exchange[] = [];
      for await (const exchange of readExchanges({ dir })) if (!exchange.warmup) exchanges.push(exchange);
      await job.after({ plan, summary, exchanges, dir }, number);
      doubts(given, summary);
    }
    const findings = auditSweep(done);
    await writer.finish(findings, !interrupts.heard);
    if (!given.common.quiet)
      given.io.err(`${say({ en: 'kept in', zh: '结果保存于' }, given.common.lang)} ${writer.dir}\n`);
    const sweep: Sweep = {
      schema: 'llmdyno.sweep/1',
      id: writer.sweepId,
      title: job.title,
      variable,
      points: done,
      findings,
    };
    return { code: interrupts.heard ? exitCodes.interrupted : codeOf(given, done), sweep };
  } finally {
    interrupts.done();
  }
}

/** 5 as everywhere when a point is not valid; `dyno as --lenient` asks for the 0 that the other tool would have ended with. */
function codeOf(given: Given, points: readonly Summary[]): number {
  return given.flags.has('lenient') || points.every(({ verdict }) => verdict.valid) ? exitCodes.ok : exitCodes.notValid;
}

/** The answers of a run by request number. */
export async function answersOf(dir: string): Promise<Map<number, string>> {
  const answers = new Map<number, string>();
  for await (const answer of readAnswers({ dir })) answers.set(answer.seq, answer.reasoning + answer.text);
  return answers;
}

/** What the audit holds against a point, on stderr: the other tool would not have said it, its readers must not stumble over it. */
function doubts(given: Given, summary: Summary): void {
  if (given.common.quiet) return;
  for (const finding of summary.verdict.findings) {
    if (finding.severity === 'info') continue;
    const message = given.common.lang === 'zh' ? finding.zh.message : finding.message;
    given.io.err(`llmdyno: ${finding.code}: ${message}\n`);
  }
}

/** One warning that names everything that has no effect here. */
export function warnMoot(given: Given, words: ForeignWords, more: readonly string[] = []): void {
  if (words.moot.length > 0 && !given.common.quiet) {
    const flags = words.moot.join(', ');
    given.io.err(
      `${say({ en: `warning: without effect here: ${flags}`, zh: `警告：以下选项在此不起作用：${flags}` }, given.common.lang)}\n`,
    );
  }
  if (!given.common.quiet) for (const line of more) given.io.err(`${line}\n`);
}

function rest(forMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, forMs);
    stop.addEventListener('abort', end, { once: true });
  });
}
