import { basename } from 'node:path';
import { auditPoints, parseLimit } from '../../results/audit/index.ts';
import type { AuditContext, PointAudit } from '../../results/audit/index.ts';
import { exitCodes, say } from '../../core/index.ts';
import type { Finding, Lang, Summary } from '../../core/index.ts';
import { findingLines, plainPainter, simulationOf, sweepName } from '../../results/report/index.ts';
import {
  flag,
  importPaths,
  isForeign,
  isUnknownRun,
  many,
  problemLines,
  sourcesOf,
  summaryAnew,
  sweepOf,
  textFor,
} from '../../lab/index.ts';
import { findEntry, openSweep } from '../../results/store/index.ts';
import type { StoredRun, StoredSweep } from '../../results/store/index.ts';
import { argument, example, makeCommand, printJson } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { reportOptions, sourcePlace } from '../show.ts';
import { formatFlag } from '../format-flag.ts';
import type { FormatName } from '../../tools/index.ts';
import { namedFiles } from '../named-files.ts';

export const command = makeCommand({
  about: {
    en: 'Doubts about a result, each with evidence, cause and advice: a run, a sweep, or a file of any tool that import reads.',
    zh: '对结果的审计，每条都有依据、原因和建议：运行、扫描，或 import 支持的任何文件。',
  },
  arguments: [
    argument(
      '<run-or-file...>',
      'what is in the store (id, label, latest …), or files and folders',
      '存储中的结果（id、标签、latest 等），或文件与目录',
    ),
  ],
  flags: {
    format: formatFlag('as for dyno import', '同 dyno import'),
    limit: many(
      'limit NAME=SHARE',
      textFor(parseLimit),
      'another number for the verdict, as failed-invalid=80% (docs/reference/findings.md lists them)',
      '修改判定所用的数值，如 failed-invalid=80%（见 docs/reference/findings.md）',
    ),
    lenient: flag('lenient', 'exit 0 whatever is found', '无论结果如何均以 0 退出'),
  },
  examples: [
    example('dyno audit latest', 'the newest result', '最新结果'),
    example('dyno audit blog-post.md --lang zh', "somebody else's figures", '审计他人的数据'),
    example('dyno audit run.log --json', 'findings for a program', '供程序读取的审计结果'),
  ],
  async run(given, { format = 'auto', limit: limits = [], lenient = false }) {
    const sets = (await Promise.all(given.args.map((word) => pointsNamed(given, word, format)))).flat();
    const results = sets.map((set) => ({
      ...set,
      audit: auditPoints(
        set.points,
        set.points.map((_, i) => ({ ...set.contexts[i], limits })),
      ),
    }));
    if (given.common.json) printJson(given, documentOf(results));
    else for (const result of results) given.io.out(textOf(given, result));
    const clean = results.every(
      (set) => set.rejected === 0 && set.audit.points.every((point) => point.status === 'clean'),
    );
    if (results.length === 0) {
      const nothing = { en: 'nothing was found that could be audited', zh: '没有可审计的内容' };
      given.io.err(`${namedFiles(given.args)}: ${say(nothing, given.common.lang)}\n`);
      return exitCodes.usage;
    }
    return clean || lenient ? exitCodes.ok : exitCodes.notValid;
  },
});

/** Points that belong together, and what is known beside their summaries. */
interface PointSet {
  title: string;
  file: string | null;
  points: Summary[];
  contexts: AuditContext[];
  /** Figures of its file that could not be taken: what is left was audited, not the file. */
  rejected: number;
}

interface AuditedResult extends PointSet {
  audit: { points: PointAudit[]; findings: Finding[] };
}

/** What a word names: a file or folder on disk that is no run of ours is imported, everything else is looked up. */
async function pointsNamed(given: ParsedCommand, word: string, format: FormatName): Promise<PointSet[]> {
  if (await isForeign(word)) {
    const { sweeps, problems } = await importPaths([word], format);
    given.io.err(problemLines(problems, given.common.lang));
    return sweeps.map(({ title, file, points }) => {
      const rejected = problems.filter((problem) => basename(problem.file) === basename(file ?? '')).length;
      return { title, file, points, contexts: [], rejected };
    });
  }
  const entry = await findEntry(given.common.store, word).catch((error: unknown) => {
    if (isUnknownRun(error)) return null;
    throw error;
  });
  // Points inside of something.
  if (entry === null) {
    return (await sourcesOf([word], sourcePlace(given))).map(({ sweep, runs }) => ({
      title: sweepName(sweep),
      file: null,
      points: [...sweep.points],
      contexts: sweep.points.map(({ runId }) => ({ plan: runs.get(runId)?.record.plan ?? null })),
      rejected: 0,
    }));
  }
  return [entry.kind === 'run' ? await runSet(entry) : await sweepSet(given, entry)];
}

async function runSet(entry: StoredRun): Promise<PointSet> {
  const summary = await summaryAnew(entry);
  return {
    title: summary.label ?? entry.id,
    file: null,
    points: [summary],
    contexts: [{ plan: entry.record.plan, interrupted: summary.partial }],
    rejected: 0,
  };
}

async function sweepSet(given: ParsedCommand, entry: StoredSweep): Promise<PointSet> {
  const { points: stored, title } = await sweepOf(given.common.store, entry);
  const { runs } = await openSweep(given.common.store, entry.dir);
  const plans = new Map(runs.map((run) => [run.record.runId, run.record.plan]));
  const anew = new Map<string, Summary>();
  for (const run of runs) anew.set(run.record.runId, await summaryAnew(run));
  const points = stored.map((point) => anew.get(point.runId) ?? point);
  return {
    title: title ?? entry.id,
    file: null,
    points,
    contexts: points.map((point) => ({ plan: plans.get(point.runId) ?? null })),
    rejected: 0,
  };
}

function documentOf(results: readonly AuditedResult[]): Record<string, unknown> {
  return {
    schema: 'llmdyno.audit/1',
    points: results.flatMap(({ title, file, points, rejected, audit }) =>
      points.map((point, i) => ({
        title,
        file,
        runId: point.runId,
        label: point.label,
        concurrency: point.load.concurrency,
        ratePerSec: point.load.ratePerSec,
        simulated: point.simulated,
        ...audit.points[i]!,
        status: statusOf(audit.points[i]!, rejected),
      })),
    ),
    sweepFindings: results.flatMap(({ title, audit }) => audit.findings.map((finding) => ({ title, ...finding }))),
  };
}

/** Nothing is clean of which a part was not read. */
function statusOf({ status }: PointAudit, rejected: number): PointAudit['status'] | 'incomplete' {
  return status === 'clean' && rejected > 0 ? 'incomplete' : status;
}

const statusWords = {
  clean: { en: 'clean', zh: '可用' },
  incomplete: { en: 'incomplete', zh: '不完整' },
  repairable: { en: 'repairable', zh: '可修正' },
  overloaded: { en: 'overloaded', zh: '过载' },
  'cached-prompts': { en: 'cached', zh: '来自缓存' },
  'server-silent': { en: 'silent for a while', zh: '曾静默' },
  unusable: { en: 'unusable', zh: '不可用' },
} as const;

const loudCodes = ['overloaded', 'server-silent', 'cached-prompts'] as const;

function textOf(given: ParsedCommand, { title, points, rejected, audit }: AuditedResult): string {
  const { lang } = given.common;
  const paint = reportOptions(given).paint ?? plainPainter;
  const everywhere = remarksOfAll(audit.points);
  const simulation = points.map(simulationOf).find((phrase) => phrase !== null) ?? null;
  const lines = [paint.strong(title), ...(simulation === null ? [] : [paint.warn(`  [${say(simulation, lang)}]`)])];
  if (rejected > 0)
    lines.push(
      `  ${paint.warn(say({ en: `${rejected} of its figures or lines were rejected (said above): only the rest was audited`, zh: `其中 ${rejected} 处数字或行被拒绝（见上）：仅审计了其余部分` }, lang))}`,
    );
  points.forEach((point, i) => {
    const { findings, repaired } = audit.points[i]!;
    const status = statusOf(audit.points[i]!, rejected);
    // Usable as they stand, but nobody should read the times of such a point without the word.
    const worst = loudCodes.find((code) => status === 'clean' && findings.some((finding) => finding.code === code));
    const word = worst ?? status;
    const shown = word === 'clean' ? paint.good : word === 'unusable' ? paint.bad : paint.warn;
    lines.push(`  ${nameOf(point, lang)}: ${shown(say(statusWords[word], lang))}`);
    if (repaired?.requestsPerSec !== undefined)
      lines.push(`    ${say({ en: 'repaired', zh: '修正值' }, lang)}: ${repaired.requestsPerSec.toFixed(3)} req/s`);
    const own = findings.filter((finding) => !everywhere.has(finding.code));
    for (const line of findingLines(own, lang, paint)) lines.push(`    ${line}`);
  });
  if (everywhere.size > 0)
    lines.push(`  ${say({ en: 'at every point, as at the first:', zh: '每个点均有（以首个点为例）：' }, lang)}`);
  for (const line of findingLines([...everywhere.values()], lang, paint)) lines.push(`    ${line}`);
  for (const line of findingLines(audit.findings, lang, paint)) lines.push(`  ${line}`);
  return `${lines.join('\n')}\n\n`;
}

/** Remarks (info) that every point of a longer sweep carries; they are told once. */
function remarksOfAll(points: readonly PointAudit[]): Map<string, Finding> {
  const [first, ...others] = points;
  if (first === undefined || others.length < 2) return new Map();
  const shared = first.findings.filter(
    ({ code, severity }) =>
      severity === 'info' && others.every((point) => point.findings.some((other) => other.code === code)),
  );
  return new Map(shared.map((finding) => [finding.code, finding]));
}

function nameOf(point: Summary, lang: Lang): string {
  const { concurrency, ratePerSec } = point.load;
  if (concurrency !== null)
    return `${say({ en: 'concurrency', zh: '并发' }, lang)} ${concurrency}${point.label === null ? '' : ` (${point.label})`}`;
  if (ratePerSec !== null) return `${ratePerSec}/s`;
  return point.label ?? point.runId;
}
