import { describe, expect, test } from 'vitest';
import { lineImporter } from '../index.ts';
import type { Imported } from '../index.ts';

function read(text: string, file = 'doc.md'): Imported {
  const importer = lineImporter(file);
  for (const line of text.split('\n')) importer.line(line);
  return importer.end();
}

const block = (qps = '2.000', concurrency = '8'): string =>
  ` Time taken for tests: 50.000 seconds\n Expected number of requests: 100\n Number of concurrency: ${concurrency}\n Total requests: 100\n Succeed requests: 100\n Failed requests: 0\n Average QPS: ${qps}\n Average latency: 3.900`;

describe('malformed blocks', () => {
  test('are reported with their line, and the rest is imported', () => {
    const { sweeps, problems } = read(
      `# one\n\nBenchmarking summary: \n${block('2.0x0')}\n\n# two\nBenchmarking summary: \n\n# three\nBenchmarking summary: \n${block()}\n`,
    );
    expect(problems.map((problem) => [problem.line, problem.message])).toEqual([
      [10, 'requestsPerSec: not a usable number: "2.0x0"'],
      [14, 'Benchmarking summary without figures'],
    ]);
    expect(sweeps.map((sweep) => [sweep.title, sweep.points[0]!.requestsPerSec])).toEqual([
      ['one', null],
      ['three', 2],
    ]);
  });
  test('a row with a cell too few is left out: its figures cannot be told apart', () => {
    const { sweeps, problems } = read('| 指标 | 8 | 16 |\n| --- | --- | --- |\n| QPS | 1.0 | 2.0 |\n| 延迟 | 3.0 |\n');
    expect(sweeps[0]!.points.map((point) => [point.requestsPerSec, point.latencyMs])).toEqual([
      [1, null],
      [2, null],
    ]);
    expect(problems.map((problem) => problem.line)).toEqual([4]);
  });
  test('a table too long to be one says where it was cut', () => {
    const rows = Array.from({ length: 6000 }, (_, i) => `| ${i + 1} | 2 |\n`).join('');
    const { sweeps, problems } = read(`| Concurrency | QPS |\n|---|---|\n${rows}`);
    expect(sweeps[0]!.points).toHaveLength(5000);
    expect(problems).toMatchObject([{ line: 5003, message: 'the table is too long: the rest is left out' }]);
  });
  test('NaN, infinities, 1e308 and negative times are no figures', () => {
    const { sweeps, problems } = read(
      '| 指标 | 8 | 16 | 32 | 64 |\n|---|---|---|---|---|\n| QPS | NaN | inf | 1e308 | -2 |\n| 延迟 | 1 | 2 | 3 | 4 |',
    );
    expect(sweeps[0]!.points.map((point) => point.requestsPerSec)).toEqual([null, null, null, null]);
    expect(problems).toHaveLength(4);
  });
});

describe('hostile documents', () => {
  test('names are made printable, keys stay out of prototypes, paths do not lead anywhere', () => {
    const { sweeps } = read(
      `# <script>alert(1)</script> \u001b[31m__proto__\u0000 ../../x\nBenchmarking summary: \n${block()}\n __proto__: 5\n constructor: 6\n`,
      '../../../etc/passwd',
    );
    const [sweep] = sweeps;
    expect(sweep!.title).toBe('<script>alert(1)</script> __proto__  ../../x');
    expect(sweep!.id).toMatch(/^import-[a-z0-9-]+$/);
    expect(sweep!.points[0]!.source.file).toBe('passwd');
    expect(Object.keys(sweep!.points[0]!.printed)).not.toContain('__proto__');
    expect(({} as Record<string, unknown>)['5']).toBeUndefined();
  });
  test('a line of a megabyte, a table of ten thousand rows and a heading of a megabyte do not matter', () => {
    const wide = `|${' 1 |'.repeat(2000)}`;
    const { sweeps } = read(
      [
        `# ${'x'.repeat(90_000)}`,
        'a'.repeat(1_000_000),
        wide,
        ...Array.from({ length: 10_000 }, () => '| a | b |'),
        '',
        'Benchmarking summary: ',
        block(),
      ].join('\n'),
    );
    expect(sweeps).toHaveLength(1);
    expect(sweeps[0]!.title.length).toBeLessThanOrEqual(200);
  });
  test('no regular expression runs away on long lines of one character', () => {
    for (const char of ['|', '-', '=', ' ', '#', '`', ':', '[', '(', '1', '*']) read(char.repeat(99_000));
    read(`${'Namespace('.repeat(2000)})`);
    read(`Namespace(${"model='".repeat(2500)})`);
  });
  test('points are bounded: a file of nothing but blocks ends with a problem, not with the memory', () => {
    const importer = lineImporter('many.log');
    for (let n = 0; n < 20_500; n++)
      for (const line of [
        'Benchmarking summary: ',
        ' Succeed requests: 1',
        ' Average QPS: 1.000',
        ' Average latency: 1.000',
      ])
        importer.line(line);
    const { sweeps, problems } = importer.end();
    expect(sweeps[0]!.points.length).toBeLessThanOrEqual(20_001);
    expect(problems.map((problem) => problem.message)).toContain(
      'more than 20000 load tests: the rest is not imported',
    );
  });
});

describe('what is and is not data', () => {
  test('blocks count wherever they stand, in a fence of any shell or none; program code never does', () => {
    const fenced = (language: string): number =>
      read(`\`\`\`${language}\nBenchmarking summary: \n${block()}\n\`\`\``).sweeps.length;
    expect(['', 'bash', 'shell', 'text', 'console'].map(fenced)).toEqual([1, 1, 1, 1, 1]);
    expect(['python', 'json', 'js', 'yaml'].map(fenced)).toEqual([0, 0, 0, 0]);
  });
  test('a quoted block is a block', () => {
    expect(
      read(`> Benchmarking summary: \n${block().replaceAll(/^/gm, '> ')}`).sweeps[0]!.points[0]!.requestsPerSec,
    ).toBe(2);
  });
  test('a table of settings gives no points', () => {
    expect(read('| 参数 | 取值 |\n| --- | --- |\n| NPU显存 | 17 |\n| cacheBlockSize | 128 |').sweeps).toEqual([]);
    expect(
      read('| 参数名称 | 默认值 | 说明 |\n| --- | --- | --- |\n| MIES_USE_MB_SWAPPER | 0 | 开启 |').sweeps,
    ).toEqual([]);
  });
  test('rows as points, with the unit in the header', () => {
    const { sweeps } = read(
      '| Concurrency | QPS | Latency (ms) | P99 (ms) | Failed |\n|---|---|---|---|---|\n| 4 | 1.5 | 250 | 900 | 0 |\n| **8** | `2.5` | 300 | 1200 | 3 |',
    );
    expect(
      sweeps[0]!.points.map((point) => [
        point.load.concurrency,
        point.requestsPerSec,
        point.latencyMs!.mean,
        point.latencyMs!.p99,
        point.counts.failed,
      ]),
    ).toEqual([
      [4, 1.5, 250, 900, 0],
      [8, 2.5, 300, 1200, 3],
    ]);
  });
  test('headings of the same name are told apart by the ones above them', () => {
    const section = (name: string): string => `## ${name}\n### Qwen\nBenchmarking summary: \n${block()}\n`;
    expect(read(`# Tests\n${section('vLLM')}${section('MindIE')}`).sweeps.map((sweep) => sweep.title)).toEqual([
      'vLLM / Qwen',
      'MindIE / Qwen',
    ]);
  });
  test('the list item above a block is a second mention of its concurrency', () => {
    const { sweeps } = read(`- parallel 16\n\`\`\`\nBenchmarking summary: \n${block()}\n\`\`\``);
    expect(sweeps[0]!.points[0]!.alsoPrinted).toEqual([
      { key: 'load.concurrency', digits: '16', line: 1, where: 'heading' },
    ]);
  });
  test('importing the same text twice gives the same ids', () => {
    const text = `# a\nBenchmarking summary: \n${block()}`;
    expect(read(text, '/x/doc.md').sweeps[0]!.id).toBe(read(text, 'doc.md').sweeps[0]!.id);
  });
});
