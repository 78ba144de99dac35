import type { DatasetFacts, Workload } from '../core/index.ts';

/** What a user may say about a dataset besides its spec. */
export interface DatasetOptions {
  /** Which field of a JSON line is the prompt; the format's own when left out. */
  field?: string;
}

/** The prompts that one run takes: so many, warm-up included, from number `offset` on; null = as many as come due. */
export interface Slice {
  offset: number;
  count: number | null;
}

/** Prompts of one source, always in the same order, cycled when they run out. */
export interface Dataset {
  /** What goes into the plan. Ask after `check`: a very large file is counted only where the run reaches its end. */
  facts(slice: Slice): DatasetFacts;
  /**
   * Reads every prompt of the slice, before anything is sent; throws a UserError with up to ten mistakes at once.
   * With no count, a file too large to be counted is checked over its first 10,000 prompts.
   */
  check(slice: Slice): Promise<void>;
  /** The prompts from number `offset` on, for ever. A mistake that `check` did not reach is thrown when it is read. */
  workload(offset: number): Workload;
}
