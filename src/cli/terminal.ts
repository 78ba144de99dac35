import { cellsOf, exitCodes, makeScrub, say } from '../core/index.ts';
import type { Lang } from '../core/index.ts';
import { leaveGoneTerminals, outlivesTerminal } from './hang-up.ts';
import { forTerminal } from './printer.ts';

/** Ctrl-C, a polite kill, and a terminal that is gone. */
export type EndSignal = (typeof endSignals)[number];
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The outside world as a command sees it; tests hand in their own. The only way to stdout and stderr. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** From now on these values are shown by nobody. */
  hide(values: readonly string[]): void;
  /** Terminals, not files or pipes. */
  outIsTty: boolean;
  errIsTty: boolean;
  columns: number;
  env: Readonly<Record<string, string | undefined>>;
  argv: readonly string[];
  /**
   * Calls back at each signal that asks for an end, with how many there have been; returns how to stop listening. SIGTERM and SIGHUP
   * count once each, because a parent hands on to its child what the system has sent to both.
   */
  onInterrupt(callback: (count: number, signal: EndSignal) => void): () => void;
}

/** The flags every command takes, as read. */
export interface CommonFlags {
  json: boolean;
  quiet: boolean;
  lang: Lang;
  store: string;
}

/** The real world. */
export function processTerminal(): Terminal {
  leaveGoneTerminals();
  const outlives = outlivesTerminal(process.env);
  // Without a listener it would end the process.
  if (outlives) process.on('SIGHUP', () => {});
  const ends = endSignals.filter((signal) => !(outlives && signal === 'SIGHUP'));
  // A reader that went away (`dyno … | head`) is no error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok);
    // The terminal is gone (SIGHUP): what was measured is kept, and nobody is there to be told.
    if (error.code === 'EIO') return outlives ? undefined : process.exit(exitCodes.interrupted);
    const lang = chooseLang(langIn(process.argv.slice(2)), process.env);
    const said = { en: 'cannot write the result to stdout', zh: '无法把结果写到标准输出' };
    process.stderr.write(
      forTerminal(`${say({ en: 'error', zh: '错误' }, lang)}: ${say(said, lang)}: ${error.message}\n`),
    );
    process.exit(exitCodes.usage);
  });
  // Whoever read our remarks went away (`dyno … 2>&1 | head`): the load goes on, and so do the files it writes.
  process.stderr.on('error', () => {});
  const hidden = new Set<string>();
  let scrub = makeScrub([]);
  return {
    out: (text) => void process.stdout.write(forTerminal(scrub(text))),
    err: (text) => void process.stderr.write(forTerminal(scrub(text))),
    hide: (values) => {
      for (const value of values) hidden.add(value);
      scrub = makeScrub([...hidden]);
    },
    outIsTty: process.stdout.isTTY,
    errIsTty: process.stderr.isTTY,
    columns: process.stdout.columns ?? process.stderr.columns ?? 80,
    env: process.env,
    argv: process.argv.slice(2),
    onInterrupt: (callback) => {
      let count = 0;
      const told = new Set<string>();
      const heard = (signal: NodeJS.Signals): void => {
        if (told.has(signal)) return;
        if (signal !== 'SIGINT') told.add(signal);
        callback(++count, signal as EndSignal);
      };
      for (const signal of ends) process.on(signal, heard);
      return () => {
        for (const signal of ends) process.off(signal, heard);
      };
    },
  };
}

/** How long a line may be: to the end of a terminal, without end in a file or pipe. */
export function columnsOf(io: Pick<Terminal, 'outIsTty' | 'columns'>): number {
  return io.outIsTty ? io.columns : Infinity;
}

/** The language to speak: what was asked for, else the locale's. */
export function chooseLang(asked: string | undefined, env: Terminal['env']): Lang {
  if (asked === 'zh' || asked === 'en') return asked;
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  return /^zh/i.test(locale) ? 'zh' : 'en';
}

/** The value of --lang among words not yet parsed, so that even a wrong command line is answered in it. */
export function langIn(typed: readonly string[]): string | undefined {
  const joined = typed.find((word) => word.startsWith('--lang='));
  if (joined !== undefined) return joined.slice('--lang='.length);
  const at = typed.indexOf('--lang');
  return at === -1 ? undefined : typed[at + 1];
}

/** Rows as columns of equal width; Chinese characters count two. */
export function paddedRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => cellsOf(row[at] ?? ''))));
  return rows
    .map((row) => {
      const cells = row.map((cell, at) => cell + ' '.repeat(Math.max(0, widths[at]! - cellsOf(cell))));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
