// The little markdown that the reference pages need.

/** The line under every generated title, so that nobody edits the page by hand. */
export const generated = '<!-- Written by scripts/docs.mjs from the code: change it there, then run npm run docs. -->';

/** Text made safe for a cell of a table. */
export function cell(text) {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').trim();
}

/** A word in code type, for a cell of a table. */
export function code(text) {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

/** A table; nothing for no rows. Cells are markdown already. */
export function table(titles, rows) {
  if (rows.length === 0) return '';
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Parts of a page, one empty line between them. */
export function page(...parts) {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Every TypeScript file below src that is no test, as [path, text], in order of path. */
export async function sources(root) {
  const { readdir, readFile } = await import('node:fs/promises');
  const names = await readdir(new URL('src/', root), { recursive: true });
  const paths = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .toSorted();
  return Promise.all(paths.map(async (path) => [path, await readFile(new URL(`src/${path}`, root), 'utf8')]));
}
