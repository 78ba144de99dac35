import { userError } from '../../core/index.ts';
import type { Phrase, Prompt } from '../../core/index.ts';
import { openDataset } from '../../inputs/dataset/index.ts';
import type { Dataset } from '../../inputs/dataset/index.ts';
import { datasetOptionsOf } from '../../lab/index.ts';
import type { OpenPrompts, PlanSettings } from '../../lab/index.ts';
import { fromPrompts, withOutputLengths } from '../../inputs/workload/index.ts';

/** Which prompts of a dataset another tool would take, and how it would change them. */
export interface Choice {
  /** How many it takes at most before it begins again; null = all. */
  most: number | null;
  keep(prompt: Prompt): boolean;
  change?(prompt: Prompt): Prompt;
  /** Where there are fewer prompts than requests, ask only as many. */
  noRepeat?: boolean;
  /** What the rule was, for whoever ends up with no prompt at all. */
  rule: Phrase;
}

/** Opens the dataset of the settings and takes the prompts that the choice keeps, in their order, all held in memory. */
export function opener(choice: Choice): OpenPrompts {
  return async (settings: PlanSettings) => {
    const dataset = await openDataset(settings.dataset, datasetOptionsOf(settings));
    const put =
      settings.outputTokens === undefined ? null : withOutputLengths(settings.outputTokens, settings.seed ?? 1);
    const prompts = (await chosen(dataset, choice, settings.shuffle === true)).map((prompt, index) =>
      put === null || prompt.maxTokens !== null ? prompt : put(prompt, index),
    );
    if (prompts.length === 0)
      throw userError(
        'no-prompt-left',
        `no prompt of the dataset is left: ${choice.rule.en}`,
        `数据集中没有符合条件的提示词：${choice.rule.zh}`,
        'Widen the limits, or choose another dataset.',
        '请放宽长度限制，或换一个数据集。',
      );
    const requests = choice.noRepeat === true ? Math.min(settings.requests ?? prompts.length, prompts.length) : null;
    return {
      settings: requests === null ? settings : { ...settings, requests },
      gapsMs: null,
      reopenable: false,
      dataset: ofPrompts(dataset, prompts),
    };
  };
}

/** A dataset of prompts that are given, whatever their source. */
export function givenPrompts(prompts: readonly Prompt[], spec: string): OpenPrompts {
  return (settings: PlanSettings) =>
    Promise.resolve({
      settings,
      gapsMs: null,
      reopenable: false,
      dataset: ofPrompts(
        {
          facts: () => ({
            spec,
            kind: spec,
            name: spec,
            hash: null,
            items: null,
            bytes: null,
            offset: 0,
            cycled: false,
          }),
        },
        prompts,
      ),
    });
}

async function chosen(dataset: Dataset, { most, keep, change }: Choice, mixed: boolean): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  const take = (prompt: Prompt): boolean => {
    if (keep(prompt)) prompts.push(change === undefined ? prompt : change(prompt));
    return most === null || prompts.length < most;
  };
  if (dataset.survey === undefined || mixed) {
    // Prompts that are made, or come in an order of their own: as many as one wants, until the first comes round again.
    if (mixed) await dataset.check({ offset: 0, count: most });
    const source = dataset.workload(0);
    const ids = new Set<string>();
    for (let i = 0; i < (most ?? 1000) * 20; i++) {
      const prompt = await source.next();
      if (prompt === null || ids.has(prompt.id) || !take(prompt)) break;
      ids.add(prompt.id);
    }
    return prompts;
  }
  for await (const record of dataset.survey()) {
    if ('mistake' in record) await dataset.check({ offset: 0, count: null });
    if ('prompt' in record && !take(record.prompt)) break;
  }
  return prompts;
}

function ofPrompts(source: Pick<Dataset, 'facts'>, prompts: readonly Prompt[]): Dataset {
  return {
    facts: (slice) => {
      const facts = source.facts({ offset: 0, count: prompts.length });
      const cycled = slice.count === null || slice.offset + slice.count > prompts.length;
      return { ...facts, items: prompts.length, offset: slice.offset, cycled };
    },
    check: () => Promise.resolve(),
    workload: (offset) => fromPrompts(prompts, { offset, cycle: true }),
  };
}
