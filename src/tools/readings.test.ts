import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtures, importText } from '../../test/imported.ts';
import { importCsv, importJson, importSqlite, joinFiles, sniff } from './index.ts';
import type { Imported } from './index.ts';

function readFile(name: string): Imported {
  const bytes = readFileSync(join(fixtures, name));
  const kind = sniff(bytes, name);
  if (kind === 'sqlite') return joinFiles([importSqlite(bytes, name)]);
  if (kind === 'csv') return joinFiles([importCsv(bytes.toString(), name)]);
  if (kind === 'json') return joinFiles([importJson(bytes.toString(), name)]);
  return importText(bytes.toString(), name);
}

/** What is known, in one line, numbers in six digits. */
function known(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(6));
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== null && JSON.stringify(one) !== '{}');
  return Object.fromEntries(kept.map(([key, one]) => [key, known(one)]));
}

/** What is the same of every point, or told in lines of its own. */
const apart = new Set(['schema', 'runId', 'verdict', 'source', 'printed', 'printedLines', 'alsoPrinted']);

const files = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(json|jsonl|csv|log|txt|md|db)$/.test(name) && !/README|golden/.test(name))
  .toSorted();

test('every file that a tool wrote is read as agreed', async () => {
  const lines = files.flatMap((name) => {
    const { sweeps, problems } = readFile(name);
    const told = sweeps.flatMap(({ points, requests, ...sweep }) => [
      `## ${JSON.stringify(known({ ...sweep, requests: requests.map((list) => [list.length, list[0], list.at(-1)]) }))}`,
      ...points.flatMap((point) => {
        const { source, printed, printedLines, alsoPrinted = [] } = point;
        const figures = Object.fromEntries(Object.entries(point).filter(([key]) => !apart.has(key)));
        const digits = Object.entries(printed).map(([key, said]) => `${said} at ${printedLines?.[key]}: ${key}`);
        return [
          JSON.stringify(known({ ...figures, block: source.block?.split('\n').length })),
          ...alsoPrinted
            .slice(0, 3)
            .map(({ key, digits: said, line, where }) => `  ${said} at ${line}: ${key} (${where})`),
          `  ${digits.slice(0, 3).join(', ')}`,
        ];
      }),
    ]);
    return [`# ${name}`, ...problems.map((problem) => JSON.stringify(problem)), ...told];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../test/fixtures/import/readings.golden.txt');
});
