import { readBeginning } from '../lab/index.ts';

const mostFileBytes = 16 * 1024 * 1024;

/** The captured outputs that --from names, one after the other; null = none were named. */
export function capturedText(files: readonly string[]): string | null {
  if (files.length === 0) return null;
  return files.map((file) => readBeginning(file, mostFileBytes, { flag: '--from' })).join('\n\n');
}
