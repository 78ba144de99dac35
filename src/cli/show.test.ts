import { expect, test } from 'vitest';
import { quietIo } from '../../test/in-process.ts';
import type { ParsedCommand } from './command.ts';
import { reportOptions } from './show.ts';
import { forTerminal } from './printer.ts';

const onTerminal: ParsedCommand = {
  args: [],
  flags: new Map(),
  common: { json: false, quiet: false, lang: 'en', store: 'none' },
  io: { ...quietIo, outIsTty: true, columns: 60 },
};

test('a report on a terminal has its colours and its width; one for a file or a pipe has neither', () => {
  const screen = reportOptions(onTerminal);
  expect([screen.columns, forTerminal(screen.paint!.bad('x'))]).toEqual([60, '\u001B[31mx\u001B[39m']);
  const piped = reportOptions({ ...onTerminal, io: { ...onTerminal.io, outIsTty: false } });
  for (const plain of [piped, reportOptions(onTerminal, 'report.txt')])
    expect([plain.columns, plain.paint!.bad('x')]).toEqual([Infinity, 'x']);
});
