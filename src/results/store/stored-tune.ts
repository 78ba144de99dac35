import { join, resolve } from 'node:path';
import { UserError } from '../../core/index.ts';
import { readJsonFile } from './json-file.ts';
import { z } from './schema/shape.ts';
import { folderNames } from './stored-entry.ts';
import type { BrokenEntry } from './stored-entry.ts';

/** What a listing needs of tune.json; the tune room writes the whole of it and reads it back. */
const tuneRecordSchema = z.object({
  schema: z.literal('llmdyno.tune/1'),
  name: z.string().nullable(),
  startedAt: z.string(),
  /** Still at work, or killed before it could put everything back. */
  running: z.boolean(),
  trials: z.array(z.unknown()),
  simulated: z.boolean().optional(),
});

/** What is read of tune.json. */
export type TuneRecord = z.infer<typeof tuneRecordSchema>;

/** The folder of a search over server settings; the runs of its trials lie in it. */
export interface StoredTune {
  kind: 'tune';
  id: string;
  dir: string;
  record: TuneRecord;
}

/** Every search directly in a store, ascending by id; damaged ones are told. */
export async function tunesIn(store: string): Promise<(StoredTune | BrokenEntry)[]> {
  const tunes: (StoredTune | BrokenEntry)[] = [];
  for (const id of await folderNames(store)) {
    const dir = join(resolve(store), id);
    try {
      const record = await readJsonFile(join(dir, 'tune.json'), 'llmdyno.tune/1', tuneRecordSchema);
      if (record !== null) tunes.push({ kind: 'tune', id, dir, record });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      tunes.push({ kind: 'broken', id, dir, why: error.mistakes[0]!.message });
    }
  }
  return tunes;
}

/** The searches that a word means: the one with this id, or all of this name, or all whose id begins so. */
export async function tunesNamed(store: string, word: string): Promise<StoredTune[]> {
  const tunes = (await tunesIn(store)).filter((entry) => entry.kind === 'tune');
  const exact = tunes.filter(({ id }) => id === word);
  if (exact.length > 0) return exact;
  const named = tunes.filter(({ record }) => record.name === word);
  return named.length > 0 || word === '' ? named : tunes.filter(({ id }) => id.startsWith(word));
}
