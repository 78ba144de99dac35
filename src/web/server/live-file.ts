import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveState } from '../api/live-events.ts';

/** A run says so every second; one that has been silent for this long was killed. */
const silentMs = 8000;

/** What the run of a folder last said of itself; null = it is not under way. */
export async function readLive(dir: string): Promise<LiveState | null> {
  try {
    const said = await readTold(join(dir, 'live.json'));
    const at = Date.parse(String(said['saidAt']));
    const state = said['state'];
    if (!(Date.now() - at < silentMs) || typeof state !== 'object' || state === null) return null;
    return state as LiveState;
  } catch {
    return null;
  }
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
