import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const section = (title: string): string => page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;
const withoutComments = (code: string): string => code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/.*$/gm, '');

/** What stands between the brace at `open` and the one that closes it. */
function bodyFrom(code: string, open: number): string {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === '{') depth++;
    if (code[at] === '}' && --depth === 0) return code.slice(open + 1, at);
  }
  throw new Error(`a brace is never closed: ${code.slice(open, open + 60)}`);
}

/** The members of the interface of that name, in order, each with a ? where it may be absent; null = there is none. */
function membersOf(code: string, name: string): string[] | null {
  const plain = withoutComments(code);
  const begin = new RegExp(`interface ${name}(<[^{]*>)? \\{`).exec(plain);
  if (begin === null) return null;
  const pieces = [''];
  let depth = 0;
  for (const letter of bodyFrom(plain, begin.index + begin[0].length - 1)) {
    if ('({['.includes(letter)) depth++;
    if (')}]'.includes(letter)) depth--;
    if (depth === 0 && ';\n'.includes(letter)) pieces.push('');
    else pieces[pieces.length - 1] += letter;
  }
  return pieces.flatMap((piece) => {
    const member = /^\s*(?:readonly )?(\w+\??)\s*(?:[:(]|$)/.exec(piece);
    return member === null ? [] : [member[1]!];
  });
}

/** A type as it is written, but for its spaces. */
function typeOf(code: string, name: string): string | null {
  const found = new RegExp(`type ${name} = ([^;]*);`).exec(withoutComments(code));
  return found === null ? null : found[1]!.replaceAll(/\s+/g, ' ');
}

/** The printed code, cut where a comment names the files that the next lines are from. */
function printedSeams(): { files: string[]; printed: string }[] {
  const code = /```ts\n([\s\S]*?)```/.exec(section('Seams'))![1]!;
  return code.split(/^(?=\/\/ src\/)/m).map((printed) => {
    const [first = ''] = printed.split('\n');
    return { files: [...first.matchAll(/src\/[\w/-]+\.ts/g)].map(([file]) => file), printed };
  });
}

const codeOf = (files: readonly string[]): string =>
  files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');

describe('docs/architecture.md', () => {
  test('prints the members that each seam has in its file, no more and no fewer', () => {
    const told = printedSeams().flatMap(({ files, printed }) => {
      const code = codeOf(files);
      return [...printed.matchAll(/^interface (\w+)/gm)].map(([, name]) => ({
        name,
        printed: membersOf(printed, name!),
        inCode: membersOf(code, name!),
      }));
    });
    expect(told.length).toBeGreaterThan(9);
    expect(told.map(({ name, printed }) => [name, printed])).toEqual(told.map(({ name, inCode }) => [name, inCode]));
  });

  test('prints the function types of its seams as they are written there', () => {
    const told = printedSeams().flatMap(({ files, printed }) =>
      [...printed.matchAll(/^type (\w+)/gm)].map(([, name]) => ({
        name,
        printed: typeOf(printed, name!),
        inCode: typeOf(codeOf(files), name!),
      })),
    );
    expect(told.length).toBeGreaterThan(2);
    expect(told.map(({ name, printed }) => [name, printed])).toEqual(told.map(({ name, inCode }) => [name, inCode]));
  });

  test('walks one request through files that there are, at each of its steps', () => {
    const steps = section("One request's walk")
      .split(/^\d\. /m)
      .slice(1);
    const files = steps.map((step) => [...step.matchAll(/`(src\/[^`]+)`/g)].map(([, file]) => file!));
    expect(files.filter((named) => named.length === 0)).toEqual([]);
    expect(files.flat().filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('names no file or folder elsewhere that there is not', () => {
    const named = [...page.matchAll(/`((?:src|test|docs|bench|scripts|data|schemas|examples)\/[^`\s]*)`/g)];
    expect(named.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('answers a stranger with files that name what they are said to name', () => {
    const rows = section('Where is …?').match(/^\| .*src\/.*$/gm)!;
    const told = rows.flatMap((row) => {
      const code = codeOf(row.match(/src\/[\w/-]+\.ts/g)!);
      const [, , , what] = row.split('|');
      const names = [...what!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
      return names.map((name) => ({ row, name, there: new RegExp(`\\b${name}\\b`).test(code) }));
    });
    expect(told.length).toBeGreaterThan(9);
    expect(told.filter(({ there }) => !there)).toEqual([]);
  });
});
