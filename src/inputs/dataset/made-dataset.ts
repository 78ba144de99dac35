import type { DatasetFacts, Prompt } from '../../core/index.ts';
import { UserError } from '../../core/index.ts';
import type { Dataset } from './dataset.ts';
import { tooLongForModel } from './layout-mistakes.ts';

/** A dataset whose prompts are made by number and never run out. */
export interface Maker {
  spec: string;
  kind: string;
  name: string;
  settings: NonNullable<DatasetFacts['settings']>;
  /** Prompt number `index`; depends on nothing but the number. */
  make(index: number): Prompt;
  contextTokens: number | null;
}

/** Prompts looked at before a run whose number of requests is open. */
const checkedUncounted = 1000;

/** Prompts made as they are wanted; the same number is always the same prompt. */
export function madeDataset({ spec, kind, name, settings, make, contextTokens }: Maker): Dataset {
  return {
    facts: ({ offset }) => ({
      spec,
      kind,
      name,
      hash: null,
      items: null,
      bytes: null,
      offset,
      cycled: false,
      settings,
    }),
    async check({ offset, count }) {
      if (contextTokens === null) return;
      for (let i = 0; i < (count ?? checkedUncounted); i++) {
        const { id, inputTokens, maxTokens } = make(offset + i);
        const tokens = (inputTokens ?? 0) + (maxTokens ?? 0);
        if (tokens > contextTokens) {
          throw new UserError(tooLongForModel({ flag: '--dataset', field: id }, tokens, contextTokens));
        }
      }
    },
    workload(offset) {
      let index = offset;
      return { next: () => make(index++) };
    },
  };
}
