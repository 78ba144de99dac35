import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const most = 500;

/**
 * The plain files directly in a folder, named as a command started in the same place would name them. Links, hidden files
 * and names that a dataset's words could be read out of are left out; a folder that is gone has none.
 */
export async function datasetFiles(dir: string | null): Promise<ReadonlySet<string>> {
  if (dir === null) return new Set();
  const found = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const names = found.filter((entry) => entry.isFile() && /^[^.:\p{C}][^:\p{C}]*$/u.test(entry.name));
  return new Set(
    names
      .map(({ name }) => join(dir, name))
      .toSorted()
      .slice(0, most),
  );
}
