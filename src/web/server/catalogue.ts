import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UserError } from '../../core/index.ts';
import { findEntry, isSafeName } from '../../results/store/index.ts';
import type { Row } from '../api/shapes.ts';
import type { Entry } from './renderings.ts';
import { brokenRow, rowOf } from './list-row.ts';
import { readLive } from './live-file.ts';
import { tuneRow } from './tune-folder.ts';

/** What the server knows of the store: rows are kept and made again only where a file of theirs changed. */
export interface Catalogue {
  /** Newest first. */
  rows(): Promise<Row[]>;
  row(id: string): Promise<Row | null>;
  /** The entry of an id, `RUN`, `SWEEP` or `SWEEP/RUN`; null where the listing has no such name. */
  entry(id: string): Promise<Entry | null>;
  /** The folder of a name of the listing; null where there is none. */
  folder(id: string): Promise<string | null>;
}

const watched = ['plan.json', 'sweep.json', 'summary.json', 'tags.json', 'facts.json', 'tune.json'];

/** A catalogue of a store. Ids of the client are compared with the listing; no path is ever made of anything else. */
export function makeCatalogue(store: string): Catalogue {
  const kept = new Map<string, { stamp: string; row: Row | null }>();

  const readRow = async (id: string): Promise<Row | null> => {
    const dir = join(resolve(store), id);
    const stamp = await stampOf(dir);
    const known = kept.get(id);
    if (stamp === '') return null;
    let row = known?.stamp === stamp ? known.row : await freshRow(id, dir);
    if (row !== null && row.kind !== 'tune' && (!row.finished || row.live)) {
      // Points of a running sweep change below its folder; whether it lives changes with time alone.
      if (known?.stamp === stamp && row.kind === 'sweep') row = await freshRow(id, dir);
      row = row && { ...row, live: await isLive(store, id, row) };
    }
    kept.set(id, { stamp, row });
    return row;
  };

  const freshRow = async (id: string, dir: string): Promise<Row | null> => {
    try {
      const tuned = await tuneRow(dir, id);
      if (tuned !== null) return tuned;
      return await rowOf(store, await findEntry(store, id));
    } catch (error) {
      if (error instanceof UserError) return brokenRow(id, error.mistakes[0]!.message);
      throw error;
    }
  };

  return {
    async rows() {
      const names = await namesIn(store);
      for (const id of kept.keys()) if (!names.includes(id)) kept.delete(id);
      const rows: Row[] = [];
      for (const id of names) {
        const row = await readRow(id);
        if (row !== null) rows.push(row);
      }
      return rows.toSorted((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? 1 : -1));
    },
    async row(id) {
      return (await namesIn(store)).includes(id) ? readRow(id) : null;
    },
    async entry(id) {
      const [outer = '', inner, ...more] = id.split('/');
      if (more.length > 0 || !(await namesIn(store)).includes(outer)) return null;
      if (inner !== undefined && !(await namesIn(join(resolve(store), outer))).includes(inner)) return null;
      try {
        return await findEntry(store, id);
      } catch (error) {
        if (error instanceof UserError) return null;
        throw error;
      }
    },
    async folder(id) {
      return (await namesIn(store)).includes(id) ? join(resolve(store), id) : null;
    },
  };
}

/** Real folders (no links) with a plain name. */
async function namesIn(dir: string): Promise<string[]> {
  const found = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isDirectory() && isSafeName(entry.name)).map((entry) => entry.name);
}

async function stampOf(dir: string): Promise<string> {
  const stamps = await Promise.all(
    watched.map((name) =>
      stat(join(dir, name)).then(
        ({ mtimeMs, size }) => `${mtimeMs}/${size}`,
        () => '',
      ),
    ),
  );
  return stamps.every((stamp) => stamp === '') ? '' : stamps.join(' ');
}

async function isLive(store: string, id: string, row: Row): Promise<boolean> {
  const dir = join(resolve(store), id);
  if (row.kind !== 'sweep') return (await readLive(dir)) !== null;
  const inside = await namesIn(dir);
  for (const name of inside.toReversed()) if ((await readLive(join(dir, name))) !== null) return true;
  // Between two points nobody says anything for a moment.
  const { mtimeMs } = await stat(join(dir, 'sweep.json'));
  return Date.now() - mtimeMs < 3000;
}
