import { stat } from 'node:fs/promises';
import { printable, userError, UserError } from '../../core/index.ts';
import type { Phrase, Summary, Sweep } from '../../core/index.ts';
import { intervalsOf, makeTrace } from '../../results/measure/index.ts';
import type { Trace } from '../../results/measure/index.ts';
import { asSweep, pointName, sweepName } from '../../results/report/index.ts';
import type { PointIntervals } from '../../results/report/index.ts';
import { summaryOfRun, sweepOf } from '../read-run.ts';
import { findEntry, listRuns, openSweep, readExchanges, readPointTags } from '../../results/store/index.ts';
import type { EntryFacts, StoredRun, StoredSweep } from '../../results/store/index.ts';
import type { ImportProblem } from '../../tools/index.ts';
import { conditionsIn, pointIn, pointsAt } from './address.ts';
import type { Address } from './address.ts';
import { importPaths } from './import-files.ts';
import { isForeign } from './is-foreign.ts';
import { audited } from './keep-imports.ts';

/** Something to tell: a run, a sweep, or what a file of another tool holds, with all that is known beside it. */
export interface ReportSource {
  /** As it is shown; one run is the summary itself. */
  what: Summary | Sweep;
  /** The same as a sweep, so that everything can be told alike. */
  sweep: Sweep;
  /** Where rendered files go unless told otherwise; null = not in the store. */
  dir: string | null;
  /** The run folders behind the points, by run id; none for imports. */
  runs: ReadonlyMap<string, StoredRun>;
  environment: (readonly [Phrase, string])[];
  command: readonly string[] | null;
  /** What was said of it later; absent = nothing. */
  facts?: EntryFacts;
}

/** Where names are looked up. */
export interface SourcePlace {
  store: string;
  /** What could not be read of a foreign file; the rest of it is used. */
  onProblems(problems: readonly ImportProblem[]): void;
}

/**
 * What names mean: a file or folder that is no run of ours is imported, everything else is looked up in the store; points
 * inside of either by `[concurrency=100,variant=A]` or by a name behind a slash.
 */
export async function sourcesOf(names: readonly string[], place: SourcePlace): Promise<ReportSource[]> {
  const all: ReportSource[] = [];
  for (const name of names) all.push(...(await sourcesNamed(name, place)));
  return all;
}

async function sourcesNamed(word: string, place: SourcePlace): Promise<ReportSource[]> {
  if (await isForeign(word)) return importedSources(word, place);
  try {
    return [await storedSource(place.store, await findEntry(place.store, word))];
  } catch (error) {
    if (!isUnknownRun(error)) throw error;
    const tagged = await pointsTagged(place.store, word);
    if (tagged !== null) {
      const source = await storedSource(place.store, tagged.entry);
      return [
        selected(
          source,
          source.sweep.points.filter(({ runId }) => tagged.points.includes(runId)),
        ),
      ];
    }
    const inside = conditionsIn(word) ?? pointIn(word);
    if (inside === null) throw error;
    return pointSources(inside, place, error);
  }
}

/** The points inside of a sweep that a word was given to as a tag, the newest sweep first; null = none. */
async function pointsTagged(
  store: string,
  word: string,
): Promise<{ entry: StoredSweep; points: readonly string[] } | null> {
  for (const entry of (await listRuns(store, { kind: 'sweep' })).toReversed()) {
    if (entry.kind !== 'sweep') continue;
    const points = (await readPointTags(entry.dir)).get(word);
    if (points !== undefined) return { entry, points };
  }
  return null;
}

/** Whether a word was said to name no run. */
export function isUnknownRun(error: unknown): error is UserError {
  return error instanceof UserError && error.mistakes[0]?.code === 'no-such-run';
}

/** What a word means in the store: an entry, and which of its points; null = all of it. */
export async function entryNamed(
  store: string,
  word: string,
): Promise<{ entry: StoredRun | StoredSweep; points: readonly string[] | null }> {
  try {
    return { entry: await findEntry(store, word), points: null };
  } catch (error) {
    if (!isUnknownRun(error)) throw error;
    const tagged = await pointsTagged(store, word);
    if (tagged !== null) return tagged;
    const inside = conditionsIn(word) ?? pointIn(word);
    if (inside === null) throw error;
    const entry = await findEntry(store, inside.base);
    if (entry.kind === 'run') throw error;
    const points = pointsAt(await sweepOf(store, entry), inside);
    return { entry, points: points.map(({ runId }) => runId) };
  }
}

/** The points that an address means in everything that its base names; a file may hold several sweeps. */
async function pointSources(address: Address, place: SourcePlace, unknown: UserError): Promise<ReportSource[]> {
  // A path that leads to nothing is no point of the folders above it.
  if ('point' in address && (await isForeign(address.base)) && (await stat(address.base)).isDirectory()) throw unknown;
  const bases = await sourcesNamed(address.base, place).catch((error: unknown) => {
    throw isUnknownRun(error) ? unknown : error;
  });
  const refused: UserError[] = [];
  const found = bases.flatMap((source): ReportSource[] => {
    try {
      return [selected(source, pointsAt(source.sweep, address))];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      refused.push(error);
      return [];
    }
  });
  if (found.length === 0) throw refused[0]!;
  return found;
}

/** A stored entry with everything behind it. */
export async function storedSource(store: string, entry: StoredRun | StoredSweep): Promise<ReportSource> {
  if (entry.kind === 'run') {
    const summary = await summaryOfRun(entry);
    return {
      what: summary,
      sweep: asSweep(summary),
      dir: entry.dir,
      runs: new Map([[summary.runId, entry]]),
      environment: environmentOf([entry]),
      command: entry.record.command,
      ...(entry.facts !== undefined && { facts: entry.facts.own }),
    };
  }
  const sweep = await sweepOf(store, entry);
  const { runs } = await openSweep(store, entry.dir);
  return {
    what: sweep,
    sweep,
    dir: entry.dir,
    runs: new Map(runs.map((run) => [run.record.runId, run])),
    environment: environmentOf(runs),
    command: entry.record.command,
    ...(entry.facts !== undefined && { facts: entry.facts.own }),
  };
}

async function importedSources(word: string, place: SourcePlace): Promise<ReportSource[]> {
  const { sweeps, problems } = await importPaths([word], 'auto');
  place.onProblems(problems);
  if (sweeps.length === 0) throw nothingThere(word);
  return sweeps.map(audited).map(({ id, title, file, variable, points, findings }) => {
    const sweep: Sweep = { schema: 'llmdyno.sweep/1', id, title, variable, points, findings };
    return {
      what: sweep,
      sweep,
      dir: null,
      runs: new Map(),
      environment: [[{ en: 'imported from', zh: '导入自' }, file]],
      command: null,
    };
  });
}

/** Each point of something for itself, under its own name. */
export function eachPoint(told: ReportSource): ReportSource[] {
  return told.sweep.points.map((point) => selected(told, [point]));
}

/** Some points of something: one of them is told as a run. */
function selected(told: ReportSource, points: readonly Summary[]): ReportSource {
  const [only] = points;
  const single = points.length === 1 && only !== undefined;
  if (points.length === told.sweep.points.length && !single) return told;
  const name = single ? `${sweepName(told.sweep)} · ${pointName(told.sweep, only)}` : sweepName(told.sweep);
  // What a search concluded is not said of some of its points.
  const { search: _, ...whole } = told.sweep;
  const sweep: Sweep = { ...whole, title: name, points: [...points], findings: [] };
  return {
    ...told,
    what: single ? { ...only, label: only.label ?? name } : sweep,
    sweep,
    runs: new Map(points.flatMap(({ runId }) => (told.runs.has(runId) ? [[runId, told.runs.get(runId)!]] : []))),
  };
}

function nothingThere(word: string): UserError {
  const shown = printable(word).slice(0, 100);
  return userError(
    'nothing-to-tell',
    `"${shown}" is no run of ours and holds nothing that can be imported`,
    `"${shown}" 不是本工具的运行，也没有可导入的内容`,
    'List what the store holds with `dyno runs`; `dyno import --help` says which files are read.',
    '用 `dyno runs` 查看已保存的结果；`dyno import --help` 列出可读取的文件。',
  );
}

let lastTrace: { dir: string; trace: Trace } | null = null;

/** The requests of a run, read in bounded memory; the last one read is kept, since a report asks for it twice. */
export async function traceOf(run: StoredRun): Promise<Trace> {
  if (lastTrace?.dir === run.dir) return lastTrace.trace;
  lastTrace = null;
  const trace = makeTrace(run.record.plan.load);
  for await (const exchange of readExchanges(run)) trace.add(exchange);
  lastTrace = { dir: run.dir, trace };
  return trace;
}

/** Intervals of every point whose requests are at hand. */
export async function intervalsOfSources(
  sources: readonly ReportSource[],
): Promise<(point: Summary) => PointIntervals | null> {
  const known = new Map<string, PointIntervals | null>();
  for (const { runs } of sources) for (const [id, run] of runs) known.set(id, intervalsOf(await traceOf(run)));
  return (point) => known.get(point.runId) ?? null;
}

function environmentOf(runs: readonly StoredRun[]): (readonly [Phrase, string])[] {
  const [first] = runs;
  if (first === undefined) return [];
  const { host, llmdyno, startedAt, plan } = first.record;
  const rows: [Phrase, string][] = [
    [{ en: 'started', zh: '开始时间' }, startedAt],
    [{ en: 'target', zh: '目标' }, `${plan.target.url} (${plan.target.api}, ${plan.target.model})`],
    ...(plan.target.server === undefined
      ? []
      : [[{ en: 'server', zh: '服务器' }, plan.target.server] satisfies [Phrase, string]]),
    [
      { en: 'dataset', zh: '数据集' },
      `${plan.dataset.name}${plan.dataset.hash === null ? '' : `, sha256 ${plan.dataset.hash}`}`,
    ],
    [{ en: 'seed', zh: '随机种子' }, String(plan.seed)],
    [{ en: 'llmdyno', zh: 'llmdyno' }, llmdyno],
  ];
  for (const [key, value] of Object.entries(host ?? {}))
    rows.push([{ en: `host: ${key}`, zh: `主机：${key}` }, typeof value === 'string' ? value : JSON.stringify(value)]);
  return rows;
}
