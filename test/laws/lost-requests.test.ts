import { describe, expect, test } from 'vitest';
import { auditPoints } from '../../src/results/audit/index.ts';
import type { Sweep } from '../../src/core/index.ts';
import { htmlReport } from '../../src/results/report/html/html-report.ts';
import { comparisonFigure } from '../../src/results/report/index.ts';
import { reporters } from '../../src/lab/index.ts';
import { fixture, importText } from '../imported.ts';

// The published 72B sweep lost 3, 13 and 22 of 100 requests at its last points; its tool says 0, 2 and 18 failed.
const text = fixture('published/evalscope-atlas-800i-a2.md');
const sweep: Sweep = {
  ...importText(text).sweeps.find(({ title }) => title.startsWith('Qwen2-72B'))!,
  schema: 'llmdyno.sweep/1',
  findings: [],
};
const failed = ['0', '0', '0', '0', '2', '18'];
const lost = ['0', '0', '0', '3', '13', '22'];
const together = ['0', '0', '0', '3', '15', '40'];

describe('requests that were lost are told where failures are read', () => {
  test.each([
    ['en', 'Failed', 'unaccounted', 'failed or lost'],
    ['zh', '失败数', '去向不明', '失败合计（含丢失）'],
  ] as const)('markdown, %s', (lang, one, two, three) => {
    const table = reporters.markdown(sweep, { lang });
    expect(table).toContain(`| ${one} | ${failed.join(' | ')} |`);
    expect(table).toContain(`| ${two} | ${lost.join(' | ')} |`);
    expect(table).toContain(`| ${three} | ${together.join(' | ')} |`);
  });
  test('text: a column for each, and none of them in a sweep that lost nothing', () => {
    const rows = reporters
      .text(sweep, { lang: 'en' })
      .split('\n')
      .filter((line) => /^(?:8|12|20|30|40|50)!? /.test(line));
    expect(rows.map((row) => row.trim().split(/ {2,}/).slice(2, 5))).toEqual(
      failed.map((count, i) => [count, lost[i], together[i]]),
    );
    const whole = { ...sweep, points: sweep.points.slice(0, 3) };
    expect(reporters.text(whole, { lang: 'zh' })).not.toContain('去向不明');
  });
  test('csv: the last column of counts', () => {
    const [head, ...rows] = reporters.csv(sweep, { lang: 'en' }).trim().split('\r\n');
    const at = head!.split(',').indexOf('failedOrLost');
    expect(rows.map((row) => row.split(',')[at])).toEqual(together);
  });
  test('side by side, in the table and in the picture', () => {
    expect(reporters.text([sweep, sweep], { lang: 'en' })).toMatch(/failed or lost +50 +40 +40/);
    const panel = comparisonFigure([sweep, sweep]).panels.at(-1)!;
    expect(panel.title).toEqual({ en: 'Failed or lost requests', zh: '失败数（含丢失）' });
    expect(panel.kind === 'lines' && panel.series[0]!.points.map(({ y }) => String(y))).toEqual(together);
  });
  test('the page', () => {
    const page = htmlReport({
      title: 'x',
      sweeps: [sweep],
      figures: [],
      environment: [],
      repeat: { command: null, plan: null },
      lang: 'zh',
      script: { code: '', sha256: '' },
      by: '',
    });
    expect(page).toContain('失败合计（含丢失）');
  });
});

test('a table of a document whose "failed" counts the lost ones agrees with its log', () => {
  const heading = '### Qwen2-72B-Chat (long.jsonl)\n';
  const table = `\n| 指标 | 8 | 12 | 20 | 30 | 40 | 50 |\n| --- | --- | --- | --- | --- | --- | --- |\n| 失败 | ${together.join(' | ')} |\n\n`;
  const codes = (document: string): string[] =>
    importText(document)
      .sweeps.filter(({ title }) => title.startsWith('Qwen2-72B'))
      .flatMap(({ points }) => auditPoints(points).points.flatMap(({ findings }) => findings.map(({ code }) => code)));
  expect(codes(text.replace(heading, heading + table))).not.toContain('table-disagrees');
  expect(codes(text.replace(heading, heading + table.replace('| 40 |\n\n', '| 41 |\n\n')))).toContain(
    'table-disagrees',
  );
});

test('markdown of a streamed run has its first token and the time between tokens, in the digits of its source', () => {
  const [atb] = importText(fixture('published/mindie-qwq-32b.md')).sweeps;
  const table = reporters.markdown({ ...atb!, schema: 'llmdyno.sweep/1', findings: [] }, { lang: 'en' });
  expect(table).toContain('| TTFT (ms) | 64.7768 | 72.0491 |');
  expect(table).toContain('| ITL p99 (ms) | 63.7563 | 63.4426 |');
  expect(reporters.markdown(sweep, { lang: 'en' })).not.toContain('TTFT');
});
