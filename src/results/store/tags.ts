import { join } from 'node:path';
import { findWhatever } from './find-entry.ts';
import { writeJsonFile } from './json-file.ts';
import { cleanTag, readTags } from './read-tags.ts';

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
