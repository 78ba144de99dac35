import type { PromiseKept } from './summary.ts';

/** What stands in the way of a larger load. */
export type FindLimit = 'batch' | 'kv' | 'prefill' | 'decode' | 'front' | 'client' | 'range' | 'unknown';

/** What a search for the largest load concluded, kept with its points so that everybody is told the same. */
export interface Searched {
  kind: 'concurrency' | 'rate' | 'lanes';
  /** null = no load keeps every promise. */
  value: number | null;
  confirmed: boolean;
  /** The least load that was seen to break a promise; null = none did. */
  breaksAt: number | null;
  limit: FindLimit;
  /** What became of the promises at the answer, or at the least load where there is no answer. */
  slo: PromiseKept[];
  /** Every look, by the point that it made. */
  looks: { runId: string; value: number; kept: boolean; fresh: boolean }[];
  durationMs: number;
  /** The looks were spent before the edge was known. */
  outOfRuns: boolean;
}
