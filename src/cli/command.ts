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
  examples: readonly { line: string; says: Phrase }[];
  /** Ends with the exit code. Mistakes of the user are thrown as UserError. */
  run(given: ParsedCommand): Promise<number>;
}

/** The last value of a flag, or undefined. */
export function last(given: ParsedCommand, name: string): string | undefined {
  return given.flags.get(name)?.at(-1);
}
