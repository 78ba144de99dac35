import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UserError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import { readFacts } from './facts.ts';
import type { FolderFacts } from './facts.ts';
import { readJsonFile } from './json-file.ts';
import { runRecordSchema, sweepRecordSchema } from './schema/index.ts';
import type { RunRecord, SweepRecord } from './schema/index.ts';
import { systemCode, telling } from './store-error.ts';

/** A run folder. */
export interface StoredRun {
  kind: 'run';
  id: string;
  dir: string;
  record: RunRecord;
  /** What was said of it later; absent = nothing. */
  facts?: FolderFacts;
}

/** A sweep's folder. */
export interface StoredSweep {
  kind: 'sweep';
  id: string;
  dir: string;
  record: SweepRecord;
  /** What was said of it and its points later; absent = nothing. */
  facts?: FolderFacts;
}

/** A folder that says it is one of ours and cannot be read. */
export interface BrokenEntry {
  kind: 'broken';
  id: string;
  dir: string;
  why: Phrase;
}

/** One folder of the store. */
export type StoredEntry = StoredRun | StoredSweep | BrokenEntry;

/** What a folder holds; null = neither a run nor a sweep. Throws UserError where its record cannot be read. */
export async function readEntry(dir: string, id: string): Promise<StoredRun | StoredSweep | null> {
  const run = await readJsonFile(join(dir, 'plan.json'), 'llmdyno.run/1', runRecordSchema);
  const said = await readFacts(dir);
  const facts = said === null ? {} : { facts: said };
  if (run !== null) return { kind: 'run', id, dir, record: run, ...facts };
  const sweep = await readJsonFile(join(dir, 'sweep.json'), 'llmdyno.sweep/1', sweepRecordSchema);
  return sweep === null ? null : { kind: 'sweep', id, dir, record: sweep, ...facts };
}

/** Names of the real folders (no links) directly in a directory, ascending; none where it does not exist. */
export async function folderNames(dir: string): Promise<string[]> {
  try {
    const found = await readdir(dir, { withFileTypes: true });
    return found
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .toSorted();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    return telling(dir, () => Promise.reject(error as Error));
  }
}

/** Every entry directly in a directory, ascending by id; folders of other kinds are left out, damaged ones are told. */
export async function entriesIn(dir: string): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (const id of await folderNames(dir)) {
    const path = join(resolve(dir), id);
    try {
      const entry = await readEntry(path, id);
      if (entry !== null) entries.push(entry);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      entries.push({ kind: 'broken', id, dir: path, why: error.mistakes[0]!.message });
    }
  }
  return entries;
}
