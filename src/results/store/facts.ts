import { join } from 'node:path';
import { printable } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import { pointAsked } from './schema/summary-schema.ts';
import { z } from './schema/shape.ts';

/** What a user says of a result later; absent = as it was recorded. */
const entryFacts = z.object({
  name: z.string().exactOptional(),
  model: z.string().exactOptional(),
  ...pointAsked.shape,
  pricePerHour: z.number().positive().exactOptional(),
  powerW: z.number().positive().exactOptional(),
});
export type EntryFacts = z.infer<typeof entryFacts>;

const folderFacts = z.object({
  schema: z.literal('llmdyno.facts/1'),
  own: entryFacts,
  /** By run id: points of an import have no folder of their own. */
  points: z.record(z.string(), entryFacts),
});

/** What was said of a folder and of the points in it. Records stay as they were written; this lies beside them. */
export type FolderFacts = Omit<z.infer<typeof folderFacts>, 'schema'>;

/** What was said of a folder; null = nothing. */
export async function readFacts(dir: string): Promise<FolderFacts | null> {
  return readJsonFile(join(dir, 'facts.json'), 'llmdyno.facts/1', folderFacts);
}

/** Adds to what is said of a folder, or of points in it; null takes something back. */
export async function setFacts(
  dir: string,
  points: readonly string[] | null,
  change: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  const before: FolderFacts = (await readFacts(dir)) ?? { own: {}, points: {} };
  const own = points === null ? changed(before.own, change) : before.own;
  const each = { ...before.points };
  for (const id of points ?? []) each[id] = changed(each[id] ?? {}, change);
  await writeJsonFile(join(dir, 'facts.json'), { schema: 'llmdyno.facts/1', own, points: each });
}

const plain = new Set(Object.keys(entryFacts.shape).filter((name) => name !== 'settings'));

function changed(facts: EntryFacts, change: Readonly<Record<string, string | number | null>>): EntryFacts {
  const next: Record<string, unknown> = { ...facts };
  const settings: Record<string, string> = { ...facts.settings };
  for (const [key, value] of Object.entries(change)) {
    const said = typeof value === 'string' ? printable(value).slice(0, 200) : value;
    if (!plain.has(key)) {
      if (said === null) delete settings[key];
      else settings[key] = String(said);
    } else if (said === null) delete next[key];
    else next[key] = said;
  }
  delete next['settings'];
  return entryFacts.parse(Object.keys(settings).length === 0 ? next : { ...next, settings });
}

/** A summary with what was said of it. */
export function withFacts(summary: Summary, facts: EntryFacts | undefined): Summary {
  if (facts === undefined) return summary;
  const { name, model, engine, variant, settings, card, cards } = facts;
  const asked = {
    ...summary.asked,
    ...(engine !== undefined && { engine }),
    ...(variant !== undefined && { variant }),
    ...(card !== undefined && { card }),
    ...(cards !== undefined && { cards }),
    ...(settings !== undefined && { settings: { ...summary.asked?.settings, ...settings } }),
  };
  return {
    ...summary,
    ...(name !== undefined && { label: name }),
    ...(model !== undefined && { model }),
    ...(Object.keys(asked).length > 0 && { asked }),
  };
}
