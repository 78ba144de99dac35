import type { Prompt, Workload } from '../../core/index.ts';
import { invariant } from '../../core/index.ts';

/** Where in a list to begin, and whether to begin again at its end. */
export interface PromptOrder {
  /** Number of the first prompt; with `cycle` it may lie past the end. */
  offset: number;
  cycle: boolean;
}

/** The prompts of a list in their order; with `cycle` for ever, except that an empty list gives none. */
export function fromPrompts(prompts: readonly Prompt[], { offset, cycle }: PromptOrder): Workload {
  invariant(Number.isSafeInteger(offset) && offset >= 0, 'an offset is a whole number from 0');
  let at = cycle && prompts.length > 0 ? offset % prompts.length : offset;
  return {
    next() {
      const prompt = prompts[at] ?? null;
      if (prompt === null) return null;
      at = cycle && at + 1 === prompts.length ? 0 : at + 1;
      return prompt;
    },
  };
}
