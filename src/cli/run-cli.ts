import { describeMistake, exitCodes, nearest, printable, say, systemMistake, UserError } from '../core/index.ts';
import type { Lang } from '../core/index.ts';
import { coloursFor } from './colours.ts';
import { commands } from './commands.ts';
import { chooseLang, columnsOf, langIn } from './terminal.ts';
import type { Terminal } from './terminal.ts';
import { helpPage, helpScreen, helpWords, list } from './help-page.ts';
import { parseCommand } from './parse.ts';
import { version } from '../lab/index.ts';
import { tellBug } from './tell-bug.ts';

/** Runs one command line and ends with its exit code; the only place where errors become text. */
export async function runCli(io: Terminal): Promise<number> {
  const [name, ...rest] = nameFirst(io.argv);
  const lang = chooseLang(langIn(io.argv), io.env);
  const readers = io.env['DYNO_STORE_READERS'];
  if (readers !== undefined) (await import('../results/store/index.ts')).letRead(readers);
  if (name === '--version' || name === '-V' || name === 'version') {
    io.out(`llmdyno ${version}\n`);
    return exitCodes.ok;
  }
  try {
    if (name === undefined || name === '--help' || name === '-h' || name === 'help')
      return await topHelp(rest, io, lang);
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (entry === undefined) throw unknownCommand(name);
    const { command } = await entry.load();
    const given = parseCommand(name, command, rest, io);
    if (given === null) {
      const page = rest.includes('--help-all') ? helpPage : helpScreen;
      io.out(page(name, command, lang, columnsOf(io)));
      return exitCodes.ok;
    }
    return await command.run(given);
  } catch (error) {
    return tell(error, io, lang);
  }
}

/** The words with the command first: --lang may stand before it, as in other tools. */
function nameFirst(argv: readonly string[]): readonly string[] {
  const at = argv[0] === '--lang' ? 2 : argv[0]?.startsWith('--lang=') === true ? 1 : 0;
  return [...argv.slice(at, at + 1), ...argv.slice(0, at), ...argv.slice(at + 1)];
}

async function topHelp(rest: readonly string[], io: Terminal, lang: Lang): Promise<number> {
  const name = rest.find((word) => Object.hasOwn(commands, word));
  if (name !== undefined) {
    const { command } = await commands[name]!.load();
    const page = rest.includes('--all') ? helpPage : helpScreen;
    io.out(page(name, command, lang, columnsOf(io)));
    return exitCodes.ok;
  }
  const rows = Object.entries(commands).map(([command, { about }]): [string, string] => [command, say(about, lang)]);
  io.out(
    [
      say(
        {
          en: `llmdyno ${version}: a dynamometer for LLM inference engines`,
          zh: `llmdyno ${version}：大模型推理引擎测功机`,
        },
        lang,
      ),
      `${say(helpWords.usage, lang)}: dyno COMMAND …`,
      list(say(helpWords.commands, lang), rows, columnsOf(io)),
      say(
        {
          en: 'dyno COMMAND --help tells the rest. New here? Try: dyno demo',
          zh: 'dyno COMMAND --help 查看详情。第一次使用？试试：dyno demo',
        },
        lang,
      ),
    ].join('\n\n') + '\n',
  );
  return exitCodes.ok;
}

function unknownCommand(name: string): UserError {
  const guess = nearest(name, Object.keys(commands));
  return new UserError({
    code: 'unknown-command',
    message: { en: `there is no command "${name}"`, zh: `没有命令 "${name}"` },
    hint:
      guess === null
        ? { en: 'dyno --help lists the commands.', zh: 'dyno --help 列出全部命令。' }
        : { en: `Did you mean: dyno ${guess}?`, zh: `是否想用：dyno ${guess}？` },
  });
}

/** Names of files and flags may hold anything; lines stay lines. */
function printed(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function tell(error: unknown, io: Terminal, lang: Lang): number {
  const paint = coloursFor(io, 'err');
  if (error instanceof UserError) {
    for (const mistake of error.mistakes) {
      io.err(`${paint.red(say({ en: 'error', zh: '错误' }, lang))}: ${printed(describeMistake(mistake, lang))}\n`);
      io.err(`  ${paint.dim('→')} ${printed(say(mistake.hint, lang))}\n`);
    }
    return error.exitCode;
  }
  const refused = systemMistake(error);
  if (refused !== null) return tell(refused, io, lang);
  tellBug(error, io, lang);
  return exitCodes.bug;
}
