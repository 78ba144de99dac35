import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isSafeName, storeModes } from '../../results/store/index.ts';

/** Where deleted entries wait in case somebody wants them back. */
export interface Trash {
  /** The id must be one of the listing. */
  put(id: string): Promise<void>;
  /** false = there is no such thing in the trash. */
  restore(id: string): Promise<boolean>;
  /** Removes what has lain there for longer than an hour. */
  empty(): Promise<void>;
}

const keptMs = 3_600_000;

/** The trash of a store: a hidden folder in it, so that moving is one rename. */
export function makeTrash(store: string): Trash {
  const folder = join(resolve(store), '.trash');
  return {
    async put(id) {
      await mkdir(folder, { recursive: true, mode: storeModes().folder });
      const place = join(folder, id);
      await rm(place, { recursive: true, force: true });
      await rename(join(resolve(store), id), place);
      const now = new Date();
      await utimes(place, now, now);
    },
    async restore(id) {
      if (!isSafeName(id) || !(await names(folder)).includes(id)) return false;
      const place = join(resolve(store), id);
      const taken = await stat(place).then(
        () => true,
        () => false,
      );
      if (taken) return false;
      await rename(join(folder, id), place);
      return true;
    },
    async empty() {
      for (const name of await names(folder)) {
        const place = join(folder, name);
        const { mtimeMs } = await stat(place);
        if (Date.now() - mtimeMs > keptMs) await rm(place, { recursive: true, force: true });
      }
    },
  };
}

async function names(folder: string): Promise<string[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
