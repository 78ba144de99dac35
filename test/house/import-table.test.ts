import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rooms } from '../../src/core/index.ts';
import type { RoomRule } from '../../src/core/index.ts';

const src = join(import.meta.dirname, '../../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.split(sep).join('/'));
const production = files.filter((path) => !path.includes('.test.'));
const table: Record<string, RoomRule> = rooms;
const roomOf = (path: string): string => path.split('/')[0]!;
const text = (path: string): string => readFileSync(join(src, path), 'utf8');
const code = (path: string): string =>
  text(path)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

function importsOf(path: string): string[] {
  const found = code(path).matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\1/g);
  return [...found].map((match) => match[2]!);
}

function mayImport(from: string, to: string): boolean {
  const allowed = table[from]!.mayImport;
  if (to === from || to === 'core' || allowed.includes(to)) return true;
  return allowed.includes('*') && !allowed.includes(`-${to}`);
}

describe('the import table in core/rooms.ts', () => {
  test('every folder of src is a room of the table', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in table))).toEqual([]);
  });

  test('a room imports only the rooms that the table allows, and only through their index.ts', () => {
    const wrong: string[] = [];
    for (const path of production) {
      for (const target of importsOf(path).filter((name) => name.startsWith('.'))) {
        const resolved = relative(src, normalize(join(src, dirname(path), target)))
          .split(sep)
          .join('/');
        if (resolved.startsWith('..')) continue;
        const [from, to] = [roomOf(path), roomOf(resolved)];
        if (!mayImport(from, to)) wrong.push(`${path} imports ${to}`);
        else if (from !== to && resolved !== `${to}/index.ts`) wrong.push(`${path} enters ${to} by ${resolved}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('the app in the browser imports only pure rooms, and of its own room only the shapes of the API', () => {
    const wrong: string[] = [];
    for (const path of production.filter((one) => one.startsWith('web/app/'))) {
      for (const target of importsOf(path).filter((name) => name.startsWith('.'))) {
        const resolved = relative(src, normalize(join(src, dirname(path), target)))
          .split(sep)
          .join('/');
        const own = resolved.startsWith('web/app/') || resolved.startsWith('web/api/');
        if (!own && !(table[roomOf(resolved)]?.pure ?? true)) wrong.push(`${path} imports ${resolved}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('core imports nothing', () => {
    const outside = production
      .filter((path) => roomOf(path) === 'core')
      .flatMap((path) => importsOf(path).filter((name) => !name.startsWith('./')));
    expect(outside).toEqual([]);
  });

  test('pure rooms name no node module, process, console, clock, chance or timer', () => {
    const worldly =
      /(['"]node:)|\bprocess\.|\bconsole\.|\bnew Date\b|\bDate\.|\bperformance\.|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\b/;
    const wrong = production.filter((path) => table[roomOf(path)]!.pure && worldly.test(code(path)));
    expect(wrong).toEqual([]);
  });
});

describe('the shape of the house', () => {
  test('no source file is longer than 400 lines', () => {
    expect(files.filter((path) => text(path).split('\n').length > 401)).toEqual([]);
  });

  test('no file has a name that explains nothing', () => {
    const empty = /(^|\/)(utils?|helpers?|common|types|manager|base|misc)(\.|\/)/;
    expect(files.filter((path) => empty.test(path))).toEqual([]);
  });

  test('every room opens with an index.ts that says what the room is for in 5 to 12 lines', () => {
    const entered = [...new Set(files.map(roomOf))].filter((room) => room !== 'cli');
    const wrong = entered.filter((room) => {
      const opening = /^\/\*\*\n((?: \*.*\n)+?) \*\/\n/.exec(text(`${room}/index.ts`));
      const lines = opening?.[1]!.split('\n').length ?? 0;
      return lines < 4 || lines > 13;
    });
    expect(wrong).toEqual([]);
  });

  test('a third-party package is imported in one file per room', () => {
    const places = new Map<string, Set<string>>();
    for (const path of production) {
      for (const name of importsOf(path).filter((target) => /^[@a-z]/.test(target) && !target.startsWith('node:'))) {
        const key = `${roomOf(path)}: ${name}`;
        places.set(key, (places.get(key) ?? new Set()).add(path));
      }
    }
    const spread = [...places]
      .filter(([, where]) => where.size > 1)
      .map(([key, where]) => `${key} in ${[...where].join(', ')}`);
    expect(spread).toEqual([]);
  });
});
