import { expect, test } from 'vitest';
import { summaryOf } from '../../../test/fixtures/store/runs.ts';
import type { ClientHealth, WorkerShareFacts } from '../../core/index.ts';
import { asSweep, workersMarkdown, workersText } from './index.ts';
import { workersHtml } from './worker-table.ts';

const health: ClientHealth = {
  loopDelayP50Ms: 1,
  loopDelayP99Ms: 2.25,
  loopDelayMaxMs: 3,
  cpuRatio: 0.4,
  threads: 1,
  connectionsOpened: 10,
  connectionsReused: 90,
  rssMaxBytes: 1e8,
};
const rack: WorkerShareFacts = {
  name: 'rack-1',
  host: 'h1',
  labels: {},
  state: 'stayed',
  exchanges: 75,
  lostAsks: 0,
  lateExchanges: 0,
  bufferedMost: 3,
  clockErrorMs: 0.125,
  clockDriftMs: -0.5,
  health,
};
/** One that died before it told of its health, written down by a version that did not count outcomes. */
const dead: WorkerShareFacts = {
  ...rack,
  name: 'b|<b>',
  state: 'lost',
  exchanges: 25,
  lostAsks: 4,
  clockDriftMs: null,
  health: null,
};
const alone = asSweep(summaryOf([]));
const many = asSweep(summaryOf([], { workers: [{ ...rack, ok: 74, failed: 1 }, dead] }));

test('a row per machine: share, outcomes, health, clock; what is not known is a dash', () => {
  const lines = workersText([many], { lang: 'en' }).split('\n');
  const cells = (name: string): string[] => lines.find((line) => line.startsWith(name))!.split(/ {2,}/);
  expect(cells('rack-1')).toEqual(['rack-1', 'stayed', '75.0 %', '74', '1', '0', '40.0 %', '2.3', '0.13', '-0.50']);
  expect(cells('b|')).toEqual(['b|<b>', 'lost', '25.0 %', '–', '–', '4', '–', '–', '0.13', '–']);
});

test('labels stand beside the name', () => {
  const labelled = asSweep(summaryOf([], { workers: [{ ...rack, labels: { site: 'a', rack: '7' } }] }));
  expect(workersText([labelled], { lang: 'en' })).toMatch(/^rack-1 \(site=a, rack=7\) {2,}stayed/m);
});

test('in Chinese, in markdown and on a page; names of strangers are no markup', () => {
  expect(workersText([many], { lang: 'zh' })).toMatch(/份额[\s\S]*rack-1 +在线[\s\S]*丢失/);
  const markdown = workersMarkdown([many], { lang: 'en' });
  expect(markdown).toContain('| rack-1 | stayed | 75.0 % | 74 | 1 | 0 |');
  expect(markdown).toContain('| b\\|&lt;b&gt; | lost |');
  expect(workersHtml([many])).toContain('b|&lt;b&gt;');
  expect(workersHtml([many])).not.toContain('<b>');
});

test('one machine: no table', () => {
  expect([
    workersText([alone], { lang: 'en' }),
    workersMarkdown([alone], { lang: 'en' }),
    workersHtml([alone]),
  ]).toEqual(['', '', null]);
});

test('the points of a sweep are told apart by their load', () => {
  const text = workersText([{ ...many, points: [many.points[0]!, many.points[0]!] }], { lang: 'en' });
  expect(text.match(/: rack-1 /g)).toHaveLength(2);
});
