import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveState } from '../api/live-events.ts';

/** A run says so every second; one that has been silent for this long was killed. */
const silentMs = 8000;

/** What the run of a folder last said of itself; null = it is not under way. */
export async function readLive(dir: string): Promise<LiveState | null> {
  try {
    const said = JSON.parse(await readFile(join(dir, 'live.json'), 'utf8')) as Record<string, unknown>;
    const at = Date.parse(String(said['saidAt']));
    const state = said['state'];
    if (!(Date.now() - at < silentMs) || typeof state !== 'object' || state === null) return null;
    return state as LiveState;
  } catch {
    return null;
  }
}
