import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Summary } from '../../src/core/index.ts';
import { fixture, fixtures } from '../imported.ts';
import { dyno, emptyFolder } from './dyno.ts';
import type { Done } from './dyno.ts';

interface ImportDocument {
  schema: string;
  sweeps: { id: string; title: string; file: string; points: Summary[] }[];
  problems: { file: string; line: number; message: string }[];
}
interface AuditDocument {
  schema: string;
  points: {
    title: string;
    concurrency: number | null;
    status: string;
    findings: { code: string; severity: string }[];
    repaired: Record<string, number> | null;
  }[];
  sweepFindings: { code: string }[];
}

const published = join(fixtures, 'published/evalscope-atlas-800i-a2.md');
let store: string;
const inStore = (...args: string[]): Promise<Done> => dyno([...args, '--store', store]);

beforeAll(async () => {
  store = await emptyFolder();
});

describe('dyno import, then report and audit by id', () => {
  test('a published document goes in and its own table comes out', async () => {
    const imported = await inStore('import', published, '--json');
    expect(imported.code).toBe(0);
    const document = JSON.parse(imported.out) as ImportDocument;
    expect(document.schema).toBe('llmdyno.import/1');
    expect(document.problems).toEqual([]);
    expect(document.sweeps.map((sweep) => [sweep.title, sweep.points.length])).toEqual([
      ['Qwen1.5-7B-Chat', 12],
      ['Qwen1.5-7B-Chat (long.jsonl)', 4],
      ['Qwen1.5-14B-Chat', 9],
      ['Qwen2-72B-Chat (long.jsonl)', 6],
    ]);
    const schema = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../schemas/summary.schema.json'), 'utf8'),
    ) as object;
    // A pattern says what the format (date-time) says.
    const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
    const fits = ajv.compile(schema);
    const tables = JSON.parse(
      (await inStore('import', join(fixtures, 'published/evalscope-mxc500.md'), '--json', '--no-save')).out,
    ) as ImportDocument;
    for (const point of [...document.sweeps, ...tables.sweeps].flatMap((sweep) => sweep.points)) {
      fits(point);
      expect(fits.errors ?? []).toEqual([]);
    }
    const table = await inStore('report', document.sweeps[0]!.id, '--as', 'markdown', '--lang', 'zh');
    const rows = fixture('published/evalscope-atlas-800i-a2.md')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(0, 8);
    for (const row of rows) expect(table.out.split('\n')).toContain(row);
  });
  test('importing again keeps it once', async () => {
    await inStore('import', published);
    expect(readdirSync(store)).toHaveLength(4);
  });
  test('audit by title, by file, in both languages', async () => {
    const byTitle = await inStore('audit', 'Qwen1.5-14B-Chat', '--json');
    const document = JSON.parse(byTitle.out) as AuditDocument;
    expect(byTitle.code).toBe(5);
    expect(document.schema).toBe('llmdyno.audit/1');
    expect(document.points.map((point) => [point.concurrency, point.status])).toEqual([
      [8, 'repairable'],
      [16, 'repairable'],
      [32, 'unusable'],
      [64, 'repairable'],
      [128, 'unusable'],
      [150, 'repairable'],
      [200, 'repairable'],
      [256, 'repairable'],
      [512, 'repairable'],
    ]);
    expect(document.points[0]!.repaired!['requestsPerSec']).toBeCloseTo(2.1417, 4);
    const byFile = await inStore('audit', published, '--json', '--lenient');
    expect(byFile.code).toBe(0);
    expect((JSON.parse(byFile.out) as AuditDocument).points).toHaveLength(31);
    const zh = await inStore('audit', 'Qwen1.5-14B-Chat', '--lang', 'zh');
    expect(zh.out).toContain('可修正');
    expect(zh.out).toContain('挂起直到超时');
  });
  test('a folder of result files is put together', async () => {
    const done = await dyno([
      'import',
      join(fixtures, 'evalscope/parallel_3_number_24'),
      '--json',
      '--no-save',
      '--store',
      await emptyFolder(),
    ]);
    const { sweeps, problems } = JSON.parse(done.out) as ImportDocument;
    expect(problems).toEqual([]);
    expect(sweeps.map((sweep) => sweep.points.length)).toEqual([1]);
    expect(sweeps[0]!.points[0]).toMatchObject({ model: 'qwen1.5-7b-chat', counts: { ok: 24 } });
  });
});

describe('files that are no results', () => {
  test('a missing file is a mistake of the user', async () => {
    const done = await inStore('import', '/no/such/file.md');
    expect(done.code).toBe(2);
    expect(done.err).toContain('/no/such/file.md');
  });
  test('a compressed file is named and not unpacked; nothing imported is exit 2', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'bomb.log.gz');
    writeFileSync(file, gzipSync(Buffer.alloc(50_000_000)));
    const done = await inStore('import', file, '--json');
    expect(done.code).toBe(2);
    expect(JSON.parse(done.out)).toMatchObject({
      sweeps: [],
      problems: [{ file, line: 0, message: 'is compressed: unpack it first' }],
    });
  });
  test('a hostile document does no harm: names stay names, figures stay figures', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'x.md');
    writeFileSync(
      file,
      '# <img src=x onerror=alert(1)> ../../../tmp/evil\u0007\n\nBenchmarking summary: \n Time taken for tests: 1e308 seconds\n Number of concurrency: NaN\n Succeed requests: 10\n Average QPS: 2.000\n Average latency: 1.000\n __proto__: 1\n',
    );
    const target = await emptyFolder();
    const done = await dyno(['import', file, '--json', '--store', target]);
    const { sweeps, problems } = JSON.parse(done.out) as ImportDocument;
    expect(problems.map((problem) => problem.line)).toEqual([4, 5]);
    expect(sweeps[0]!.points[0]).toMatchObject({ durationMs: null, load: { concurrency: null }, requestsPerSec: 2 });
    expect(readdirSync(target)).toEqual([sweeps[0]!.id]);
    const report = await dyno(['report', sweeps[0]!.id, '--as', 'markdown', '--store', target]);
    expect(report.out).not.toContain('<img');
  });
});
