import type { Phrase } from '../core/index.ts';
import type { CommonFlags, Terminal } from './terminal.ts';

/** A flag of one command that is not a word of a plan. */
export interface Flag {
  /** Without dashes. */
  name: string;
  short?: string;
  /** What stands behind it in help; null = a switch. */
  value: string | null;
  repeat?: boolean;
  help: Phrase;
}

/** A flag with a value behind it. */
export function valueFlag(
  name: string,
  value: string,
  en: string,
  zh: string,
  more: Pick<Flag, 'short' | 'repeat'> = {},
): Flag {
  return { name, value, ...more, help: { en, zh } };
}

/** A flag that is given or not. */
export function toggle(name: string, en: string, zh: string, more: Pick<Flag, 'short'> = {}): Flag {
  return { name, value: null, ...more, help: { en, zh } };
}

/** A command line as it is typed, and what it is good for. */
export interface Example {
  line: string;
  says: Phrase;
}

export function example(line: string, en: string, zh: string): Example {
  return { line, says: { en, zh } };
}

/** One thing a command takes without a flag. */
export interface Argument {
  name: string;
  required: boolean;
  variadic?: boolean;
  help: Phrase;
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
  flags: readonly Flag[];
  /** The words behind its name are another program's: only llmdyno's own flags before the first of them are read. */
  raw?: true;
  examples: readonly Example[];
  /** Ends with the exit code. Mistakes of the user are thrown as UserError. */
  run(given: ParsedCommand): Promise<number>;
}

/** The last value of a flag, or undefined. */
export function last(given: ParsedCommand, name: string): string | undefined {
  return given.flags.get(name)?.at(-1);
}
