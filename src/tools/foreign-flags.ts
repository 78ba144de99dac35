import { mistake, nearest, UserError } from '../core/index.ts';
import type { Mistake, Phrase } from '../core/index.ts';

/** How many words stand behind a flag: none, one, at least one, or any number. */
export type Takes = 'nothing' | 'one' | 'some' | 'any';

/** The flags of another tool, by how many words they take; one that is supported stands in `supported` only. */
export interface ForeignTable {
  /** The tool as its users call it. */
  tool: string;
  supported: Readonly<Record<string, Takes>>;
  /** Make no sense here: named in one warning. */
  ignored?: Readonly<Record<string, Takes>>;
  /** Would change what is measured in a way that is not offered: refused, with what to use instead. */
  rejected?: Readonly<Record<string, Phrase>>;
  /** Other spellings. */
  alias?: Readonly<Record<string, string>>;
  /** Names of what stands without a flag, all required. */
  positional?: readonly string[];
}

/** Flags that all take as many words, by their names with blanks between. */
export function taking(takes: Takes, names: string): Record<string, Takes> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [`--${name}`, takes]));
}

/** What was typed for another tool, sorted by flag. */
export interface ForeignWords {
  tool: string;
  args: readonly string[];
  ignored: readonly string[];
  has(flag: string): boolean;
  /** Every word given to a flag, over all its mentions; undefined = it was not given. */
  all(flag: string): readonly string[] | undefined;
  last(flag: string): string | undefined;
}

/** Sorts the words of another tool's command line; everything wrong with them is told at once. */
export function readForeign(table: ForeignTable, words: readonly string[]): ForeignWords {
  const found = new Map<string, string[]>();
  const ignored: string[] = [];
  const args: string[] = [];
  const mistakes: Mistake[] = [];
  const known = { ...table.ignored, ...table.supported };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!looksLikeFlag(word)) {
      args.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const typed = equals === -1 ? word : word.slice(0, equals);
    const flag = flagFor(typed, table, known);
    if (flag === null) {
      mistakes.push(refusal(typed, table, known));
      continue;
    }
    const takes = known[flag]!;
    const values = found.get(flag) ?? [];
    found.set(flag, values);
    if (!Object.hasOwn(table.supported, flag)) ignored.push(flag);
    if (equals !== -1) values.push(word.slice(equals + 1));
    else if (takes === 'one') {
      if (at + 1 >= words.length || looksLikeFlag(words[at + 1]!)) mistakes.push(needsValue(flag, table.tool));
      else values.push(words[++at]!);
    } else if (takes !== 'nothing') {
      const before = at;
      while (at + 1 < words.length && !looksLikeFlag(words[at + 1]!)) values.push(words[++at]!);
      if (at === before && takes === 'some') mistakes.push(needsValue(flag, table.tool));
    }
  }
  const wanted = table.positional ?? [];
  if (args.length < wanted.length) mistakes.push(missing(wanted.slice(args.length), table.tool));
  if (args.length > wanted.length) mistakes.push(tooMany(args.slice(wanted.length), table.tool));
  if (mistakes.length > 0) throw new UserError(mistakes);
  return {
    tool: table.tool,
    args,
    ignored: [...new Set(ignored)],
    has: (flag) => found.has(flag),
    all: (flag) => found.get(flag),
    last: (flag) => found.get(flag)?.at(-1),
  };
}

/** `-n`, `--x`; a negative number is a value. */
function looksLikeFlag(word: string): boolean {
  return /^--?[A-Za-z]/.test(word);
}

/** The flag that a spelling means: exact, another name, with `_` for `-`, or the only one that begins so (as argparse has it). */
function flagFor(typed: string, table: ForeignTable, known: Readonly<Record<string, Takes>>): string | null {
  const names = [typed, typed.replaceAll('_', '-')];
  for (const name of names) {
    if (Object.hasOwn(known, name)) return name;
    const alias = table.alias !== undefined && Object.hasOwn(table.alias, name) ? table.alias[name]! : null;
    if (alias !== null) return alias;
  }
  if (!typed.startsWith('--') || (table.rejected !== undefined && Object.hasOwn(table.rejected, names[1]!)))
    return null;
  const begin = Object.keys(known).filter((name) => name.startsWith(names[1]!));
  return begin.length === 1 ? begin[0]! : null;
}

function refusal(typed: string, table: ForeignTable, known: Readonly<Record<string, Takes>>): Mistake {
  const name = typed.replaceAll('_', '-');
  const instead = table.rejected !== undefined && Object.hasOwn(table.rejected, name) ? table.rejected[name]! : null;
  if (instead !== null) {
    return {
      code: 'foreign-flag-refused',
      message: {
        en: `${table.tool} knows it, dyno as does not do it`,
        zh: `${table.tool} 支持该选项，dyno as 不提供`,
      },
      hint: instead,
      place: { flag: typed },
    };
  }
  const guess = nearest(name, Object.keys(known));
  return {
    code: 'foreign-flag-unknown',
    message: { en: `${table.tool} has no such option`, zh: `${table.tool} 没有该选项` },
    hint:
      guess === null
        ? { en: 'Check its spelling.', zh: '请检查拼写。' }
        : { en: `Did you mean ${guess}?`, zh: `是否想用 ${guess}？` },
    place: { flag: typed },
  };
}

function needsValue(flag: string, tool: string): Mistake {
  return mistake(
    'foreign-flag-empty',
    'needs a value',
    '需要一个值',
    `As in ${tool}: ${flag} VALUE`,
    `用法同 ${tool}：${flag} 值`,
    flag,
  );
}

function missing(names: readonly string[], tool: string): Mistake {
  return mistake(
    'foreign-argument-missing',
    `${tool} needs ${names.join(', ')}`,
    `${tool} 缺少参数 ${names.join('、')}`,
    'Give them without a flag, in this order.',
    '请按顺序给出，不带选项名。',
  );
}

function tooMany(words: readonly string[], tool: string): Mistake {
  return mistake(
    'foreign-argument-unknown',
    `${tool} does not take ${words.map((word) => `"${word}"`).join(', ')}`,
    `${tool} 不接受 ${words.map((word) => `"${word}"`).join('、')}`,
    'Is a flag missing before it, or a quote around it?',
    '前面是否少了选项名，或缺少引号？',
  );
}
