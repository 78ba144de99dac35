import { describe, expect, test } from 'vitest';
import { dimensionsOf } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import { lineImporter } from '../index.ts';
import type { Imported } from '../index.ts';
import { meaningOf } from './table-words.ts';

// Documents as people write them: every figure is read, or a line says that it was not.

function read(text: string): Imported {
  const importer = lineImporter('doc.md');
  for (const line of text.split('\n')) importer.line(line);
  return importer.end();
}

function points(text: string): Summary[] {
  return read(text).sweeps.flatMap((sweep) => sweep.points);
}

const told = (text: string, ...names: string[]): unknown[] =>
  points(text).map((point) => names.map((name) => dimensionsOf(point).get(name) ?? null));

describe('one row per point', () => {
  const merged = `| 模型 | 并发 | QPS | 吞吐量 (tokens/s) | 失败率 |
|:-:|-:|-|-|-|
| Qwen2-7B-Chat | 8 | 2.474 | 594.929 | 0% |
| | 16 | 4.649 | 1,119.102 | 0.5% |
| Qwen2-72B-Chat | 8 | 0.474 | 94.929 | 0% |
| | 16 | 0.649 | 119.102 | 0% |`;
  test('the load may stand in any column, and a cell that was merged with the one above is that one', () => {
    expect(told(merged, 'model', 'concurrency')).toEqual([
      ['Qwen2-7B-Chat', 8],
      ['Qwen2-7B-Chat', 16],
      ['Qwen2-72B-Chat', 8],
      ['Qwen2-72B-Chat', 16],
    ]);
    expect(points(merged).map((point) => point.printed['outputTokensPerSec'])).toEqual([
      '594.929',
      '1119.102',
      '94.929',
      '119.102',
    ]);
  });
  test('a column that is not known is named, with its line', () => {
    expect(read(merged).problems).toMatchObject([{ line: 1, zh: '"失败率" 不是已知的指标，已忽略' }]);
  });
  test('two lengths beside each other are what was asked; one alone is what came out', () => {
    const grid = `| 输入长度 | 输出长度 | 吞吐量 |\n|---|---|---|\n| 128 | 256 | 594.9 |\n| 512 | 256 | 514.9 |`;
    expect(told(grid, 'input', 'output')).toEqual([
      [128, 256],
      [512, 256],
    ]);
    expect(points(grid).map((point) => point.outputTokens)).toEqual([null, null]);
    const one = points('| 输出长度 | 吞吐量 |\n|---|---|\n| 166 | 522.06 |');
    expect(one.map((point) => point.outputTokens?.mean)).toEqual([166]);
  });
  test('engines side by side are engines, not names that nobody knows', () => {
    const pair = `| 并发 | vLLM QPS | XInference QPS | vLLM 吞吐量 |\n|---|---|---|---|\n| 8 | 0.970 | 0.783 | 298.860 |`;
    expect(points(pair).map((point) => [point.asked?.engine, point.requestsPerSec, point.outputTokensPerSec])).toEqual([
      ['vLLM', 0.97, 298.86],
      ['XInference', 0.783, null],
    ]);
  });
});

describe('one column per load', () => {
  test('wide digits, words around the load, a share behind a count', () => {
    const wide = `| 指标 | 并发８ | 并发 16 | 32并发 |\n|---|---|---|---|\n| QPS | ２.４７４ | ４．６４９ | 8.273 |\n| 失败数 | 0 (0%) | 3（0.3%） | 5 |`;
    expect(points(wide).map((point) => [point.load.concurrency, point.requestsPerSec, point.counts.failed])).toEqual([
      [8, 2.474, 0],
      [16, 4.649, 3],
      [32, 8.273, 5],
    ]);
    expect(read(wide).problems).toEqual([]);
  });
  test('wide bars, and a table whose line of dashes was lost', () => {
    for (const text of [
      '｜ 指标 ｜ 8 ｜ 16 ｜\n｜ --- ｜ --- ｜ --- ｜\n｜ QPS ｜ 2.474 ｜ 4.649 ｜',
      '| 指标 | 8 | 16 |\n| QPS | 2.474 | 4.649 |',
    ])
      expect(points(text).map((point) => [point.load.concurrency, point.requestsPerSec])).toEqual([
        [8, 2.474],
        [16, 4.649],
      ]);
  });
  test('a row that is not known, and a table of figures of which nothing is known, are named', () => {
    const row = read('| 指标 | 8 | 16 |\n|---|---|---|\n| QPS | 2.474 | 4.649 |\n| GPU 利用率 | 36% | 40% |');
    expect(row.problems).toMatchObject([
      { line: 4, message: '"GPU 利用率" is no figure that is known here: left out' },
    ]);
    const none = read('| 场景 | 甲 | 乙 |\n|---|---|---|\n| 短 | 1.5 | 2.5 |\n| 长 | 3.5 | 4.5 |');
    expect(none.sweeps).toEqual([]);
    expect(none.problems).toMatchObject([
      { line: 1, message: 'a table of figures whose names are not known here was left out: 场景, 甲, 乙' },
    ]);
  });
  test('a table of settings is no table of results', () => {
    expect(read('| 参数名称 | 默认值 | 说明 |\n|---|---|---|\n| A | 0.5 | 阈值 |\n| B | 0 | 开关 |').problems).toEqual(
      [],
    );
  });
});

describe('other tables', () => {
  test('a matrix of one figure over two lengths takes its name from the words above it', () => {
    const text = `### SUS-Chat-34B 吞吐量 (tokens/s)\n\n| 输入\\输出 | 128 | 256 |\n|---|---|---|\n| 100 | 522.1 | 382.1 |\n| 500 | 429.4 | 406.4 |`;
    expect(told(text, 'input', 'output')).toEqual([
      [100, 128],
      [100, 256],
      [500, 128],
      [500, 256],
    ]);
    expect(points(text).map((point) => point.outputTokensPerSec)).toEqual([522.1, 382.1, 429.4, 406.4]);
  });
  test('HTML with cells merged down and across, and a head of two rows', () => {
    const text = `<table><thead>
<tr><th rowspan="2">模型</th><th rowspan="2">并发</th><th colspan="2">vLLM</th></tr>
<tr><th>QPS</th><th>吞吐量</th></tr></thead>
<tr><td rowspan=2><b>Qwen2-7B-Chat</b></td><td>8</td><td>2.474</td><td>594.929</td></tr>
<tr><td>16</td><td>4.649</td><td>1,119.102</td></tr>
</table>`;
    expect(told(text, 'model', 'engine', 'concurrency')).toEqual([
      ['Qwen2-7B-Chat', 'vLLM', 8],
      ['Qwen2-7B-Chat', 'vLLM', 16],
    ]);
    expect(points(text).map((point) => point.outputTokensPerSec)).toEqual([594.929, 1119.102]);
  });
  test('HTML that never ends, or spans without end, is a table all the same', () => {
    expect(points('<table>\n<tr><td>并发</td><td>QPS</td></tr>\n<tr><td>8</td><td>2.5</td></tr>')).toHaveLength(1);
    expect(points(`<table><tr><td colspan="99999999" rowspan="9999999">QPS</td></tr></table>`)).toEqual([]);
  });
});

const block = (load: number, qps: string): string[] => [
  'Benchmarking summary: ',
  ' Expected number of requests: 100',
  ` Number of concurrency: ${load}`,
  ' Total requests: 100',
  ' Succeed requests: 100',
  ' Failed requests: 0',
  ` Average QPS: ${qps}`,
  ' Average latency: 3.900',
  ' Percentile of request latency: ',
  '     p50: 3.2461',
  '     p99: 6.8545',
];

describe('fences', () => {
  test('a block cut in two by a fence is one point with all its figures', () => {
    for (let cut = 2; cut < 11; cut++) {
      const [first, second] = [block(8, '2.000').slice(0, cut), block(8, '2.000').slice(cut)];
      const text = ['```', ...first, '```', '', '（接上）', '', '```', ...second, '```'].join('\n');
      expect(points(text).map((point) => [point.counts.ok, point.requestsPerSec, point.latencyMs?.p99])).toEqual([
        [100, 2, 6854.5],
      ]);
    }
  });
  test('two blocks in fences of their own stay two', () => {
    const text = [8, 16].flatMap((load) => ['```', ...block(load, '2.000'), '```', `并发 ${load * 2}：`]).join('\n');
    expect(points(text).map((point) => point.load.concurrency)).toEqual([8, 16]);
  });
  test('MindIE’s two tables in two fences are one point', () => {
    const text = `\`\`\`
The BenchMark test performance metric result is:
+--------+---------+
| Metric | average |
+--------+---------+
| FirstTokenTime | 64.7768 ms |
| GenerateTime | 12176.1428 ms |
+--------+---------+
\`\`\`
\`\`\`
[2025-03-17 17:32:16.758+08:00] [12089] [28] [benchmark] [INFO] [output.py:121]
The BenchMark test common metric result is:
+--------+---------+
| Common Metric | Value |
+--------+---------+
| TimeElapsed | 10714.4325 s |
| Concurrency | 10 |
+--------+---------+
\`\`\``;
    expect(points(text).map((point) => [point.load.concurrency, point.ttftMs?.mean])).toEqual([[10, 64.7768]]);
  });
  test('a document that begins inside a program, or a fence that lost its end, still has its headings', () => {
    const sections = ['### Qwen-7B-Chat', '', '| 指标 | 8 |', '|---|---|', '| QPS | 2.474 |', ''];
    const begun = [
      "plt.title('失败率')",
      '```',
      '',
      ...sections,
      '```python',
      '# 数据',
      'x = 1',
      '```',
      '',
      ...sections.with(0, '### B-14B'),
    ];
    expect(read(begun.join('\n')).sweeps.map(({ title }) => title)).toEqual(['Qwen-7B-Chat', 'B-14B']);
    const lost = ['```bash', 'ls', '', ...sections, '```bash', 'ls', '```', ...sections.with(0, '### B-14B')];
    expect(read(lost.join('\n')).sweeps.map(({ title }) => title)).toEqual(['Qwen-7B-Chat', 'B-14B']);
  });
});

describe('what is said around a block', () => {
  test('a heading that is only a load opens no section', () => {
    const text = [8, 16].flatMap((load) => [`#### parallel ${load}`, '```', ...block(load, '2.000'), '```']);
    const { sweeps } = read(['### Qwen-7B-Chat', ...text].join('\n'));
    expect(sweeps.map(({ title, points: list }) => [title, list.length])).toEqual([['Qwen-7B-Chat', 2]]);
  });
  test('the command tells how many requests, and which rate, where nothing else does', () => {
    const table =
      '```bash\nevalscope-perf http://127.0.0.1/v1 qwen2.5 \\\n  a.jsonl --parallels 8 \\\n  --parallels 64 --n 1000\n```\n| 指标 | 8 | 64 |\n|---|---|---|\n| 失败数 | 0 | 13 |';
    expect(
      points(table).map(({ load, counts }) => [load.concurrency, counts.planned, counts.failed, counts.ok]),
    ).toEqual([
      [8, 1000, 0, null],
      [64, 1000, 13, null],
    ]);
    const old =
      'python benchmark_serving.py --request-rate 32 --num-prompts 1000\n\nTotal time: 842.46 s\nThroughput: 1.19 requests/s\nAverage latency: 429.69 s';
    expect(points(old).map(({ load, counts }) => [load.ratePerSec, counts.planned])).toEqual([[32, 1000]]);
    expect(read(old).sweeps[0]!.origins.map(({ name, value }) => `${name} ${value}`)).toContain('rate 32');
  });
});

test.each([
  ['TTFT mean (ms)', 'ttftMs.mean', 1],
  ['TTFT (avg) (ms)', 'ttftMs.mean', 1],
  ['Median TTFT (ms)', 'ttftMs.p50', 1],
  ['首Token时延平均值(ms)', 'ttftMs.mean', 1],
  ['最大延迟 (s)', 'latencyMs.max', 1000],
  ['average qps', 'requestsPerSec', 1],
  ['平均输出长度', 'outputTokens.mean', 1],
])('a statistic stands before its word or behind it: %s', (cell, key, scale) => {
  expect(meaningOf(cell)).toMatchObject({ key, scale });
});

test.each(['mean', 'maximum', 'max concurrency'])('%s names no figure', (cell) => {
  expect(meaningOf(cell)).toBeNull();
});
