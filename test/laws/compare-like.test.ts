import { describe, expect, test } from 'vitest';
import { auditedComparison } from '../../src/results/audit/index.ts';
import type { Summary } from '../../src/core/index.ts';

import type { ComparedSweep, Comparison } from '../../src/results/measure/index.ts';
import { comparisonIn, comparisonScreen } from '../../src/results/report/index.ts';
import { fixture, importText } from '../imported.ts';

function side(name: string, points: readonly Summary[]): ComparedSweep {
  return {
    id: name,
    name,
    points: points.map((summary) => ({ id: summary.runId, name, summary, plan: null, slices: null })),
  };
}

const compared = (...sides: ComparedSweep[]): Comparison => auditedComparison(sides, []);
const pointsOf = (file: string, title: string): readonly Summary[] =>
  importText(fixture(file)).sweeps.find((sweep) => sweep.title.includes(title))!.points;

const atb = pointsOf('published/mindie-qwq-32b.md', 'ATB');
const [, short] = atb as [Summary, Summary];
const point = (concurrency: number, more: Partial<Summary> = {}): Summary => ({
  ...short,
  runId: `${concurrency}-${JSON.stringify(more.asked ?? '')}`,
  load: { ...short.load, concurrency },
  ...more,
});
const rates = ({ metrics }: Comparison): (string | number | null)[] =>
  metrics.filter(({ metric }) => metric === 'requestsPerSec').map(({ place, load }) => place ?? load);
const finding = (comparison: Comparison, code: string) => comparison.findings.find((one) => one.code === code);

describe('like is compared with like', () => {
  test('two runs of one concurrency find the run of as many requests, whichever comes first', () => {
    const one = side(
      'MindSpore',
      pointsOf('published/mindie-qwq-32b.md', '"npuMemSize": 35，"maxPrefillBatchSize": 1'),
    );
    for (const points of [atb, atb.toReversed()]) {
      const comparison = compared(one, side('ATB', points));
      const row = comparison.metrics.find(({ metric }) => metric === 'requestsPerSec')!;
      expect(row.values[1]).toBe(0.8304);
      expect(finding(comparison, 'left-out')!.message).toContain('n=8792');
    }
  });
  test('variants at the same loads pair by load and variant', () => {
    const of = (variant: string) => [8, 16].map((load) => point(load, { asked: { variant } }));
    const comparison = compared(side('a', [...of('A'), ...of('B')]), side('b', [...of('B'), ...of('A')]));
    expect(rates(comparison)).toEqual(['A · 8', 'B · 8', 'A · 16', 'B · 16']);
    expect(finding(comparison, 'left-out')).toBeUndefined();
  });
  test('lengths pair with lengths, and what one side has not is left out by name', () => {
    const cell = (input: string, output: string) => point(8, { lengthsAsked: { input, output } });
    const comparison = compared(
      side('a', [cell('100', '50'), cell('100', '500'), cell('4000', '50')]),
      side('b', [cell('4000', '50'), cell('100', '500')]),
    );
    expect(rates(comparison)).toEqual(['100→500', '4000→50']);
    expect(finding(comparison, 'left-out')!.evidence).toEqual({ run: 'a', points: '100→50' });
  });
  test('law: every point of every side is in a row or left out by name', () => {
    const comparison = compared(
      side(
        'a',
        [8, 16, 32].map((load) => point(load)),
      ),
      side(
        'b',
        [16, 64].map((load) => point(load)),
      ),
    );
    expect(rates(comparison)).toEqual([16]);
    expect(
      comparison.findings.filter(({ code }) => code === 'left-out').map(({ evidence }) => evidence['points']),
    ).toEqual(['8, 32', '64']);
  });
  test('sweeps that share no load still say so', () => {
    expect(
      compared(
        side(
          'a',
          [8, 16].map((load) => point(load)),
        ),
        side(
          'b',
          [4, 5].map((load) => point(load)),
        ),
      ).findings.map(({ code }) => code),
    ).toEqual(['no-shared-load']);
  });
});

describe('where the load that stood differs', () => {
  const numa = pointsOf('published/evalscope-mxc500.md', '结果对比');
  const comparison = compared(...numa.map((one) => side(one.asked!.variant!, [one])));
  test('the published bindings: throughput of a request in flight, and what load explains, worked out by hand', () => {
    const row = comparison.metrics.find(({ metric }) => metric.includes('in flight'))!;
    // QPS × latency is 55.957, 61.883, 46.493 and 46.977 in flight.
    for (const [i, value] of [538.497 / 55.957, 609.616 / 61.883, 443.555 / 46.493, 415.901 / 46.977].entries())
      expect(row.values[i]).toBeCloseTo(value, 3);
    const told = comparison.findings.filter(({ code }) => code === 'load-explains');
    expect(told).toHaveLength(3);
    expect(told[0]!.message).toMatch(
      /output tokens\/s \+13\.2 %, requests in flight \+10\.6 %.*: most of the difference is load\.$/,
    );
    expect(told[0]!.zh.message).toContain('差异大部分来自负载');
  });
  test('the sentence stands in the report', () => {
    expect(comparisonIn('text', comparison, [], { lang: 'en' })).toContain('most of the difference is load');
    const screen = comparisonScreen(comparison, { lang: 'en', columns: 400 });
    expect(screen.match(/per request in flight [^:]*: most of the difference is load\.$/gm)).toHaveLength(3);
  });
  test('where the baseline was measured around that load, its throughput there is set beside it', () => {
    const at = (concurrency: number, outputTokensPerSec: number) =>
      point(concurrency, { outputTokensPerSec, concurrencyAchieved: concurrency });
    const result = compared(
      side('a', [at(8, 100), at(16, 180)]),
      side('b', [{ ...at(8, 140), concurrencyAchieved: 12 }]),
    );
    // Half-way between 100 and 180 is 140.
    expect(finding(result, 'load-explains')!.evidence['atInterpolatedLoad']).toBeCloseTo(0, 9);
  });
  test('nothing is said where the load is the same, or where what is in flight is a result', () => {
    expect(finding(compared(side('a', [point(8)]), side('b', [point(8)])), 'load-explains')).toBeUndefined();
    const open = (concurrencyAchieved: number): Summary =>
      point(8, { load: { kind: 'open', concurrency: null, ratePerSec: 2, stream: true }, concurrencyAchieved });
    expect(finding(compared(side('a', [open(8)]), side('b', [open(16)])), 'load-explains')).toBeUndefined();
  });
});
