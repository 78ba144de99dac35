import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holderOf } from '../../results/store/index.ts';
import type { LiveState } from '../api/live-events.ts';

/** What the run of a folder last said of itself; null = it is not under way: nobody measures into it. */
export async function readLive(dir: string): Promise<LiveState | null> {
  if (!(await isUnderWay(dir))) return null;
  try {
    const state = (await readTold(join(dir, 'live.json')))['state'];
    return typeof state === 'object' && state !== null ? (state as LiveState) : null;
  } catch {
    return null;
  }
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
