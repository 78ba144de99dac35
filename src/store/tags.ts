import { join } from 'node:path';
import { z } from './schema/shape.ts';
import { printable } from '../core/index.ts';
import { findWhatever } from './find-entry.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const tagsSchema = z.object({ schema: z.literal('llmdyno.tags/1'), tags: z.array(z.string()) });
const longestTag = 64;

/** The tags of a folder, ascending; none where none were given. */
export async function readTags(dir: string): Promise<string[]> {
  const file = await readJsonFile(join(dir, 'tags.json'), 'llmdyno.tags/1', tagsSchema);
  return file?.tags.map(cleanTag).filter((tag) => tag !== '') ?? [];
}

/** Adds and removes tags of a run, a sweep or a search; gives the tags it has then. */
export async function tagRun(
  store: string,
  word: string,
  change: { add?: readonly string[]; remove?: readonly string[] },
): Promise<string[]> {
  const entry = await findWhatever(store, word);
  const tags = new Set([...(await readTags(entry.dir)), ...(change.add ?? []).map(cleanTag)]);
  for (const tag of change.remove ?? []) tags.delete(cleanTag(tag));
  tags.delete('');
  const sorted = [...tags].toSorted();
  await writeJsonFile(join(entry.dir, 'tags.json'), { schema: 'llmdyno.tags/1', tags: sorted });
  return sorted;
}

function cleanTag(tag: string): string {
  return printable(tag).slice(0, longestTag);
}
