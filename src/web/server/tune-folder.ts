import { access, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Row } from '../api/shapes.ts';
import { brokenRow } from './list-row.ts';

const mostBytes = 64 * 1024 * 1024;

/** tune.json of a folder as plain data; null = it is no search. */
export async function readTune(dir: string): Promise<Record<string, unknown> | null> {
  const file = join(dir, 'tune.json');
  try {
    if ((await stat(file)).size > mostBytes) return null;
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The row of a search over settings; null = the folder holds none. */
export async function tuneRow(dir: string, id: string): Promise<Row | null> {
  const tune = await readTune(dir);
  if (tune === null) return null;
  const trials = Array.isArray(tune['trials']) ? tune['trials'] : [];
  const running = tune['running'] === true;
  return {
    ...brokenRow(id, { en: '', zh: '' }),
    kind: 'tune',
    label: typeof tune['label'] === 'string' ? tune['label'] : null,
    startedAt: typeof tune['startedAt'] === 'string' ? tune['startedAt'] : null,
    finished: !running,
    live: running,
    simulated: tune['simulated'] === true,
    points: trials.length,
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
