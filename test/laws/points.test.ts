import { describe, expect, test } from 'vitest';
import { isGrid, placeName, placesOf } from '../../src/core/index.ts';
import type { Summary, Sweep } from '../../src/core/index.ts';
import { gridHeatFigure } from '../../src/results/report/chart/grid-figure.ts';
import { gridFigure, percentilesFigure, sweepFigure } from '../../src/results/report/index.ts';
import { reporters } from '../../src/lab/index.ts';
import type { Figure } from '../../src/results/report/index.ts';
import { fixture, importText } from '../imported.ts';

function sweepsIn(text: string): Sweep[] {
  return importText(text).sweeps.map((sweep) => ({ ...sweep, schema: 'llmdyno.sweep/1', findings: [] }));
}

const chunks = sweepsIn(fixture('published/vllm-sus-chat-34b.md'));
const mindie = sweepsIn(fixture('published/mindie-qwq-32b.md'));
const mxc500 = sweepsIn(fixture('published/evalscope-mxc500.md'));
const named = (sweeps: readonly Sweep[], title: string): Sweep => sweeps.find((sweep) => sweep.title?.includes(title))!;
const nameOf = (points: readonly Summary[]): string[] => points.map((point) => placeName(placesOf(points), point));

describe('a point is what was asked, and is named by what tells it from the others', () => {
  test('the cells of a chunk log are a grid of lengths', () => {
    const { points, variable } = named(chunks, 'V100');
    expect(variable).toBe('grid');
    expect(placesOf(points).names).toEqual(['input', 'output']);
    expect(nameOf(points)).toContain('4000→2000');
  });
  test('variants are named by the rows of the table', () => {
    expect(nameOf(named(mxc500, '结果对比').points)).toEqual([
      '无',
      'numactl -N0 -m0',
      'numactl --cpunodebind=0,1,2,3 --membind=0,1,2,3',
      'numactl --cpunodebind=0,2,4,6 --membind=0,2,4,6',
    ]);
  });
  test('two runs of one concurrency are told apart by their requests, and repetitions by their number', () => {
    expect(nameOf(named(mindie, 'ATB').points)).toEqual(['n=8792', 'n=200']);
    expect(nameOf(named(mindie, '"maxPrefillBatchSize": 50').points)).toEqual(['#1', '#2']);
  });
  test('a sweep over the load is named by its load alone, whatever its numbers of requests', () => {
    const points = [8, 16].map((concurrency, i) => ({
      ...named(mindie, 'ATB').points[i]!,
      load: { kind: 'closed' as const, concurrency, ratePerSec: null, stream: true },
    }));
    expect(nameOf(points)).toEqual(['8', '16']);
  });
  test('law: no two points of a list have one name', () => {
    for (const { points } of [...chunks, ...mindie, ...mxc500])
      expect(new Set(nameOf(points)).size).toBe(points.length === 1 ? 1 : points.length);
  });
  test('records of before: a grid that was kept as a sweep over the concurrency, without lengths', () => {
    const before = named(chunks, 'V100')
      .points.filter(({ server }) => server?.['generateSize'] !== undefined)
      .map(({ lengthsAsked: _lengths, ...point }) => point);
    expect(isGrid(before)).toBe(true);
    expect(nameOf(before)).toContain('4000→2000');
  });
});

describe('a grid as its author printed it', () => {
  const tables = (text: string): string[] =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^\|?\s*\d+\s*\|\s*[\d.]+\s*\|?/.test(line))
      .map((line) =>
        line
          .replaceAll(/^\||\|$/g, '')
          .split('|')
          .map((cell) => cell.trim())
          .slice(0, 2)
          .join(' | '),
      );
  test.each(['A100', 'V100'])('%s: every row of the tables, in their digits and order', (title) => {
    const published = tables(fixture('published/vllm-sus-chat-34b.md'));
    const ours = tables(reporters.markdown(named(chunks, title), { lang: 'zh' }));
    expect(ours).toHaveLength(25);
    const from = title === 'A100' ? 0 : 25;
    expect(ours).toEqual(published.slice(from, from + 25));
  });
  test('is a line for each input length over the lengths that came out, and no heat map of holes', () => {
    const [panel] = gridFigure(named(chunks, 'V100'))!.panels;
    expect(panel!.kind === 'lines' && panel!.series.map(({ points }) => points.length)).toEqual([5, 5, 5, 5, 5]);
    expect(gridHeatFigure(named(chunks, 'A100'))).toBeNull();
  });
});

/** What a picture draws: for each panel its marks as x (or name) and y. */
function marksOf(figure: Figure): [string, number | null][][] {
  return figure.panels.map((panel) => {
    if (panel.kind === 'bars') return panel.bars.map(({ name, y }) => [JSON.stringify(name), y]);
    return panel.kind === 'lines'
      ? panel.series.flatMap(({ name, points }) =>
          points.map(({ x, y }): [string, number | null] => [`${JSON.stringify(name)} ${x}`, y]),
        )
      : [];
  });
}

describe('pictures', () => {
  test('law: nothing is drawn twice at one x, and no panel shows nothing', () => {
    for (const sweep of [...chunks, ...mindie, ...mxc500]) {
      const figure = gridFigure(sweep) ?? sweepFigure(sweep);
      for (const marks of marksOf(figure)) {
        expect(new Set(marks.map(([at]) => at)).size).toBe(marks.length);
        expect(marks.some(([, y]) => y !== null)).toBe(true);
      }
    }
  });
  test('variants are bars with their names', () => {
    const figure = sweepFigure(named(mxc500, '结果对比'));
    expect(figure.panels.map(({ kind }) => kind)).toEqual(['bars', 'bars', 'bars']);
    const [panel] = figure.panels;
    expect(panel!.kind === 'bars' && panel!.bars.map(({ name }) => name)).toContain('numactl -N0 -m0');
  });
  test('repetitions are their mean with every one of them', () => {
    const { panels } = sweepFigure(named(mindie, '"maxPrefillBatchSize": 50'));
    expect(panels.flatMap((panel) => (panel.kind === 'bars' ? panel.bars.map(({ each }) => each) : []))).toContainEqual(
      [294_552.8 / 1000, 299_783.1 / 1000],
    );
  });
  test('one point is its percentiles', () => {
    const point = { ...named(mxc500, '运行 benchmark') };
    const figure = percentilesFigure(point)!;
    expect(figure.panels.length).toBeGreaterThan(1);
  });
});
