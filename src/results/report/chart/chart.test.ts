import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Summary, Sweep } from '../../../core/index.ts';
import { comparisonFigure, sweepFigure } from './sweep-figures.ts';
import { gridFigure, gridHeatFigure } from './grid-figure.ts';
import { hoverText } from './hover-text.ts';
import { figureSvg } from './svg.ts';
import { layoutOf } from './layout.ts';
import { cutTo, textWidth, wrapTo } from './text-size.ts';

function point(concurrency: number, valid = true): Summary {
  const dist = {
    mean: 2000,
    min: 1,
    max: 9000,
    p50: 1900,
    p66: 2000,
    p75: 2100,
    p80: 2200,
    p90: 3000,
    p95: 3500,
    p98: 4000,
    p99: 5000,
    n: 10,
  };
  return {
    schema: 'llmdyno.summary/1',
    runId: `r${concurrency}`,
    label: null,
    source: { tool: 'llmdyno', file: null },
    simulated: false,
    partial: false,
    model: null,
    startedAt: null,
    load: { kind: 'closed', concurrency, ratePerSec: null, stream: true },
    counts: { planned: 10, issued: 10, ok: 10, failed: 0, cancelled: 0, dropped: 0, unaccounted: 0, byProblem: {} },
    durationMs: 10_000,
    requestsPerSec: concurrency / 2,
    outputTokensPerSec: concurrency * 50,
    latencyMs: dist,
    verdict: {
      valid,
      findings: valid
        ? []
        : [
            {
              code: 'client-bound',
              severity: 'invalid',
              message: 'The client was the limit.',
              evidence: {},
              advice: '',
              zh: { message: '客户端是瓶颈。', advice: '' },
            },
          ],
    },
  } as unknown as Summary;
}

function sweep(title: string, loads: readonly number[], invalid: readonly number[] = []): Sweep {
  return {
    schema: 'llmdyno.sweep/1',
    id: title,
    title,
    variable: 'concurrency',
    points: loads.map((load) => point(load, !invalid.includes(load))),
    findings: [],
  };
}

const draw = (what: Sweep | readonly Sweep[], lang: 'en' | 'zh' = 'zh'): Promise<string> =>
  figureSvg(Array.isArray(what) ? comparisonFigure(what as Sweep[]) : sweepFigure(what as Sweep), {
    lang,
    theme: 'light',
    width: 1350,
  });

describe('a sweep panel', () => {
  test('names its six panels in the language asked for', async () => {
    const zh = await draw(sweep('Qwen', [8, 16]));
    for (const word of ['用时', 'QPS', '延迟（秒）', '吞吐量', 'p50', 'p90', '并发']) expect(zh).toContain(word);
    expect(await draw(sweep('Qwen', [8, 16]), 'en')).toContain('Throughput (output tokens/s)');
  });
  test('is the same text every time it is drawn, whatever was drawn before', async () => {
    const first = await draw(sweep('a', [1, 2, 3]));
    await draw([sweep('b', [4, 5]), sweep('c', [6])]);
    expect(await draw(sweep('a', [1, 2, 3]))).toBe(first);
  });
  test('says below why a point is hollow', async () => {
    expect(await draw(sweep('a', [8, 16], [16]))).toContain('○ 16：客户端是瓶颈。');
  });
  test('a name of a stranger stays text', async () => {
    const svg = await draw(sweep('"><script>alert(1)</script><b>&', [8, 16]));
    expect(svg).not.toMatch(/<script|<b>/);
    expect(svg).toContain('&lt;script&gt;');
  });
  test('holds no link, no script and no picture from elsewhere', async () => {
    expect(await draw([sweep('a', [8]), sweep('b', [9])])).not.toMatch(/<script|href=|<image|url\(http|@import/);
  });
});

describe('what stands at the pointer', () => {
  const figure = sweepFigure(sweep('a', [8, 16]));
  const at = (panel: number, value: unknown, seriesName = 'a'): string =>
    hoverText(figure, [{ seriesIndex: panel, dataIndex: 0, value, seriesName }], [0, 1, 2, 3, 4, 5], 'en');

  test('is where it is, then the figure with three digits or more and the unit of its panel', () => {
    expect(at(0, [16, 812.345_678])).toBe('concurrency 16\na  812 output tokens/s');
    expect(at(0, [16, 12_345.678])).toBe('concurrency 16\na  12,346 output tokens/s');
    expect(at(2, [8, 1.234_567])).toBe('concurrency 8\na  1.23 s');
  });

  test('a name of a stranger is no mark of rich text', () => {
    expect(at(0, [16, 1], '{a|b}')).toBe('concurrency 16\n a b   1 output tokens/s');
  });

  test('of a named bar is its figure', () => {
    const bars = comparisonFigure([sweep('a', [8]), sweep('b', [16])]);
    expect(bars.panels.map(({ kind }) => kind)).toEqual(['bars', 'bars', 'bars']);
    expect(hoverText(bars, { seriesIndex: 0, dataIndex: 0, value: 400, seriesName: 'a' }, [0], 'en')).toBe(
      'a  400 output tokens/s',
    );
  });
});

describe('what a sweep draws', () => {
  const promised = (load: number, ttft: number): Summary =>
    ({
      ...point(load),
      ttftMs: { ...point(load).latencyMs!, p99: ttft },
      slo: [{ promise: 'ttft.p99<500ms', measured: ttft, kept: ttft < 500 }],
    }) as Summary;
  const drawn = sweepFigure({ ...sweep('a', [8]), points: [promised(8, 100), promised(16, 400), promised(32, 900)] });

  test('throughput and first tokens come first, with the limit that was promised, and the duration is none of six', () => {
    const titles = drawn.panels.map(({ title }) => (typeof title === 'string' ? title : title.en));
    expect(titles.slice(0, 2)).toEqual(['Throughput (output tokens/s)', 'Time to first token p99 (ms)']);
    expect(titles).toHaveLength(6);
    const [, first] = drawn.panels;
    expect(first?.kind === 'lines' && first.limits).toEqual([{ value: 500, name: 'ttft.p99<500ms' }]);
  });

  test('the best point within the limits, the knee and the peak are named', () => {
    const [panel] = drawn.panels;
    const labels = panel!.kind === 'lines' ? panel!.series[0]!.points.map(({ x, label }) => [x, label]) : [];
    expect(labels).toEqual([
      [8, undefined],
      [16, { en: 'best', zh: '最佳' }],
      [32, { en: 'knee, peak', zh: '拐点、峰值' }],
    ]);
  });
});

describe('the layout of a comparison', () => {
  const laidOut = fc.record({
    names: fc.array(
      fc.string({ minLength: 1, maxLength: 80, unit: fc.constantFrom('量', 'W', 'i', 'a', ' ', '8', '(') }),
      { minLength: 2, maxLength: 20 },
    ),
    width: fc.integer({ min: 320, max: 2000 }),
  });
  test('panels stay inside the picture, rows do not overlap, notes and legend lie below all of them', () => {
    fc.assert(
      fc.property(laidOut, ({ names, width }) => {
        const figure = comparisonFigure(names.map((name) => sweep(name, [8, 16], [16])));
        const { boxes, height, legend, notes } = layoutOf(figure, 'zh', width);
        const bottom = Math.max(...boxes.map((box) => box.top + box.height));
        for (const [i, box] of boxes.entries()) {
          expect(box.left + box.width).toBeLessThanOrEqual(width);
          for (const other of boxes.slice(i + 1)) {
            const apart = other.left >= box.left + box.width || other.top >= box.top + box.height;
            expect(apart).toBe(true);
          }
        }
        if (legend !== null) expect(legend.top).toBeGreaterThan(bottom);
        if (notes.lines.length > 0) expect(notes.top).toBeGreaterThan(bottom);
        expect(height).toBeGreaterThan(bottom);
      }),
      { numRuns: 60 },
    );
  });
});

describe('text that must fit', () => {
  test('a cut text is never wider than asked, and one that fits is left alone', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 20, max: 400 }), (text, width) => {
        const cut = cutTo(text, 12, width);
        expect(textWidth(cut, 12)).toBeLessThanOrEqual(Math.max(width, textWidth('…', 12)));
        if (textWidth(text, 12) <= width) expect(cut).toBe(text);
      }),
    );
  });
  test('wrapped lines fit, and hold all the words', () => {
    expect(wrapTo('客户端自身成为瓶颈，时延被高估', 10, 50)).toEqual(['客户端自身', '成为瓶颈，', '时延被高估']);
    expect(wrapTo('解释到八成 %）。客户端', 10, 62)).toEqual(['解释到八成', '%）。客户端']);
    expect(wrapTo('one two three', 10, 40).join(' ')).toBe('one two three');
  });
});

describe('a grid of lengths', () => {
  const cell = (input: number, output: number, real: number, speed: number): Summary => ({
    ...point(8),
    runId: `${input}-${output}-${real}`,
    lengthsAsked: { input: String(input), output: String(output) },
    inputTokens: { ...point(8).latencyMs!, mean: input + 40 },
    outputTokens: { ...point(8).latencyMs!, mean: real },
    outputTokensPerSec: speed,
  });
  const grid: Sweep = {
    schema: 'llmdyno.sweep/1',
    id: 'g',
    title: null,
    variable: 'grid',
    // The model writes less for the longer wish, and the second cell was measured twice.
    points: [cell(100, 500, 300, 10), cell(100, 1000, 200, 20), cell(100, 1000, 220, 40), cell(1000, 500, 250, 5)],
    findings: [],
  };

  test('is a line per input length, over the output lengths that were counted, repeats as their mean and range', () => {
    const [panel] = gridFigure(grid)!.panels;
    const series = panel!.kind === 'lines' ? panel!.series : [];
    expect(series.map(({ name }) => name)).toEqual([
      { en: 'input 100 (140 tokens in fact)', zh: '输入 100（实际 140 token）' },
      { en: 'input 1000 (1040 tokens in fact)', zh: '输入 1000（实际 1040 token）' },
    ]);
    expect(series[0]!.points).toEqual([
      { x: 210, y: 30, low: 20, high: 40 },
      { x: 300, y: 10 },
    ]);
    expect(gridHeatFigure(grid)!.panels).toHaveLength(2);
  });

  test('can be drawn, and a sweep over the load is no grid', async () => {
    for (const figure of [gridFigure(grid)!, gridHeatFigure(grid)!]) {
      expect(await figureSvg(figure, { lang: 'zh', theme: 'light', width: 900 })).toContain('<svg');
    }
    expect(gridFigure({ ...grid, points: [point(8), point(16)] })).toBeNull();
    // Records of before said that an imported grid varied its concurrency.
    expect(gridFigure({ ...grid, variable: 'concurrency' })).toEqual(gridFigure(grid));
  });
});
