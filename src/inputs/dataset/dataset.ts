import type { DatasetFacts, LengthLaw, Phrase, Prompt, ThinkLaw, Workload } from '../../core/index.ts';

/** What a user may say about a dataset besides its spec. */
export interface DatasetOptions {
  /** Which field of a record is the prompt; the format's own when left out. */
  field?: string;
  /** Decides everything that is drawn; 1 when left out. */
  seed?: number;
  /** Lengths in tokens (of the continuation template: characters). */
  input?: LengthLaw;
  output?: LengthLaw;
  /** Folder or tokenizer.json of the model. */
  tokenizer?: string;
  /** Mix the order, always in the same way for the same seed. */
  shuffle?: boolean;
  /** Of the continuation template, with {text} and {output}. */
  template?: string;
  /** The most tokens that the model takes, prompt and answer together; longer prompts are mistakes. */
  contextTokens?: number;
  /** Think time between the turns of a conversation. */
  think?: ThinkLaw;
  /** Reasoning text stays in the history of a conversation. */
  keepReasoning?: boolean;
}

/** The prompts that one run takes: so many, warm-up included, from number `offset` on; null = as many as come due. */
export interface Slice {
  offset: number;
  count: number | null;
}

/** One record as a survey sees it. */
export type Surveyed = { prompt: Prompt } | { skip: Phrase } | { mistake: Phrase; line: number };

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
  /** Every record once; absent = it has no records, its prompts are made. */
  survey?(): AsyncIterable<Surveyed>;
  /** How many prompts from number `offset` on make so many requests; absent = as many, no prompt is a conversation. */
  promptsWithin?(offset: number, requests: number): Promise<number>;
  /** Gaps between the recorded times of the slice, ms, the first 0; absent = it carries no times. */
  gapsMs?(slice: Slice): Promise<number[]>;
}
