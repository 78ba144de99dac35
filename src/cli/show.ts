import { basename } from 'node:path';
import { exitCodes, say, quotedFigures } from '../core/index.ts';
import type { Summary, Sweep } from '../core/index.ts';
import { asSweep, workersText, runScreen, sweepScreen } from '../results/report/index.ts';
import { flag, reporters } from '../lab/index.ts';
import type { Painter, ReportOptions, ScreenOptions } from '../results/report/index.ts';
import type { ReporterName } from '../lab/index.ts';
import { problemLines, summaryOfRun, sweepOf } from '../lab/index.ts';
import type { SourcePlace } from '../lab/index.ts';
import type { StoredRun, StoredSweep } from '../results/store/index.ts';
import { coloursFor } from './colours.ts';
import { remark } from './command.ts';
import type { ParsedCommand } from './command.ts';
import { columnsOf } from './terminal.ts';

/** On demand: the machines of a run over many, one by one. */
export const perWorkerFlag = flag(
  'per-worker',
  'of a run with --workers: a row per worker (share, outcomes, health, clock; text, markdown; html has it always)',
  '对于使用 --workers 的运行：每个 worker 一行（份额、结果、健康、时钟；text、markdown；html 总是包含）',
);

/** The whole report instead of the first screen. */
export const allFlag = flag(
  'all',
  'everything that is known, not the first screen only (also: --json, dyno report)',
  '输出全部信息，而非仅首屏（另见 --json、dyno report）',
);

/** How a first screen is told: which server was asked, and by what word its result is named. */
export function screenOptions(given: ParsedCommand, dir: string, url: string | null): ScreenOptions {
  const { argv } = given.io;
  const typed = argv.findIndex((word) => word === '--store' || word.startsWith('--store='));
  const store = typed === -1 ? {} : { store: argv[typed] === '--store' ? argv[typed + 1]! : argv[typed]!.slice(8) };
  return { ...reportOptions(given), url, kept: basename(dir), ...store };
}

function showWorkers(given: ParsedCommand, sweep: Sweep): void {
  if (given.flags.has('per-worker') && !given.common.json) given.io.out(workersText([sweep], reportOptions(given)));
}

/** How reports are told: in colour and within its width on a terminal, plain elsewhere; `file` is where it goes instead. */
export function reportOptions(given: ParsedCommand, file?: string): ReportOptions {
  const io = file === undefined ? given.io : { ...given.io, outIsTty: false };
  const colours = coloursFor(io, 'out');
  const paint: Painter = {
    strong: colours.bold,
    good: colours.green,
    warn: colours.yellow,
    bad: colours.red,
    faint: colours.dim,
  };
  return { lang: given.common.lang, paint, columns: columnsOf(io) };
}

/** The summary alone, where no folder holds it. */
export function showSummary(given: ParsedCommand, summary: Summary): void {
  given.io.out(reporters[given.common.json ? 'json' : 'text'](summary, reportOptions(given)));
}

/** The result of one run: its first screen, all of it, or its summary as JSON. */
export function showRun(given: ParsedCommand, summary: Summary, dir: string, url: string | null): void {
  if (given.common.json || given.flags.has('all')) showSummary(given, summary);
  else given.io.out(runScreen(summary, screenOptions(given, dir, url)));
  showWorkers(given, asSweep(summary));
  showFolder(given, dir);
}

/** One line as soon as a point of a sweep is done, for whoever watches. */
export function showPoint(given: ParsedCommand, summary: Summary): void {
  const { common, io } = given;
  if (common.quiet || common.json) return;
  const { counts, load } = summary;
  const { requestsPerSec, outputTokensPerSec, latencyMs, ttftMs } = quotedFigures(summary);
  const parts = [
    summary.lengthsAsked === undefined
      ? null
      : `${summary.lengthsAsked.input ?? '–'}→${summary.lengthsAsked.output ?? '–'}`,
    load.ratePerSec === null
      ? `${say({ en: 'concurrency', zh: '并发' }, common.lang)} ${load.concurrency}`
      : `${load.ratePerSec}/s`,
    summary.simulated ? `[${say({ en: 'simulated', zh: '模拟' }, common.lang)}]` : null,
    `${counts.ok}/${counts.planned} ok`,
    requestsPerSec === null ? null : `${requestsPerSec.toFixed(2)} req/s`,
    outputTokensPerSec === null ? null : `${outputTokensPerSec.toFixed(0)} tok/s`,
    latencyMs?.mean == null
      ? null
      : `${say({ en: 'latency', zh: '延迟' }, common.lang)} ${(latencyMs.mean / 1000).toFixed(3)} s`,
    ttftMs?.p50 == null ? null : `TTFT p50 ${ttftMs.p50.toFixed(0)} ms`,
    summary.verdict.valid ? null : say({ en: 'NOT VALID', zh: '无效' }, common.lang),
  ];
  io.err(`${parts.filter((part) => part !== null).join('  ')}\n`);
}

/** The result of a sweep: its first screen, all of it, or all summaries as JSON. */
export function showSweep(given: ParsedCommand, sweep: Sweep, dir: string, url: string | null): void {
  const whole = given.common.json || given.flags.has('all');
  if (whole) given.io.out(reporters[given.common.json ? 'json' : 'text'](sweep, reportOptions(given)));
  else given.io.out(sweepScreen(sweep, screenOptions(given, dir, url)));
  showWorkers(given, sweep);
  showFolder(given, dir);
}

/** Where words of a command are looked up; what could not be read of a foreign file is told on stderr. */
export function sourcePlace({ common, io }: ParsedCommand): SourcePlace {
  return { store: common.store, onProblems: (problems) => io.err(problemLines(problems, common.lang)) };
}

/** Renders something from the store; always exit code 0, whatever its verdict. */
export async function showStored(
  given: ParsedCommand,
  entry: StoredRun | StoredSweep,
  as: ReporterName,
): Promise<number> {
  const what = entry.kind === 'run' ? await summaryOfRun(entry) : await sweepOf(given.common.store, entry);
  given.io.out(reporters[given.common.json ? 'json' : as](what, reportOptions(given)));
  return exitCodes.ok;
}

/** For whoever keeps stdout in a file, because a first screen on the terminal names the folder itself. */
function showFolder(given: ParsedCommand, dir: string): void {
  if (!given.io.outIsTty) remark(given, 'kept in', '结果保存于', ` ${dir}`);
}
