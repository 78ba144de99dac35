import { join } from 'node:path';
import { findWhatever } from './find-entry.ts';
import { writeJsonFile } from './json-file.ts';
import { cleanTag, readPointTags, readTags } from './read-tags.ts';

export interface TagChange {
  add?: readonly string[];
  remove?: readonly string[];
}

/** Adds and removes tags of a run, a sweep or a search; gives the tags it has then. */
export async function tagRun(store: string, word: string, change: TagChange): Promise<string[]> {
  const { dir } = await findWhatever(store, word);
  const tags = new Set([...(await readTags(dir)), ...(change.add ?? []).map(cleanTag)]);
  for (const tag of change.remove ?? []) tags.delete(cleanTag(tag));
  tags.delete('');
  const sorted = [...tags].toSorted();
  await writeTags(dir, sorted, await readPointTags(dir));
  return sorted;
}

/** The same of points inside of a sweep: a tag names all of the points that it was given to last. */
export async function tagPoints(dir: string, runIds: readonly string[], change: TagChange): Promise<string[]> {
  const points = new Map(await readPointTags(dir));
  for (const tag of (change.add ?? []).map(cleanTag)) if (tag !== '') points.set(tag, runIds);
  for (const tag of (change.remove ?? []).map(cleanTag)) {
    const left = (points.get(tag) ?? []).filter((id) => !runIds.includes(id));
    if (left.length > 0) points.set(tag, left);
    else points.delete(tag);
  }
  await writeTags(dir, await readTags(dir), points);
  return [...points].filter(([, ids]) => ids.some((id) => runIds.includes(id))).map(([tag]) => tag);
}

function writeTags(
  dir: string,
  tags: readonly string[],
  points: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  return writeJsonFile(join(dir, 'tags.json'), {
    schema: 'llmdyno.tags/1',
    tags,
    ...(points.size > 0 && { points: Object.fromEntries(points) }),
  });
}
