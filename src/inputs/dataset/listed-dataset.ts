import { createHash } from 'node:crypto';
import { userError } from '../../core/index.ts';
import type { Prompt } from '../../core/index.ts';
import { fromPrompts, plainPrompt } from '../workload/index.ts';
import type { Dataset } from './dataset.ts';

/** Prompts that a program has at hand, as a dataset: texts or whole prompts, asked in their order and again from the beginning. */
export function listedDataset(name: string, listed: readonly (string | Prompt)[]): Dataset {
  if (listed.length === 0)
    throw userError(
      'no-prompts',
      `"${name}" has no prompts`,
      `"${name}" 中没有提示词`,
      'Give at least one.',
      '请至少给出一个。',
    );
  const prompts = listed.map((one, i) => (typeof one === 'string' ? plainPrompt(`${name}-${i + 1}`, one) : one));
  const text = JSON.stringify(prompts);
  const facts = {
    spec: name,
    kind: 'listed',
    name,
    hash: createHash('sha256').update(text).digest('hex'),
    items: prompts.length,
    bytes: Buffer.byteLength(text),
  };
  return {
    facts: ({ offset, count }) => ({ ...facts, offset, cycled: count !== null && count > prompts.length }),
    check: () => Promise.resolve(),
    workload: (offset) => fromPrompts(prompts, { offset, cycle: true }),
  };
}
