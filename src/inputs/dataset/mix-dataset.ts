import { createHash } from 'node:crypto';
import { UserError } from '../../core/index.ts';
import type { Prompt, Workload } from '../../core/index.ts';
import { mixPlaces } from '../workload/index.ts';
import type { Dataset } from './dataset.ts';
import { badMix } from './made-mistakes.ts';

/** One dataset of a mix and its weight. */
export interface MixPart {
  weight: number;
  spec: string;
}

/** Reads `3*openqa:a.jsonl + 1*random`; a part without a weight weighs 1. */
export function mixParts(text: string): MixPart[] {
  const parts = text.split(/\s\+\s/).map((part): MixPart => {
    const match = /^\s*(?:(\d+(?:\.\d+)?)\s*\*\s*)?(\S.*?)\s*$/.exec(part);
    const weight = Number(match?.[1] ?? 1);
    if (match === null || !(weight > 0)) throw new UserError(badMix(text));
    return { weight, spec: match[2]! };
  });
  if (parts.some(({ spec }) => spec.startsWith('mix:'))) throw new UserError(badMix(text));
  return parts;
}

/** Several datasets asked in one run, each as often as its weight says; prompts are labelled with their part. */
export function mixDataset(spec: string, parts: readonly (MixPart & { dataset: Dataset })[], seed: number): Dataset {
  const placesFrom = mixPlaces(
    parts.map(({ weight }) => weight),
    seed,
  );
  const facts = parts.map(({ dataset }) => dataset.facts({ offset: 0, count: null }));
  const hash = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  return {
    facts: ({ offset, count }) => {
      const total = parts.reduce((sum, { weight }) => sum + weight, 0);
      const cycled = parts.some(({ weight }, i) => {
        const items = facts[i]!.items;
        return count !== null && items !== null && (count * weight) / total > items;
      });
      return {
        spec,
        kind: 'mix',
        name: facts.map(({ name }) => name).join(' + '),
        hash,
        items: null,
        bytes: null,
        offset,
        cycled,
      };
    },
    async check({ count }) {
      for (const { dataset } of parts) await dataset.check({ offset: 0, count });
    },
    workload(offset) {
      const next = placesFrom(offset);
      const streams: ({ workload: Workload; at: number } | null)[] = parts.map(() => null);
      const talks = parts.some(({ dataset }) => dataset.promptsWithin !== undefined);
      return {
        ...(talks && { conversations: true as const }),
        async next() {
          const { part, index } = next();
          const stream = (streams[part] ??= { workload: parts[part]!.dataset.workload(index), at: index });
          const prompt: Prompt | null = await stream.workload.next();
          if (prompt === null) return null;
          return labelled(prompt, part, parts[part]!.spec.slice(0, 80));
        },
      };
    },
  };
}

/** A prompt of a part, and every turn that follows it, under the part's name. */
function labelled(prompt: Prompt, part: number, name: string): Prompt {
  const { follow } = prompt;
  return {
    ...prompt,
    id: `${part}/${prompt.id}`,
    labels: { ...prompt.labels, part: name },
    ...(follow !== undefined && {
      follow: (answer) => {
        const next = follow(answer);
        return next === null ? null : labelled(next, part, name);
      },
    }),
  };
}
