import { Command, CommanderError, Option } from 'commander';
import { UserError } from '../core/index.ts';
import type { Phrase } from '../core/index.ts';
import { valueFlag, toggle } from './command.ts';
import type { CommandFile, Flag, ParsedCommand } from './command.ts';
import { chooseLang, langIn } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/** Where runs are kept unless told otherwise. */
export const defaultStore = 'dyno-runs';

/** Flags that every command takes. */
export const commonFlags: readonly Flag[] = [
  toggle('json', 'one JSON document on stdout, nothing else there', '标准输出只有一个 JSON 文档'),
  toggle('quiet', 'no progress and no remarks', '不显示进度和提示'),
  valueFlag('lang', 'en|zh', 'language (default: from the locale)', '语言（默认：由系统区域决定）'),
  valueFlag(
    'store',
    'DIR',
    'where runs are kept (default: $DYNO_STORE or ./dyno-runs)',
    '结果保存目录（默认：$DYNO_STORE 或 ./dyno-runs）',
  ),
];

/** Whether a word asks for help: the first screen of it, or all of it. */
export function asksHelp(word: string): boolean {
  return word === '--help' || word === '-h' || word === '--help-all';
}

/** Reads the words behind a command's name; null = its help was asked for. */
export function parseCommand(
  name: string,
  file: CommandFile,
  words: readonly string[],
  io: Terminal,
): ParsedCommand | null {
  if (file.raw === true) return parseRaw(name, file, words, io);
  const lang = chooseLang(langIn(words), io.env);
  const program = new Command(`dyno ${name}`);
  for (const argument of file.arguments) {
    const inside = argument.variadic === true ? `${argument.name}...` : argument.name;
    program.argument(argument.required ? `<${inside}>` : `[${inside}]`);
  }
  for (const flag of [...file.flags, ...commonFlags]) program.addOption(optionOf(flag));
  program
    .helpOption(false)
    .option('-h, --help')
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} });
  program.allowExcessArguments(false).showSuggestionAfterError(true);
  // Help is wanted even where arguments are missing.
  if (words.some(asksHelp)) return null;
  try {
    program.parse(spreadLists(words), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw usageError(name, commanderWords(error.message));
  }
  const options = program.opts<Record<string, string | string[] | true>>();
  const flags = new Map<string, readonly string[]>();
  for (const flag of [...file.flags, ...commonFlags]) {
    const value = options[camel(flag.name)];
    if (value === undefined) continue;
    flags.set(flag.name, value === true ? ['true'] : Array.isArray(value) ? value : [value]);
  }
  const askedLang = flags.get('lang')?.at(-1);
  if (askedLang !== undefined && askedLang !== 'en' && askedLang !== 'zh') {
    throw usageError(name, { en: `--lang ${askedLang}: en or zh`, zh: `--lang ${askedLang}：en 或 zh` });
  }
  return {
    args: program.args,
    flags,
    io,
    common: {
      json: flags.has('json'),
      quiet: flags.has('quiet'),
      lang,
      store: flags.get('store')?.at(-1) ?? (io.env['DYNO_STORE'] || defaultStore),
    },
  };
}

/** Own flags up to the first word that is none; everything from there on is left as it stands. */
function parseRaw(name: string, file: CommandFile, words: readonly string[], io: Terminal): ParsedCommand | null {
  let own = 0;
  while (own < words.length && words[own]!.startsWith('-')) {
    const flag = commonFlags.find((known) => words[own] === `--${known.name}`);
    own += flag !== undefined && flag.value !== null ? 2 : 1;
  }
  if (own >= words.length && !words.some(asksHelp)) {
    throw usageError(name, commanderWords("missing required argument 'command'"));
  }
  const given = parseCommand(name, plainFile(file), words.slice(0, own), io);
  return given === null ? null : { ...given, args: words.slice(own) };
}

function plainFile({ about, flags, examples, run }: CommandFile): CommandFile {
  return { about, arguments: [], flags, examples, run };
}

/** `--grid input=1,2 output=3,4` as `--grid input=1,2 --grid output=3,4`. */
function spreadLists(words: readonly string[]): string[] {
  let inGrid = false;
  return words.flatMap((word, i) => {
    if (word === '--grid') inGrid = true;
    else if (!/^(input|output)=/.test(word)) inGrid = false;
    return inGrid && word !== '--grid' && words[i - 1] !== '--grid' ? ['--grid', word] : [word];
  });
}

function optionOf(flag: Flag): Option {
  const names = (flag.short === undefined ? '' : `-${flag.short}, `) + `--${flag.name}`;
  // A metavar with `|` or spaces would confuse commander; help is written by helpPage.
  const option = new Option(flag.value === null ? names : `${names} <value>`);
  if (flag.repeat === true)
    option.argParser((value: string, earlier: string[] | undefined) => [...(earlier ?? []), value]);
  // `--no-stream` is a word of its own here, not the negation of `--stream`.
  option.negate = false;
  option.attributeName = () => camel(flag.name);
  return option;
}

function camel(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** What commander says, in both languages; what it may say one day beyond these stays as it is. */
function commanderWords(message: string): Phrase {
  const en = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const zh = commanderPatterns.reduce((text, [pattern, words]) => text.replace(pattern, words), en);
  return { en, zh };
}

const commanderPatterns: readonly (readonly [RegExp, string])[] = [
  [/^unknown option '([^']*)'/, '没有选项 "$1"'],
  [/^option '([^']*)' argument missing/, '选项 "$1" 缺少取值'],
  [/^missing required argument '([^']*)'/, '缺少参数 "$1"'],
  [
    /^too many arguments(?: for '[^']*')?\. Expected (\d+) arguments? but got (\d+)\.?/,
    '参数过多：应为 $1 个，给出了 $2 个',
  ],
  [/\(Did you mean one of ([^)]*)\?\)/, '（是否想用：$1？）'],
  [/\(Did you mean ([^)]*)\?\)/, '（是否想用 $1？）'],
];

function usageError(name: string, message: Phrase): UserError {
  return new UserError({
    code: 'usage',
    message,
    hint: { en: `dyno ${name} --help lists what it takes.`, zh: `dyno ${name} --help 列出全部参数。` },
  });
}
