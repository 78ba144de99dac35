import type { Finding } from '../../core/index.ts';
import type { LoadFinding } from './load-finding.ts';

/** A finding at one load; null = the load is not worth telling. */
export interface PlacedFinding extends LoadFinding {
  load: number | string | null;
}

/**
 * The same doubt about the same runs once, however many loads it was found at: the words are those of the first load,
 * followed by all of them ("… @ 8, 16, 64"), which stand in `evidence.loads` too.
 */
export function mergeFindings(found: readonly PlacedFinding[]): Finding[] {
  const merged = new Map<string, { finding: Finding; loads: Set<number | string> }>();
  for (const { finding, about, load } of found) {
    // Another cause for which figures must not be used is another doubt.
    const key = JSON.stringify([finding.code, about, finding.evidence['codes'] ?? null]);
    const known = merged.get(key) ?? { finding, loads: new Set<number | string>() };
    if (load !== null) known.loads.add(load);
    merged.set(key, known);
  }
  return [...merged.values()].map(({ finding, loads }) => placed(finding, [...loads].join(', ')));
}

function placed(finding: Finding, loads: string): Finding {
  if (loads === '') return finding;
  const at = (message: string): string => `${message} @ ${loads}`;
  const { message, evidence, zh } = finding;
  return { ...finding, message: at(message), evidence: { ...evidence, loads }, zh: { ...zh, message: at(zh.message) } };
}
