import { join, resolve } from 'node:path';
import { invariant } from '../../core/index.ts';
import type { Sweep } from '../../core/index.ts';
import { writeJsonFile } from './json-file.ts';
import { isSafeName } from './run-id.ts';
import { makeDirectories } from './run-writer.ts';
import { sweepRecordSchema } from './schema/index.ts';
import { telling } from './store-error.ts';

/** An imported sweep, ready to be kept. Its id follows from its content, so importing a file twice keeps it once. */
export interface ImportedRecord {
  sweep: Sweep;
  /** When it was imported, ISO 8601. */
  importedAt: string;
  llmdyno: string;
  command: readonly string[] | null;
}

/** Keeps a sweep that ran elsewhere under its own id; report, compare and fit then find it like any other. */
export async function saveImportedSweep(
  store: string,
  { sweep, importedAt, llmdyno, command }: ImportedRecord,
): Promise<string> {
  invariant(isSafeName(sweep.id), 'an imported sweep has an id that is safe as a folder name');
  const dir = join(resolve(store), sweep.id);
  await telling(dir, () => makeDirectories(dir));
  const record = sweepRecordSchema.parse({
    schema: 'llmdyno.sweep/1',
    id: sweep.id,
    title: sweep.title,
    variable: sweep.variable,
    startedAt: importedAt,
    llmdyno,
    command,
    finished: true,
    points: sweep.points.map((point) => point.runId),
    summaries: sweep.points,
    findings: sweep.findings,
  });
  await writeJsonFile(join(dir, 'sweep.json'), record);
  return dir;
}
