import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether a word names a file or folder on disk that is no run or sweep of ours, and so is to be imported. */
export async function isForeign(word: string): Promise<boolean> {
  const found = await stat(word).catch(() => null);
  if (found === null) return false;
  if (!found.isDirectory()) return true;
  const ours = await Promise.all(['plan.json', 'sweep.json'].map((name) => stat(join(word, name)).catch(() => null)));
  return ours.every((file) => file === null);
}
