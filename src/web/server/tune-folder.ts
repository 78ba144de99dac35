import { access, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Row } from '../api/shapes.ts';
import { tuneShape } from '../api/tune-shape.ts';
import type { TunePageData } from '../api/tune-shape.ts';
import { brokenRow } from './list-row.ts';

const mostBytes = 64 * 1024 * 1024;

/** tune.json of a folder; null = it holds no search, or one that cannot be read. */
export async function readTune(dir: string): Promise<TunePageData['tune'] | null> {
  const file = join(dir, 'tune.json');
  try {
    if ((await stat(file)).size > mostBytes) return null;
    const checked = tuneShape.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return checked.success ? checked.data : null;
  } catch {
    return null;
  }
}

/** The row of a search over settings; null = the folder holds none. */
export async function tuneRow(dir: string, id: string): Promise<Row | null> {
  const tune = await readTune(dir);
  if (tune === null) return null;
  return {
    ...brokenRow(id, { en: '', zh: '' }),
    kind: 'tune',
    label: tune.name,
    startedAt: tune.startedAt,
    finished: !tune.running,
    live: tune.running,
    simulated: tune.simulated,
    points: tune.trials.length,
    why: null,
  };
}

/** Whether a search is asked to wait before its next trial. */
export function isPaused(dir: string): Promise<boolean> {
  return access(join(dir, 'pause')).then(
    () => true,
    () => false,
  );
}

/** Asks a search to wait before its next trial, or to go on. */
export async function pause(dir: string, wait: boolean): Promise<void> {
  if (wait) await writeFile(join(dir, 'pause'), '');
  else await rm(join(dir, 'pause'), { force: true });
}
