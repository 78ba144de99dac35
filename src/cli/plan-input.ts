import { UserError } from '../core/index.ts';
import type { Mistake } from '../core/index.ts';
import { checkWords, planWords, readPlanFile, readWords, throwMistakes } from '../lab/index.ts';
import type { GivenWord, PlanWords, Vocabulary, Words } from '../lab/index.ts';
import type { Flag, Given } from './command.ts';

/** Plan words as flags of a command. */
export function flagsOf(vocabulary: Vocabulary): Flag[] {
  return Object.values(vocabulary).map((word) => ({
    name: word.name,
    value: word.value,
    help: word.help,
    ...(word.short !== undefined && { short: word.short }),
    ...(word.repeat !== undefined && { repeat: true }),
  }));
}

/** What was typed of a vocabulary, each word with its flag. */
export function typedWords(flags: Given['flags'], vocabulary: Vocabulary): GivenWord[] {
  const names = new Set(Object.values(vocabulary).map(({ name }) => name));
  return [...flags]
    .filter(([name]) => names.has(name))
    .map(([name, texts]) => ({ name, texts, place: { flag: `--${name}` } }));
}

/**
 * What a command that needs a plan was told: a URL or a plan file first, then flags; flags win over the file. `otherwise` is
 * the address where none is said; null = one has to be.
 */
export function readPlanInput<V extends Vocabulary>(
  given: Given,
  more: V,
  otherwise: string | null = null,
): { words: PlanWords & { url: string } & Words<V> } {
  const vocabulary = { ...planWords, ...more };
  const [first] = given.args;
  const fromFile = first !== undefined && isPlanFile(first) ? readPlanFile(first) : [];
  const fromFlags = typedWords(given.flags, vocabulary);
  if (first !== undefined && !isPlanFile(first)) fromFlags.unshift({ name: 'url', texts: [first], place: {} });
  const { words, mistakes } = readWords(vocabulary, [...fromFile, ...fromFlags]);
  const all: Mistake[] = [...mistakes, ...checkWords(words as PlanWords)];
  const url = (words as PlanWords).url ?? otherwise ?? undefined;
  if (url === undefined && mistakes.length === 0) all.push(noUrl());
  throwMistakes(all);
  return { words: { ...(words as PlanWords & Words<V>), url: url! } };
}

/** A point that has to be a single one. */
export function refuseLists(words: PlanWords): void {
  const lists = (['concurrency', 'rate'] as const).filter((name) => (words[name]?.length ?? 0) > 1);
  if (lists.length === 0) return;
  throw new UserError(
    lists.map((name): Mistake => ({
      code: 'list-in-run',
      message: { en: 'a run is one load point, and this is a list', zh: 'run 只测试一个负载点，这里给出了列表' },
      hint: { en: 'Use `dyno sweep` for several points.', zh: '多个负载点请使用 `dyno sweep`。' },
      place: { flag: `--${name}` },
    })),
  );
}

function isPlanFile(word: string): boolean {
  return /\.(ya?ml|json)$/i.test(word) && !/^https?:\/\//i.test(word);
}

function noUrl(): Mistake {
  return {
    code: 'no-url',
    message: { en: 'no server to test', zh: '没有指定要测试的服务器' },
    hint: {
      en: 'Give its address, for example: dyno run http://127.0.0.1:8000 — or start a simulated one: dyno engine',
      zh: '请给出地址，例如：dyno run http://127.0.0.1:8000；或启动模拟引擎：dyno engine',
    },
  };
}
