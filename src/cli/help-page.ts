import { cellsOf, say, wrapToCells } from '../core/index.ts';
import type { Lang, Phrase } from '../core/index.ts';
import type { Setting } from '../lab/index.ts';
import type { Argument, CommandFile } from './command.ts';
import { flagGroups, mostUsedFlags } from './flag-groups.ts';
import { commonFlags } from './parse.ts';

/** Words of the help page itself. */
export const helpWords = {
  usage: { en: 'Usage', zh: '用法' },
  arguments: { en: 'Arguments', zh: '参数' },
  options: { en: 'Options', zh: '选项' },
  commonOptions: { en: 'Options of every command', zh: '通用选项' },
  examples: { en: 'Examples', zh: '示例' },
  commands: { en: 'Commands', zh: '命令' },
  helpFlag: { en: 'the first screen of help', zh: '显示帮助首屏' },
  helpAllFlag: { en: 'every option, in groups', zh: '分组显示全部选项' },
  mostUsed: { en: 'Most used', zh: '常用选项' },
} as const satisfies Record<string, Phrase>;

/** What help shows of a flag. */
type Shown = Pick<Setting<unknown>, 'name' | 'short' | 'value' | 'help'>;

/** Lines of a first screen of help. */
const screenLines = 24;
/** Fewer flags than this of a load test, and the command is none. */
const fewestMostUsed = 6;

/** The help of a command that fits one screen: all of it where it is short, else what most people need. */
export function helpScreen(name: string, file: CommandFile, lang: Lang, columns = Infinity): string {
  const whole = helpPage(name, file, lang, columns);
  if (whole.trimEnd().split('\n').length <= screenLines) return whole;
  const flags: Shown[] = Object.values(file.flags);
  const usual = mostUsedFlags.flatMap(({ flag: wanted, says, find }): Shown[] => {
    const flag = flags.find((own) => own.name === wanted);
    if (flag === undefined) return [];
    return [
      {
        ...flag,
        help: says,
        ...(name === 'find' && find !== undefined && { value: find.value ?? flag.value, help: find.says }),
      },
    ];
  });
  const isLoadTest = usual.length >= fewestMostUsed;
  const chosen = isLoadTest ? usual : flags;
  const example = file.examples.slice(0, 2).flatMap(({ line, says }) => [`  # ${say(says, lang)}`, `  ${line}`]);
  const optionCount = flags.length + Object.keys(commonFlags).length;
  const more = say(
    {
      en: `All ${optionCount} options, in groups: dyno ${name} --help-all`,
      zh: `全部 ${optionCount} 个选项（分组）：dyno ${name} --help-all`,
    },
    lang,
  );
  const head = [...wrapped(say(file.about, lang), columns).split('\n'), '', usageOf(name, file, lang)];
  const tail = ['', `${say(helpWords.examples, lang)}:`, ...example, '', more];
  const room = screenLines - head.length - tail.length - 2;
  const rows = chosen.slice(0, room).map((flag) => {
    const help = say(flag.help, lang);
    return [flagTitle(flag), isLoadTest ? help : shortHelp(help)] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}${shortened(right, columns - width - 3)}`);
  const title = say(helpWords.mostUsed, lang);
  const used = columns - width - 3 < narrowest ? [list(title, rows, columns)] : [`${title}:`, ...lines];
  return plain(`${[...head, '', ...used, ...tail].join('\n')}\n`);
}

/** Backticks are for documents; a terminal would show them. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

/** The words of a text that fit, and a sign where some do not. */
function shortened(text: string, cells: number): string {
  return cellsOf(text) <= cells ? text : `${wrapToCells(text, cells - 2)[0] ?? ''} …`;
}

/** The first clause of a help text. */
function shortHelp(text: string): string {
  const clause = /^.*?(?=[;；]|: |：|, such as|，例如| \(|（)/s.exec(text)?.[0] ?? text;
  return cellsOf(clause) >= 12 ? clause : text;
}

/** Everything that a command takes, in groups where that is much, wrapped to so many columns. */
export function helpPage(name: string, file: CommandFile, lang: Lang, columns = Infinity): string {
  const all = Object.values(file.flags);
  const rowsOf = (flags: readonly Shown[]) =>
    flags.map((flag): [string, string] => [flagTitle(flag), say(flag.help, lang)]);
  const grouped = flagGroups.map(({ title, flags }) => ({
    title,
    of: flags.flatMap((flag) => all.filter(({ name: own }) => own === flag)),
  }));
  const isLoadTest = grouped.filter(({ of }) => of.length > 0).length >= 4;
  const placed = new Set(isLoadTest ? grouped.flatMap(({ of }) => of) : []);
  const rest = all.filter((flag) => !placed.has(flag));
  const sections = [
    wrapped(say(file.about, lang), columns),
    usageOf(name, file, lang),
    list(
      say(helpWords.arguments, lang),
      file.arguments.map((taken) => [argumentTitle(taken).replaceAll(/[[\]…]/g, ''), say(taken.help, lang)]),
      columns,
    ),
    ...(isLoadTest ? grouped.map(({ title, of }) => list(say(title, lang), rowsOf(of), columns)) : []),
    list(say(isLoadTest ? { en: 'Of this command', zh: '本命令' } : helpWords.options, lang), rowsOf(rest), columns),
    list(
      say(helpWords.commonOptions, lang),
      [
        ...rowsOf(Object.values(commonFlags)),
        ['-h, --help', say(helpWords.helpFlag, lang)],
        ['--help-all', say(helpWords.helpAllFlag, lang)],
      ],
      columns,
    ),
    file.examples.length === 0
      ? ''
      : `${say(helpWords.examples, lang)}:\n` +
        file.examples.map((example) => `  # ${say(example.says, lang)}\n  ${example.line}`).join('\n'),
  ];
  return plain(`${sections.filter((section) => section !== '').join('\n\n')}\n`);
}

function usageOf(name: string, file: CommandFile, lang: Lang): string {
  return `${say(helpWords.usage, lang)}: dyno ${[name, ...file.arguments.map(argumentTitle)].join(' ')}`;
}

/** An argument as usage lines show it: `RUN…`, `[URL]`. */
export function argumentTitle({ notation }: Argument): string {
  return notation.replaceAll(/[<>]/g, '').replace('...', '…').toUpperCase();
}

/** Fewer cells than this for the right column, and it stands below the left one. */
const narrowest = 28;

/** Two columns under a title, the right one wrapped where the terminal ends; nothing for no rows. */
export function list(title: string, rows: readonly (readonly [string, string])[], columns = Infinity): string {
  if (rows.length === 0) return '';
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  const room = columns - width - 3;
  const below = room < narrowest;
  const indent = ' '.repeat(below ? 6 : width + 2);
  const lines = rows.map(([left, right]) => {
    const told = wrapToCells(right, below ? Math.max(narrowest, columns - 7) : room).join(`\n${indent}`);
    return below ? `  ${left}\n${indent}${told}` : `  ${left.padEnd(width)}${told}`;
  });
  return `${title}:\n${lines.join('\n')}`;
}

function wrapped(text: string, columns: number): string {
  return columns === Infinity ? text : wrapToCells(text, Math.max(narrowest, columns - 1)).join('\n');
}

/** A flag as help shows it: `-n, --requests COUNT`. */
export function flagTitle({ name, short, value }: Omit<Shown, 'help'>): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === null ? '' : ` ${value}`}`;
}
