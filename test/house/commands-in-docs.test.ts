import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { CommandFile } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { commonFlags, parseCommand } from '../../src/cli/parse.ts';
import { UserError } from '../../src/core/index.ts';
import { quietIo } from '../in-process.ts';

const root = join(import.meta.dirname, '../..');
let files: Record<string, CommandFile>;
beforeAll(async () => {
  const loaded = Object.entries(commands).map(async ([name, entry]) => [name, (await entry.load()).command] as const);
  files = Object.fromEntries(await Promise.all(loaded));
  // Every room is loaded: slow where many share the machine.
}, 600_000);

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pagesIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}
const pages = ['README.md', 'README.zh.md', 'CONTRIBUTING.md', 'examples/README.md', ...pagesIn('docs')];

interface Said {
  page: string;
  line: string;
  /** In a block of a shell: as it would be typed, not a form with holes. */
  whole: boolean;
}

/** Every `dyno …` of the documents: lines of shell blocks, and code within sentences. */
function said(): Said[] {
  return pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
      block!.replaceAll(/\\\n\s*/g, ' ').split('\n'),
    );
    const typed = blocks.flatMap((line) =>
      [...line.matchAll(/(?:^|&& |; |\$ )(?:npx )?(dyno .*)$/g)].map(([, it]) => it!),
    );
    const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`(dyno [^`\n]*)`/g)].map(([, it]) => it!);
    const of = (whole: boolean) => (line: string) => ({ page: relative('.', page), line, whole });
    return [...typed.map(of(true)), ...inline.map(of(false))];
  });
}

/** The words of a shell line up to where another command, a file or a remark begins. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [piece] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    if (/^(#|\||>|<|&|;|2>|\))/.test(piece)) break;
    words.push(piece.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2').replace(/[;)]$/, ''));
    if (piece.endsWith(';')) break;
  }
  return words.slice(1);
}

/** What is wrong with a command as the documents say it; null = nothing. */
function fault({ line, whole }: Said): string | null {
  const [name = '', ...rest] = wordsOf(line);
  if (/^(--help|--version|[A-Z…]+|命令)$/.test(name)) return null;
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) return `there is no command ${name}`;
  // `dyno as` takes another tool's words.
  if (file.raw === true) return null;
  const known = new Set(Object.values({ ...file.flags, ...commonFlags }).map((flag) => `--${flag.name}`))
    .add('--help')
    .add('--help-all');
  const flags = rest.flatMap((word) => /^\[?(--[a-z0-9][a-z0-9-]*)/.exec(word)?.[1] ?? []);
  const unknown = flags.filter((flag) => !known.has(flag));
  if (unknown.length > 0) return `dyno ${name} has no ${unknown.join(', ')}`;
  if (!whole || /…|\.\.\.|\[/.test(line)) return null;
  try {
    parseCommand(name, file, rest, quietIo);
    return null;
  } catch (error) {
    return error instanceof UserError ? error.mistakes[0]!.message.en : String(error);
  }
}

test('every dyno command of the documents has the words that there are', () => {
  const all = said();
  expect(all.filter(({ whole }) => whole).length).toBeGreaterThan(60);
  const faults = all.flatMap((one) => {
    const why = fault(one);
    return why === null ? [] : [`${one.page}: ${one.line}: ${why}`];
  });
  expect(faults).toEqual([]);
});
