import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { userError, UserError } from '../../core/index.ts';
import type { Finding, Searched, Summary, Sweep } from '../../core/index.ts';
import { withFacts } from './facts.ts';
import { findEntry } from './find-entry.ts';
import { holderOf, lockFolder } from './folder-lock.ts';
import type { FolderLock } from './folder-lock.ts';
import { writeJsonFile } from './json-file.ts';
import { readSummary } from './run-reader.ts';
import { createRun, makeFolder } from './run-writer.ts';
import type { NewRun, RunWriter } from './run-writer.ts';
import { sweepRecordSchema } from './schema/index.ts';
import type { SweepRecord } from './schema/index.ts';
import { isSafeName, newRunId } from './run-id.ts';
import { telling } from './store-error.ts';
import { folderNames, readEntry } from './stored-entry.ts';
import type { StoredRun, StoredSweep } from './stored-entry.ts';

/** What the caller knows of a sweep that is about to begin. */
export interface NewSweep {
  title: string | null;
  variable: Sweep['variable'];
  /** ISO 8601 wall time. */
  startedAt: string;
  llmdyno: string;
  command: readonly string[] | null;
}

/** A sweep that is being run. */
export interface SweepWriter {
  readonly sweepId: string;
  readonly dir: string;
  readonly record: SweepRecord;
  /** Begins the next point: a run folder inside the sweep's. */
  createRun(run: Omit<NewRun, 'sweepId'>): Promise<RunWriter>;
  /** Ends the sweep; finished false = not all points were run. */
  finish(findings: readonly Finding[], finished?: boolean, search?: Searched): Promise<void>;
  /** Lets others write into the folder; called once everything is over, however it ended. */
  release(): Promise<void>;
}

/** The id of a sweep that is about to begin. */
export function newSweepId(startedAt: string, title: string | null): string {
  return newRunId(startedAt, title === null ? 'sweep' : `sweep-${title}`);
}

/** Makes the sweep's folder, holds it for this process and writes sweep.json with no points yet. */
export async function createSweep(
  store: string,
  sweep: NewSweep,
  id = newSweepId(sweep.startedAt, sweep.title),
): Promise<SweepWriter> {
  const { runId: sweepId, dir } = await makeFolder(store, sweep.startedAt, null, id);
  const lock = await lockFolder(dir);
  const record: SweepRecord = sweepRecordSchema.parse({
    schema: 'llmdyno.sweep/1',
    id: sweepId,
    ...sweep,
    finished: false,
    points: [],
    findings: [],
  });
  await writeJsonFile(join(dir, 'sweep.json'), record);
  return writerOf(dir, record, lock);
}

/** A sweep that was interrupted, to go on with its points in the folder that `lock` holds. */
export async function resumeSweep(sweep: StoredSweep, lock: FolderLock): Promise<SweepWriter> {
  const record: SweepRecord = { ...sweep.record, finished: false };
  await removeUnlisted(sweep.dir, new Set(record.points));
  await writeJsonFile(join(sweep.dir, 'sweep.json'), record);
  return writerOf(sweep.dir, record, lock);
}

/** Files that a point has before anything is asked; records are there, but empty. */
const firstFiles = /^(?:lock\.json.*|plan\.json|\.\w+\.tmp|exchanges\.ndjson|answers\.ndjson)$/;

/** Takes away points that a kill left between the making of their folder and its mention in sweep.json: nothing was asked for them. */
async function removeUnlisted(dir: string, listed: ReadonlySet<string>): Promise<void> {
  for (const name of await folderNames(dir)) {
    const point = join(dir, name);
    if (listed.has(name) || (await holderOf(point)) !== null) continue;
    let records = 0;
    const files = await readdir(point);
    for (const file of files.filter((each) => each.endsWith('.ndjson')))
      records += (await stat(join(point, file))).size;
    if (records === 0 && files.every((file) => firstFiles.test(file)))
      await telling(point, () => rm(point, { recursive: true }));
  }
}

function writerOf(dir: string, record: SweepRecord, lock: FolderLock): SweepWriter {
  const file = join(dir, 'sweep.json');
  const sweepId = record.id;
  return {
    sweepId,
    dir,
    record,
    async createRun(run) {
      const writer = await createRun(dir, { ...run, sweepId });
      record.points.push(writer.runId);
      await writeJsonFile(file, record);
      return writer;
    },
    async finish(findings, finished = true, search) {
      record.findings = [...findings];
      if (search !== undefined) record.search = search;
      record.finished = finished;
      await writeJsonFile(file, record);
    },
    release: () => lock.release(),
  };
}

/** A sweep with its runs; a point whose folder is gone or damaged is left out. */
export interface OpenedSweep extends StoredSweep {
  runs: StoredRun[];
  missing: string[];
}

/** The sweep that a word means, in the same words as openRun. */
export async function openSweep(store: string, word: string): Promise<OpenedSweep> {
  const entry = await findEntry(store, word);
  if (entry.kind !== 'sweep')
    throw userError(
      'not-a-sweep',
      `${entry.id} is one run, not a sweep`,
      `${entry.id} 是单个运行，不是扫描`,
      'List sweeps with `dyno runs`.',
      '用 `dyno runs` 查看扫描。',
    );
  const runs: StoredRun[] = [];
  const missing: string[] = [];
  const carried = new Set(entry.record.summaries?.map((summary) => summary.runId));
  for (const id of entry.record.points) {
    if (carried.has(id)) continue;
    const run = isSafeName(id) ? await readRunOrNull(join(entry.dir, id), id) : null;
    if (run === null) missing.push(id);
    else runs.push(run);
  }
  return { ...entry, runs, missing };
}

async function readRunOrNull(dir: string, id: string): Promise<StoredRun | null> {
  try {
    const entry = await readEntry(dir, id);
    return entry?.kind === 'run' ? entry : null;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/**
 * The sweep with its summaries. A run that has none (it was killed) is handed to `summarise`, which may compute it
 * from the exchanges; a point without a summary is left out.
 */
export async function readSweep(
  opened: OpenedSweep,
  summarise: (run: StoredRun) => Promise<Summary | null> = () => Promise.resolve(null),
): Promise<Sweep> {
  const points: Summary[] = [...(opened.record.summaries ?? [])];
  for (const run of opened.runs) {
    const summary = (await readSummary(run)) ?? (await summarise(run));
    if (summary !== null) points.push(summary);
  }
  const { id, title, variable, findings, search } = opened.record;
  const { name, ...shared } = opened.facts?.own ?? {};
  // What is said of a sweep holds for its points unless something else is said of one.
  const told = points.map((point) => withFacts(withFacts(point, shared), opened.facts?.points[point.runId]));
  return {
    schema: 'llmdyno.sweep/1',
    id,
    title: name ?? title,
    variable,
    points: told,
    findings,
    ...(search !== undefined && { search }),
  };
}
