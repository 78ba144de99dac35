import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, holderOf } from '../../results/store/index.ts';
import type { LiveState } from '../api/live-events.ts';

/** What the run of a folder last said of itself; null = it is not under way: nobody measures into it. `outer` = its sweep's folder. */
export async function readLive(dir: string, outer = dir): Promise<LiveState | null> {
  if (!(await isUnderWay(dir))) return null;
  try {
    const state = (await readTold(join(dir, 'live.json')))['state'];
    if (typeof state !== 'object' || state === null) return null;
    const told = state as LiveState;
    return { ...told, stopping: told.stopping ?? (await askedToStop([outer, dir])) };
  } catch {
    return null;
  }
}

/** A stop that was asked for in these folders and not heard yet. */
async function askedToStop(folders: readonly string[]): Promise<LiveState['stopping']> {
  for (const how of ['cancel', 'stop'] as const)
    for (const folder of folders) if (await exists(join(folder, how))) return how;
  return null;
}

/** Whether a living process measures into a folder. */
export async function isUnderWay(dir: string): Promise<boolean> {
  return (await holderOf(dir)) !== null;
}

/** It is written over where it stands: what was read in the midst of that is read again. */
async function readTold(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  }
}
