import { auditPoints } from '../results/audit/index.ts';
import type { PointRule, SweepAudit } from '../results/audit/index.ts';
import type { Exchange, Summary } from '../core/index.ts';
import type { FormatName, ImportProblem } from '../tools/index.ts';
import {
  audited,
  comparisonOf,
  importPaths,
  keepImports,
  sidesOf,
  sourcesOf,
  summaryOfRequests,
} from '../lab/index.ts';
import type { AuditedSweep, ReportSource } from '../lab/index.ts';
import { parseGate } from '../results/measure/index.ts';
import type { Comparison } from '../results/measure/index.ts';
import { readExchanges } from '../results/store/index.ts';
import type { StoredRun } from '../results/store/index.ts';
import { usualStore } from './surroundings.ts';

/** A run or sweep of the store, or what a file of another tool holds, with all that is known beside it. */
export type Result = ReportSource;

/** Where results are looked up. */
interface ReadOptions {
  /** Left out = `dyno-runs` in the working directory. */
  store?: string;
  /** Told what of a foreign file could not be read; the rest of it is used. */
  onProblems?(problems: readonly ImportProblem[]): void;
}

/** What an audit is told besides the points. */
interface AuditOptions {
  /** Other numbers for the verdict, such as `failed-invalid=80%`; docs/reference/findings.md lists them. */
  limits?: readonly string[];
  /** Rules beside those of the audit. */
  rules?: readonly PointRule[];
}

/** How files are imported. */
interface ImportOptions {
  /** One tool's files only; left out = whatever is recognised. */
  format?: FormatName;
  /** Folder to keep them in; left out = they are only read. */
  store?: string;
}

/** What words name: ids, labels, paths or `latest` of the store, or files and folders of other tools. One file may hold several results. */
export async function readResults(
  words: string | readonly string[],
  { store = usualStore, onProblems = () => {} }: ReadOptions = {},
): Promise<Result[]> {
  return sourcesOf([words].flat(), { store, onProblems });
}

/** The figures of a run computed anew from its requests, or from those of them that are given, with a verdict of their own. */
export async function measure(
  run: StoredRun,
  requests?: AsyncIterable<Exchange> | Iterable<Exchange>,
): Promise<Summary> {
  return summaryOfRequests(run, requests ?? readExchanges(run), requests !== undefined);
}

/** Doubts about every point of a result, and about it as a whole. */
export function audit({ sweep: { points }, runs }: Result, { limits = [], rules = [] }: AuditOptions = {}): SweepAudit {
  const contexts = points.map(({ runId }) => ({ plan: runs.get(runId)?.record.plan ?? null, limits, rules }));
  return auditPoints(points, contexts);
}

/** Results side by side with differences and intervals; the first is the baseline. Gates as after `--fail-if`: `ttft.p99>2s`. */
export async function compare(results: readonly Result[], gates: readonly string[] = []): Promise<Comparison> {
  return comparisonOf(sidesOf(results), gates.map(parseGate));
}

/** Files of other tools (logs, documents, result files, folders of them), every point audited. */
export async function importFiles(
  paths: string | readonly string[],
  { format = 'auto', store }: ImportOptions = {},
): Promise<{ sweeps: AuditedSweep[]; problems: ImportProblem[] }> {
  const { sweeps: found, problems } = await importPaths([paths].flat(), format);
  const sweeps = found.map(audited);
  if (store !== undefined) await keepImports(sweeps, store, null);
  return { sweeps, problems };
}
