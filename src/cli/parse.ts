import { Command, CommanderError, Option } from 'commander';
import { userError } from '../core/index.ts';
import type { Phrase, UserError } from '../core/index.ts';
import { anyText, flag, one } from '../lab/index.ts';
import type { Setting } from '../lab/index.ts';
import type { CommandFile, ParsedCommand } from './command.ts';
import { chooseLang } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/** Where runs are kept unless told otherwise. */
export const defaultStore = 'dyno-runs';

/** Flags that every command takes. */
export const commonFlags = {
  json: flag('json', 'one JSON document on stdout, nothing else there', '标准输出只有一个 JSON 文档'),
  quiet: flag('quiet', 'no progress and no remarks', '不显示进度和提示'),
  lang: one('lang en|zh', anyText, 'language (default: from the locale)', '语言（默认：由系统区域决定）'),
  store: one(
    'store DIR',
    anyText,
    'where runs are kept (default: $DYNO_STORE or ./dyno-runs)',
    '结果保存目录（默认：$DYNO_STORE 或 ./dyno-runs）',
  ),
};

/** Reads the words behind a command's name; null = its help was asked for. */
export function parseCommand(
  name: string,
  file: CommandFile,
  typed: readonly string[],
  io: Terminal,
): ParsedCommand | null {
  const known = Object.values({ ...file.flags, ...commonFlags });
  const program = new Command(`dyno ${name}`);
  for (const { notation } of file.arguments) program.argument(notation);
  for (const setting of known) program.addOption(optionOf(setting));
  program
    .helpOption(false)
    .option('-h, --help')
    .option('--help-all')
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
    .allowExcessArguments(false)
    .showSuggestionAfterError(true);
  if (file.raw === true) program.passThroughOptions();
  // Help is wanted even where arguments are missing; of another program's words it is that program's help.
  else if (typed.some((word) => word === '-h' || word === '--help' || word === '--help-all')) return null;
  const refusal = refusalOf(program, file.raw === true ? typed : spreadLists(typed));
  const options = program.opts<Record<string, string | string[] | true>>();
  if (options['help'] === true || options['helpAll'] === true) return null;
  if (refusal !== null) throw usageError(name, commanderPhrase(refusal.message));
  const flags = new Map<string, readonly string[]>();
  for (const setting of known) {
    const value = options[camel(setting.name)];
    if (value === undefined) continue;
    flags.set(setting.name, value === true ? ['true'] : Array.isArray(value) ? value : [value]);
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
      lang: chooseLang(askedLang, io.env),
      store: flags.get('store')?.at(-1) ?? (io.env['DYNO_STORE'] || defaultStore),
    },
  };
}

/** Why commander does not take these words; null = it does. */
function refusalOf(program: Command, typed: readonly string[]): CommanderError | null {
  try {
    program.parse(typed, { from: 'user' });
    return null;
  } catch (error) {
    if (error instanceof CommanderError) return error;
    throw error;
  }
}

/** `--grid input=1,2 output=3,4` as `--grid input=1,2 --grid output=3,4`. */
function spreadLists(typed: readonly string[]): string[] {
  let inGrid = false;
  return typed.flatMap((word, i) => {
    if (word === '--grid') inGrid = true;
    else if (!/^(input|output)=/.test(word)) inGrid = false;
    return inGrid && word !== '--grid' && typed[i - 1] !== '--grid' ? ['--grid', word] : [word];
  });
}

function optionOf({ name, short, value, repeat }: Setting<unknown>): Option {
  const names = (short === undefined ? '' : `-${short}, `) + `--${name}`;
  // What stands behind a flag in help may hold `|` or spaces, which would confuse commander; help is written by helpPage.
  const option = new Option(value === null ? names : `${names} <value>`);
  if (repeat !== undefined)
    option.argParser((text: string, earlier: string[] | undefined) => [...(earlier ?? []), text]);
  // `--no-stream` is a flag of its own here, not the negation of `--stream`.
  option.negate = false;
  option.attributeName = () => camel(name);
  return option;
}

function camel(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** What commander says, in both languages; messages that commander may get one day stay in English. */
function commanderPhrase(message: string): Phrase {
  const en = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const zh = commanderPatterns.reduce((text, [pattern, chinese]) => text.replace(pattern, chinese), en);
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

function usageError(name: string, { en, zh }: Phrase): UserError {
  return userError('usage', en, zh, `dyno ${name} --help lists what it takes.`, `dyno ${name} --help 列出全部参数。`);
}
