import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Comparison } from '../../src/results/measure/index.ts';
import { dyno, emptyFolder, engine } from './dyno.ts';
import type { Done, Engine } from './dyno.ts';

let server: Engine;
let store: string;
const inStore = (...args: string[]): Promise<Done> => dyno([...args, '--store', store]);
const hostile = '=cmd|calc <b>';

beforeAll(async () => {
  store = await emptyFolder();
  server = await engine(['--speed', '20']);
  const load = ['--max-tokens', '8', '--ignore-eos', '--lenient', '--quiet'];
  await inStore('run', server.url, ...load, '-n', '50', '--concurrency', '4', '--label', 'before');
  await inStore('run', server.url, ...load, '-n', '50', '--concurrency', '4', '--label', 'after');
  await inStore('sweep', server.url, ...load, '-n', '30', '--concurrency', '2,4', '--label', hostile);
});
afterAll(() => server.stop());

describe('dyno report writes files', () => {
  test('without --out into the folder of the result, and says where', async () => {
    const { out, code } = await inStore('report', hostile, '--as', 'png');
    expect(code).toBe(0);
    expect(out.trim()).toMatch(/report\.png$/);
    expect(readFileSync(out.trim()).subarray(1, 4).toString()).toBe('PNG');
  });
  test('parquet holds a row per request, read by another program', async () => {
    const file = join(store, 'requests.parquet');
    await inStore('report', 'before', '--as', 'parquet', '--out', file);
    const bytes = readFileSync(file);
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
    });
    const folder = readdirSync(store).find((name) => name.endsWith('before'))!;
    const lines = readFileSync(join(store, folder, 'exchanges.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    const first = JSON.parse(lines[0]!) as { seq: number; endMs: number };
    expect(rows).toHaveLength(lines.length);
    expect(rows[0]).toMatchObject({
      seq: first.seq,
      endMs: first.endMs,
      outcome: 'ok',
      outputTokens: 8,
      problem: null,
    });
  });
  test('parquet of a sweep is a mistake that says what to do', async () => {
    const { code, err } = await inStore('report', hostile, '--as', 'parquet');
    expect([code, /SWEEP\/RUN/.test(err)]).toEqual([2, true]);
  });
  test('xlsx is a sound archive whose cells of strangers are text', async () => {
    const file = join(store, 'x.xlsx');
    await inStore('report', hostile, '--as', 'xlsx', '--out', file);
    // Python's zipfile checks every check sum; its XML parser checks the parts.
    const script = `import sys,zipfile,xml.dom.minidom as m
z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
[m.parseString(z.read(n)) for n in z.namelist()]
s=z.read('xl/worksheets/sheet1.xml').decode(); print(s.count('<row '), '<f>' in s, '&lt;b&gt;' in s)`;
    expect(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' })).toBe('3 False True\n');
  });
  test('the points of an xlsx have charts over the load, a line a sweep, of the cells themselves', async () => {
    const file = join(store, 'charts.xlsx');
    await inStore('report', hostile, '--as', 'xlsx', '--out', file);
    const script = `import sys,zipfile,re
z=zipfile.ZipFile(sys.argv[1]); c=z.read('xl/charts/chart1.xml').decode()
print(re.findall('<c:f>(.*?)</c:f>',c), [n for n in z.namelist() if 'chart' in n or 'drawing' in n], 'drawing r:id' in z.read('xl/worksheets/sheet1.xml').decode())`;
    const told = execFileSync('python3', ['-c', script, file], { encoding: 'utf8' });
    expect(told).toContain('&#39;points&#39;!$D$2:$D$3');
    expect(told).toContain("'xl/charts/chart1.xml'");
    expect(told).toMatch(/True\n$/);
  });
  test('junit is XML with a case per point', async () => {
    const { out } = await inStore('report', hostile, '--as', 'junit');
    expect(out).toMatch(/<testsuite name="=cmd\|calc &lt;b&gt;" tests="2" failures="\d" /);
  });
  test('svg is text in the language asked for', async () => {
    const file = join(store, 's.svg');
    await inStore('report', hostile, '--as', 'svg', '--out', file, '--lang', 'zh');
    expect(readFileSync(file, 'utf8')).toContain('吞吐量');
  });
  test('a folder that does not exist is told, and nothing half-written stays', async () => {
    const { code, err } = await inStore('report', hostile, '--as', 'svg', '--out', join(store, 'no', 'x.svg'));
    expect([code, /--out/.test(err)]).toEqual([2, true]);
    expect(readdirSync(store).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('dyno compare', () => {
  const compare = async (...args: string[]): Promise<Comparison> =>
    JSON.parse((await inStore('compare', ...args, '--json', '--lenient')).out) as Comparison;

  test('its JSON has the keys of the contract', async () => {
    const comparison = await compare('before', 'after');
    expect(comparison.schema).toBe('llmdyno.compare/1');
    expect(comparison.runs).toHaveLength(2);
    const tokens = comparison.metrics.find(({ metric }) => metric === 'outputTokensPerSec')!;
    expect(Object.keys(tokens)).toEqual(
      expect.arrayContaining(['metric', 'values', 'changeRatio', 'interval', 'significant']),
    );
    expect(tokens.changeRatio!).toBeCloseTo(tokens.values[1]! / tokens.values[0]! - 1, 9);
  });
  test('a run compared with itself differs in nothing, and a gate passes', async () => {
    const { code, out } = await inStore(
      'compare',
      'before',
      'before',
      '--fail-if',
      'outputTokensPerSec<-5%',
      '--fail-if',
      'latency.p90>5%',
      '--json',
      '--lenient',
    );
    expect(code).toBe(0);
    for (const { changeRatio, significant } of (JSON.parse(out) as Comparison).metrics)
      expect([changeRatio === null || changeRatio === 0, significant]).toEqual([true, false]);
  });
  test('a limit on the candidate that is broken is told, and --lenient lets it pass', async () => {
    const { code, out } = await inStore('compare', 'before', 'after', '--fail-if', 'latency.mean>1ms', '--lenient');
    expect(code).toBe(0);
    expect(out).toMatch(/FAILED: latency\.mean>1ms/);
  });
  test('another load is told, and a gate on it does not look green', async () => {
    await inStore(
      'run',
      server.url,
      '--max-tokens',
      '8',
      '--ignore-eos',
      '--lenient',
      '--quiet',
      '-n',
      '30',
      '--concurrency',
      '2',
      '--label',
      'other load',
    );
    const { code, out } = await inStore(
      'compare',
      'before',
      'other load',
      '--fail-if',
      'outputTokensPerSec<-99%',
      '--json',
    );
    const { comparable, findings } = JSON.parse(out) as Comparison;
    expect([code, comparable, findings.some(({ code: name }) => name === 'settings-differ')]).toEqual([5, false, true]);
  });
  test('--baseline turns it round', async () => {
    const { runs, baseline } = await compare('before', 'after', '--baseline', 'after');
    expect(runs[0]).toBe(baseline);
    expect(runs[0]).toMatch(/after$/);
  });
  test('a condition that cannot be read, a single run, an unknown form: exit code 2 and a word about it', async () => {
    for (const args of [['before', 'after', '--fail-if', 'speed<-5%'], ['before'], ['before', 'after', '--as', 'pdf']])
      expect((await inStore('compare', ...args)).code).toBe(2);
  });
  test('has every form that a report has, or says where it is to be had', async () => {
    const form = (...words: string[]): Promise<Done> =>
      inStore('compare', 'before', 'after', '--lenient', '--as', ...words);
    const csv = (await form('csv')).out.trimEnd().split('\r\n');
    expect(csv[0]).toBe(
      'point,metric,baseline,baselineValue,candidate,candidateValue,changeRatio,intervalFrom,intervalTo,comparable,verdict',
    );
    expect(csv.find((line) => line.includes('ttft.p99'))).toMatch(/^4,ttft\.p99,before,[\d.]+,after,[\d.]+,/);
    const { out: junit } = await form('junit', '--fail-if', 'outputTokensPerSec<-99%', '--slo', 'ttft.p99<1ms');
    expect(junit).toMatch(/name="after: outputTokensPerSec&lt;-99% at 4"/);
    expect(junit).toMatch(/<failure type="slo" message="ttft.p99 [\d.,]+ ms &gt; 1 ms: BROKEN"\/>/);
    for (const words of ['parquet', 'evalscope']) {
      const { code, err } = await form(words);
      expect([code, err]).toEqual([2, expect.stringContaining(`dyno report RUN --as ${words}`)]);
    }
    const file = join(store, 'pair.xlsx');
    await form('xlsx', '--out', file);
    const script = `import sys,zipfile
z=zipfile.ZipFile(sys.argv[1]); s=z.read('xl/worksheets/sheet1.xml').decode()
print('TTFT p99 (ms)' in s, '<autoFilter ref="A1:I' in s, s.count('<col '), z.read('xl/workbook.xml').decode().count('<sheet '))`;
    expect(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' })).toBe('True True 9 4\n');
  });
  test('markdown is a table for a job summary', async () => {
    const { out } = await inStore('compare', 'before', 'after', '--as', 'markdown', '--lenient');
    expect(out).toMatch(
      /^### before vs after\n\n\*\*.+\*\*\n\n- A: before \(baseline\) · .*50 requests.*\n- B: after · .*4 at once/,
    );
    expect(out).toMatch(/^\| 4 \| TTFT p99 \(ms\) \|/m);
    expect(out).toMatch(
      /\| load \| metric \| A before \| B after \| change \| 95 % interval \| verdict \|\n\| --- \| --- \| ---: \|/,
    );
  });
});

describe('the two comparisons of a published document, typed in, one command each', () => {
  const folder = join(import.meta.dirname, '../../examples/comparisons');
  test.each([
    ['t4-vllm-vs-xinference.md', ['vLLM (T4 4×16G)', 'XInference(vLLM) (T4 4×16G)'], 11, [0.97, 0.783]],
    ['mindie-910b4-vs-vllm-t4.md', ['MindIE (910B4 8×32G)', 'vLLM (T4 4×16G)'], 9, [2.474, 0.97]],
  ])('%s', async (name, names, shared, first) => {
    const document = join(folder, name);
    const picture = join(store, 'pair.png');
    expect((await inStore('compare', document, '--as', 'png', '--lang', 'zh', '--out', picture)).code).toBe(0);
    expect(statSync(picture).size).toBeGreaterThan(50_000);
    const comparison = await compareDocument(document);
    expect(comparison.names).toEqual(names);
    const rows = comparison.metrics.filter(({ metric }) => metric === 'requestsPerSec');
    expect(rows).toHaveLength(shared);
    expect(rows[0]!.values).toEqual(first);
    expect(comparison.findings.map(({ code }) => code)).toContain('no-interval');
  });
  const compareDocument = async (document: string): Promise<Comparison> =>
    JSON.parse((await inStore('compare', document, '--json')).out) as Comparison;
});

test('a million-column attack and a missing file are told, not crashed on', async () => {
  const file = join(store, 'wide.md');
  writeFileSync(file, `| 指标 |${' 8 |'.repeat(5000)}\n|${' --- |'.repeat(5001)}\n| QPS |${' 1 |'.repeat(5000)}\n`);
  const { code } = await inStore('compare', file, '--as', 'svg', '--out', join(store, 'wide.svg'));
  expect([0, 2]).toContain(code);
  expect((await inStore('report', join(store, 'gone.md'))).code).toBe(2);
  expect(existsSync(join(store, 'gone.md'))).toBe(false);
});
