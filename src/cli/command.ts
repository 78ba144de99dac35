import { say } from '../core/index.ts';
import type { Phrase } from '../core/index.ts';
import { readVocabulary, throwMistakes } from '../lab/index.ts';
import type { GivenSetting, Vocabulary, SettingsOf } from '../lab/index.ts';
import type { CommonFlags, Terminal } from './terminal.ts';

/** A command line as it is typed, and what it is good for. */
export interface Example {
  line: string;
  says: Phrase;
}

export function example(line: string, en: string, zh: string): Example {
  return { line, says: { en, zh } };
}

/** One thing a command takes without a flag, written as commander does: `<run...>`, `[url]`. */
export interface Argument {
  notation: string;
  help: Phrase;
}

export function argument(notation: string, en: string, zh: string): Argument {
  return { notation, help: { en, zh } };
}

/** What was given on the command line, not yet understood. */
export interface ParsedCommand {
  args: readonly string[];
  /** By name without dashes; absent = not given. A switch is ['true']. */
  flags: ReadonlyMap<string, readonly string[]>;
  common: CommonFlags;
  io: Terminal;
}

/** One command: what it is for, what it takes, what it does. */
export interface CommandFile {
  about: Phrase;
  arguments: readonly Argument[];
  /** By the key that each is read into. */
  flags: Vocabulary;
  /** The words behind its name are another program's: only llmdyno's own flags before the first of them are read. */
  raw?: true;
  examples: readonly Example[];
  /** Ends with the exit code. Mistakes of the user are thrown as UserError. */
  run(given: ParsedCommand): Promise<number>;
}

/** A command whose flags are all read before it runs. One that takes a plan file reads them itself, because the file's come first. */
export function makeCommand<V extends Vocabulary>(
  file: Omit<CommandFile, 'flags' | 'run'> & {
    flags: V;
    run(given: ParsedCommand, asked: SettingsOf<V>): Promise<number>;
  },
): CommandFile {
  return { ...file, run: (given) => file.run(given, settingsIn(given, file.flags)) };
}

/** What was typed of a vocabulary, each setting with its flag. */
export function typedSettings({ flags }: Pick<ParsedCommand, 'flags'>, vocabulary: Vocabulary): GivenSetting[] {
  const names = new Set(Object.values(vocabulary).map(({ name }) => name));
  return [...flags]
    .filter(([name]) => names.has(name))
    .map(([name, texts]) => ({ name, texts, place: { flag: `--${name}` } }));
}

/** What was typed of a vocabulary, read; everything that is wrong is told at once. */
export function settingsIn<V extends Vocabulary>(given: Pick<ParsedCommand, 'flags'>, vocabulary: V): SettingsOf<V> {
  const { settings, mistakes } = readVocabulary(vocabulary, typedSettings(given, vocabulary));
  throwMistakes(mistakes);
  return settings;
}

/** A whole document on stdout, for programs. */
export function printJson({ io }: Pick<ParsedCommand, 'io'>, document: unknown): void {
  io.out(jsonText(document));
}

export function jsonText(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A remark on stderr; --quiet leaves it out. `rest` stands behind it in any language. */
export function remark({ io, common }: Pick<ParsedCommand, 'io' | 'common'>, en: string, zh: string, rest = ''): void {
  if (!common.quiet) io.err(`${say({ en, zh }, common.lang)}${rest}\n`);
}
