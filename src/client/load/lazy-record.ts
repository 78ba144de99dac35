import type { Ended, Outcome } from '../../core/index.ts';

/**
 * An ask that is over. Its record is put together only when somebody asks for it: a thousand answers may end at once, and
 * their last tokens must not be stamped late for what is written about them.
 */
export interface LazyRecord {
  readonly outcome: Outcome;
  readonly warmup: boolean;
  /** The same record each time. */
  record(): Ended;
}

/** The ending of an ask whose record is there already. */
export function recordedEnding(ended: Ended): LazyRecord {
  const { outcome, warmup } = ended.exchange;
  return { outcome, warmup, record: () => ended };
}
