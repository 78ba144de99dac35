import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reporters } from '../../src/lab/index.ts';
import { fixture, fixtures, importText } from '../imported.ts';

// Every cell of every result table that four published documents print, against the table that we print of the same import.

type Cells = string[][];

/** The markdown tables of a text, with or without bars at their ends; the line below a head is left out. */
function tablesOf(text: string): Cells[] {
  const tables: Cells[] = [];
  let open: Cells = [];
  for (const line of [...text.split('\n'), '']) {
    if (line.includes('|')) {
      const bare = line.trim().replaceAll(/^\||\|$/g, '');
      open.push(bare.split('|').map((cell) => cell.trim()));
      continue;
    }
    if (open.length > 2) tables.push([open[0]!, ...open.slice(2)]);
    open = [];
  }
  return tables;
}

/** All cells of a text's tables that hold digits, without the heads of rows. */
function figures(rows: Cells): string[] {
  return rows.flatMap((row, r) => row.filter((cell, c) => (r > 0 || c > 0) && /^\d[\d.]*$/.test(cell)));
}

const documents = readdirSync(join(fixtures, 'published')).filter((name) => name.endsWith('.md'));

/** Cells of a document's tables, and those of them that our tables do not print in as many places. */
function compared(name: string): { cells: number; missing: string[] } {
  const text = fixture(`published/${name}`);
  const ours = new Map<string, number>();
  for (const sweep of importText(text).sweeps) {
    const shown = reporters.markdown({ ...sweep, schema: 'llmdyno.sweep/1', findings: [] }, { lang: 'zh' });
    for (const rows of tablesOf(shown)) for (const cell of figures(rows)) ours.set(cell, (ours.get(cell) ?? 0) + 1);
  }
  // What stands in fences is a tool's, not the author's.
  const theirs = tablesOf(text.replaceAll(/```[\s\S]*?```/g, '')).flatMap(figures);
  const missing = theirs.filter((cell) => {
    const left = ours.get(cell) ?? 0;
    ours.set(cell, left - 1);
    return left <= 0;
  });
  return { cells: theirs.length, missing };
}

describe("the tables of the documents' authors, cell by cell", () => {
  test.each(documents)('%s: no cell is missing from ours, as often as it stands there', (name) => {
    expect(compared(name).missing).toEqual([]);
  });
  test('there are 405 of them', () => {
    expect(documents.reduce((sum, name) => sum + compared(name).cells, 0)).toBe(405);
  });
});
