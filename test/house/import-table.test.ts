import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { floors, pureRooms } from '../../src/core/index.ts';

const src = join(import.meta.dirname, '../../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.split(sep).join('/'));
const production = files.filter((path) => !path.includes('.test.'));
/** Every room with its floor, from top to bottom. */
const rooms = floors.flatMap((folders, floor) =>
  Object.entries(folders).flatMap(([folder, names]) =>
    names.map((name: string) => ({ folder, floor, path: name === '' ? folder : `${folder}/${name}` })),
  ),
);
const roomOf = (path: string): string =>
  rooms.find((room) => path.startsWith(`${room.path}/`))?.path ?? path.split('/').slice(0, -1).join('/');
const text = (path: string): string => readFileSync(join(src, path), 'utf8');
const code = (path: string): string =>
  text(path)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

function importsOf(path: string): string[] {
  const found = code(path).matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\1/g);
  return [...found].map((match) => match[2]!);
}

/** Upward to another floor, or to a room that stands earlier in the same folder. */
function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  const [here, there] = [from, to].map((path) => rooms.findIndex((room) => room.path === path)) as [number, number];
  if (here === -1 || there === -1) return false;
  const sameFolder = rooms[here]!.folder === rooms[there]!.folder;
  return sameFolder ? there < here : rooms[there]!.floor < rooms[here]!.floor;
}

describe('the floors in core/rooms.ts', () => {
  test('every folder of src is a room, and every room is a folder of src', () => {
    const inFolders = files.filter((path) => path.includes('/'));
    expect([...new Set(inFolders.map(roomOf))].toSorted()).toEqual(rooms.map(({ path }) => path).toSorted());
  });

  test('an import points only upward, and enters a room only through its index.ts', () => {
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
        if (!own && !pureRooms.has(roomOf(resolved))) wrong.push(`${path} imports ${resolved}`);
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
    const wrong = production.filter((path) => pureRooms.has(roomOf(path)) && worldly.test(code(path)));
    expect(wrong).toEqual([]);
  });
});

describe('the shape of the house', () => {
  test('the build of the page knows every pure room, so that it keeps only what the page uses', () => {
    const app = readFileSync(join(src, '../scripts/app.mjs'), 'utf8');
    const known = new RegExp(/pureRooms =\s+\/(.+)\/;/.exec(app)![1]!);
    expect([...pureRooms].filter((room) => !known.test(`/src/${room}/x.ts`))).toEqual([]);
    expect(known.test('/src/results/store/x.ts')).toBe(false);
  });

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
