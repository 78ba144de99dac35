import type { DistributionName, PercentileKey } from '../../core/index.ts';

export type { DistributionName };

/** One figure of a distribution. */
export type StatisticName = 'mean' | 'min' | 'max' | PercentileKey;

/** The single figures of a summary that imports can fill; `counts.ended` is what the source calls total. */
export const scalarKeys = [
  'requestsPerSec',
  'inputTokensPerSec',
  'outputTokensPerSec',
  'totalTokensPerSec',
  'inputCharsPerSec',
  'outputCharsPerSec',
  'concurrencyAchieved',
  'durationMs',
  'cachedInputRatio',
  'goodput.requestsPerSec',
  'load.concurrency',
  'load.ratePerSec',
  'counts.planned',
  'counts.ended',
  'counts.ok',
  'counts.failed',
  'counts.cancelled',
  'counts.dropped',
  'totals.inputTokens',
  'totals.outputTokens',
] as const;
export type ScalarKey = (typeof scalarKeys)[number];

/** Where a figure of a file goes; `server.…` is whatever else the tool tells, kept under its own name. */
export type FactKey = ScalarKey | `${DistributionName}.${StatisticName}` | `server.${string}`;

/** What a label of a file stands for: the key, and what to multiply the printed value with. */
export interface Meaning {
  key: FactKey;
  scale: number;
}

/** Shorthand for label tables. */
export function means(key: FactKey, scale = 1): Meaning {
  return { key, scale };
}

/** A table of labels, written as what each meaning is called: names with `; ` between. */
export function labels(table: readonly (readonly [Meaning, string])[]): ReadonlyMap<string, Meaning> {
  return new Map(table.flatMap(([meaning, names]) => names.split('; ').map((name) => [name, meaning] as const)));
}

/** Labels compared without case, spaces, and the punctuation that versions of a tool change. */
export function normalLabel(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .replaceAll('（', '(')
    .replaceAll('）', ')')
    .replaceAll('：', ':')
    .replace(/[:\s]+$/, '')
    .trim();
}
