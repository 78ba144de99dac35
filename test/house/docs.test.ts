import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { floors, pureRooms } from '../../src/core/index.ts';

const root = join(import.meta.dirname, '../..');
const skipped = new Set(['node_modules', 'dist', 'dyno-runs', 'coverage', '.git', '.tmp', 'fixtures']);

function markdownIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const pages = markdownIn(root);
/** Text without code blocks and code words, where brackets mean other things. */
const prose = (page: string): string =>
  readFileSync(page, 'utf8')
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');

/** The anchors of a page as GitHub makes them from its headings. */
function anchorsOf(page: string): string[] {
  const headings = readFileSync(page, 'utf8')
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm);
  return [...headings].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

function brokenLinks(page: string): string[] {
  const links = [...prose(page).matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1]!);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), decodeURI(path));
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).includes(decodeURIComponent(anchor));
  });
}

describe('the documents', () => {
  test('every relative link leads somewhere', () => {
    const broken = pages.flatMap((page) => brokenLinks(page).map((link) => `${relative(root, page)}: ${link}`));
    expect(broken).toEqual([]);
  });

  test('none names a path of somebody’s machine', () => {
    const machine = /(^|[\s`'"(=])\/(home|root|work|Users|tmp\/)\b/m;
    expect(pages.filter((page) => machine.test(readFileSync(page, 'utf8')))).toEqual([]);
  });

  test('docs/reference is what the code says', async () => {
    const stale = await new Promise<string>((resolve) =>
      execFile(process.execPath, [join(root, 'scripts/docs.mjs'), '--check'], (error, _, err) =>
        resolve(error === null ? '' : err || error.message),
      ),
    );
    expect(stale).toBe('');
    // A process of its own that loads every room: slow where many share the machine.
  }, 600_000);

  test.each(['README.md', 'README.zh.md'])('%s lists the commands that there are, and no others', (name) => {
    const rows = readFileSync(join(root, name), 'utf8').matchAll(/^\| `dyno (\w+)/gm);
    expect([...rows].map((row) => row[1])).toEqual(Object.keys(commands));
  });

  test('every package that is installed with llmdyno has a page that says why', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const folder = join(root, 'docs/decisions');
    const titles = readdirSync(folder).map((page) => readFileSync(join(folder, page), 'utf8').split('\n')[0]!);
    const decided = (name: string): boolean => titles.some((title) => title.includes(` ${name} (`));
    expect(Object.keys(dependencies).filter((name) => !decided(name))).toEqual([]);
  });
});

test('docs/architecture.md lists the rooms of core/rooms.ts from top to bottom, and which are pure', () => {
  const map = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const told = [...map.matchAll(/^\| `([\w/]+)` \|.*\| (pure|worldly) \|$/gm)].map(
    ([, room, kind]) => `${room} ${kind}`,
  );
  const wanted = floors.flatMap((folders) =>
    Object.entries(folders).flatMap(([folder, names]) =>
      names.map((name: string) => (name === '' ? folder : `${folder}/${name}`)),
    ),
  );
  expect(told).toEqual(wanted.map((room) => `${room} ${pureRooms.has(room) ? 'pure' : 'worldly'}`));
});
