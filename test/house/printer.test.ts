import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '../../src');
/** What runs in a browser writes to no terminal. */
const browser = /^(?:web\/app|report\/page)\//;
const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => path.endsWith('.ts') && !path.includes('.test.') && !browser.test(path))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

function filesWith(pattern: RegExp): string[] {
  return code.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

test('only the printer writes to stdout and stderr, so that no word of a stranger gets there as it is', () => {
  expect(filesWith(/\bprocess\s*\.\s*std(?:out|err)\b|\bstd(?:out|err)\b.*from 'node:process'/)).toEqual([
    'cli/terminal.ts',
    // A process of ours whose output is a pipe that we read.
    'lab/runners/sampler.ts',
  ]);
  expect(filesWith(/\bconsole\s*[.[]|\bemitWarning\b|\bdebuglog\b/)).toEqual([]);
  expect(filesWith(/\bwriteSync\(\s*[12]\b|\/dev\/(?:std|tty|fd)|\btty\.WriteStream\b|process\.binding/)).toEqual([]);
});

test('only the printer knows escapes of a terminal; readers of other tools take theirs away', () => {
  const escape = /\\u001b|\\x1b|\\u009b|\\x9b|\\e\[|\\033|fromCharCode\((?:27|0x1b)\b/i;
  expect(filesWith(escape).toSorted()).toEqual([
    'cli/printer.ts',
    'inputs/hardware/devices/clean-lines.ts',
    'tools/reading/box-table.ts',
  ]);
});

test('what other programs say does not go past the printer: only our own engine writes to our stderr', () => {
  expect(filesWith(/stdio:[^;]*'inherit'|\.pipe\(\s*process/)).toEqual(['cli/spawned-engine.ts']);
});
