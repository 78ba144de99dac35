import { planSettings, readPlanFile, readSettings, readWords, throwMistakes } from '../lab/index.ts';
import type { GivenSetting, PlanSettings, Vocabulary, Words } from '../lab/index.ts';
import type { Flag, ParsedCommand } from './command.ts';

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
export function typedWords(flags: ParsedCommand['flags'], vocabulary: Vocabulary): GivenSetting[] {
  const names = new Set(Object.values(vocabulary).map(({ name }) => name));
  return [...flags]
    .filter(([name]) => names.has(name))
    .map(([name, texts]) => ({ name, texts, place: { flag: `--${name}` } }));
}

/** What was typed of a vocabulary, read; everything that is wrong is told at once. */
export function wordsOf<V extends Vocabulary>({ flags }: Pick<ParsedCommand, 'flags'>, vocabulary: V): Words<V> {
  const { words, mistakes } = readWords(vocabulary, typedWords(flags, vocabulary));
  throwMistakes(mistakes);
  return words;
}

/**
 * What a command that needs a plan was told: a URL or a plan file first, then flags; flags win over the file. `otherwise` is
 * the address where none is said; null = one has to be.
 */
export function readPlanInput<V extends Vocabulary>(
  given: ParsedCommand,
  more: V,
  otherwise: string | null = null,
): { words: PlanSettings & { url: string } & Words<V> } {
  const vocabulary = { ...planSettings, ...more };
  const [first] = given.args;
  const fromFile = first !== undefined && isPlanFile(first) ? readPlanFile(first) : [];
  const fromFlags = typedWords(given.flags, vocabulary);
  if (first !== undefined && !isPlanFile(first)) fromFlags.unshift({ name: 'url', texts: [first], place: {} });
  return { words: readSettings([...fromFile, ...fromFlags], more, otherwise) };
}

function isPlanFile(word: string): boolean {
  return /\.(ya?ml|json)$/i.test(word) && !/^https?:\/\//i.test(word);
}
