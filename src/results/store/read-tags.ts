import { join } from 'node:path';
import { z } from './schema/shape.ts';
import { printable } from '../../core/index.ts';
import { readJsonFile } from './json-file.ts';

const tagsSchema = z.object({
  schema: z.literal('llmdyno.tags/1'),
  tags: z.array(z.string()),
  /** Tags of points inside: the run ids that each one names. */
  points: z.record(z.string(), z.array(z.string())).optional(),
});
const longestTag = 64;

/** The tags of a folder, ascending; none where none were given. */
export async function readTags(dir: string): Promise<string[]> {
  const file = await readJsonFile(join(dir, 'tags.json'), 'llmdyno.tags/1', tagsSchema);
  return file?.tags.map(cleanTag).filter((tag) => tag !== '') ?? [];
}

/** Tags of points inside of a sweep: the run ids that each names. */
export async function readPointTags(dir: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const file = await readJsonFile(join(dir, 'tags.json'), 'llmdyno.tags/1', tagsSchema);
  return new Map(Object.entries(file?.points ?? {}).map(([tag, ids]) => [cleanTag(tag), ids]));
}

export function cleanTag(tag: string): string {
  return printable(tag).slice(0, longestTag);
}
