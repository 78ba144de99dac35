import { randomStream } from '../../core/index.ts';
import type { LengthLaw, Prompt } from '../../core/index.ts';
import { lengthDrawer, zipfPicker } from './draw-length.ts';
import { plainPrompt } from './prompt.ts';
import type { WordSource } from './word-text.ts';

/** What random prompts are made from. */
export interface RandomPrompts {
  seed: number;
  words: WordSource;
  input: LengthLaw;
  /** null = the plan's own limit. */
  output: LengthLaw | null;
}

/** Prompt number `index` of random text; it depends on the seed and its number alone, never on what was made before. */
export function randomPrompts(parts: RandomPrompts): (index: number) => Prompt {
  const input = lengthDrawer(parts.input);
  const output = parts.output === null ? null : lengthDrawer(parts.output);
  return (index) => {
    const inputTokens = input(randomStream(parts.seed, `input length ${index}`));
    const text = parts.words.text(inputTokens, randomStream(parts.seed, `random text ${index}`));
    return {
      ...plainPrompt(`random-${index}`, text),
      inputTokens,
      maxTokens: output === null ? null : output(randomStream(parts.seed, `output length ${index}`)),
    };
  };
}

/** Groups of prompts that begin alike. */
export interface PrefixGroups extends RandomPrompts {
  groups: number;
  prefixTokens: number;
  /** Popularity of the groups: null = all alike, else Zipf's exponent. */
  zipf: number | null;
}

/** Prompt number `index` of a group drawn by popularity: the group's prefix, then text of its own. */
export function sharedPrefixPrompts(parts: PrefixGroups): (index: number) => Prompt {
  const make = randomPrompts(parts);
  const pick = parts.zipf === null ? null : zipfPicker(parts.groups, parts.zipf);
  const prefixes = new Map<number, string>();
  const prefixOf = (group: number): string => {
    const known = prefixes.get(group);
    if (known !== undefined) return known;
    const made = parts.words.text(parts.prefixTokens, randomStream(parts.seed, `prefix ${group}`));
    prefixes.set(group, made);
    return made;
  };
  return (index) => {
    const own = make(index);
    const chance = randomStream(parts.seed, `prefix group ${index}`);
    const group = pick === null ? chance.below(parts.groups) : pick(chance);
    return {
      ...plainPrompt(`prefix-${group}-${index}`, `${prefixOf(group)} ${own.text}`),
      inputTokens: parts.prefixTokens + (own.inputTokens ?? 0),
      maxTokens: own.maxTokens,
      labels: { group: String(group) },
    };
  };
}

/** The same output length law put on prompts that come from elsewhere; depends on seed and place alone. */
export function withOutputLengths(law: LengthLaw, seed: number): (prompt: Prompt, index: number) => Prompt {
  const draw = lengthDrawer(law);
  const put = (prompt: Prompt, place: string): Prompt => {
    const { follow } = prompt;
    return {
      ...prompt,
      maxTokens: draw(randomStream(seed, `output length ${place}`)),
      ...(follow !== undefined && {
        follow: (answer) => {
          const next = follow(answer);
          return next === null ? null : put(next, `${place} +`);
        },
      }),
    };
  };
  return (prompt, index) => put(prompt, String(index));
}
