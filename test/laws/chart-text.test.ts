import { describe, expect, test } from 'vitest';
import { figureSvg } from '../../src/results/report/chart/index.ts';
import { chartOption } from '../../src/results/report/chart/option.ts';
import { textWidth } from '../../src/results/report/chart/text-size.ts';
import { chartMatrix } from './chart-matrix.ts';
import { drawnWidth } from './glyph-widths.ts';

interface Box {
  words: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** Where every text of a drawing lies, by the widths of the font that draws it. */
function boxesOf(svg: string): Box[] {
  return [...svg.matchAll(/<text([^>]*)>([^<]*)<\/text>/g)].map(([, attributes = '', raw = '']) => {
    const words = raw.replaceAll(/&[^;]+;/g, (entity) => entities[entity] ?? entity);
    const number = (pattern: RegExp): number => Number(pattern.exec(attributes)?.[1] ?? 0);
    const size = number(/font-size:([\d.]+)px/) || 12;
    const width = drawnWidth(words, size);
    const anchor = /text-anchor="(\w+)"/.exec(attributes)?.[1] ?? 'start';
    const share = anchor === 'middle' ? 0.5 : anchor === 'end' ? 1 : 0;
    const from = number(/ x="(-?[\d.]+)"/) - share * width;
    // Central: the middle of the line is where it stands; letters take about one em around it.
    const middle = number(/ y="(-?[\d.]+)"/);
    const corners = [
      [from, middle - 0.42 * size],
      [from + width, middle + 0.42 * size],
    ];
    const moved = /translate\((-?[\d.]+)[ ,](-?[\d.]+)\)/.exec(attributes);
    const turned = /matrix\(([^)]+)\)/.exec(attributes)?.[1]?.split(/[ ,]+/).map(Number);
    const placed = corners.map(([x, y]) =>
      turned === undefined
        ? [x! + Number(moved?.[1] ?? 0), y! + Number(moved?.[2] ?? 0)]
        : [turned[0]! * x! + turned[2]! * y! + turned[4]!, turned[1]! * x! + turned[3]! * y! + turned[5]!],
    );
    const [xs, ys] = [placed.map(([x]) => x!), placed.map(([, y]) => y!)];
    return { words, left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  });
}

const half = 0.5;
const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right - half && b.left < a.right - half && a.top < b.bottom - half && b.top < a.bottom - half;

/** What is wrong with the texts of a drawing, in words; empty = all is well. */
function faultsOf(svg: string): string[] {
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg)!.map(Number) as [number, number, number];
  const boxes = boxesOf(svg).filter(({ words }) => words.trim() !== '');
  const outside = boxes
    .filter((box) => box.left < 0 || box.top < 0 || box.right > width || box.bottom > height)
    .map(({ words }) => `cut off: ${words}`);
  const over = boxes.flatMap((box, i) =>
    boxes.slice(i + 1).flatMap((other) => (overlap(box, other) ? [`${box.words} over ${other.words}`] : [])),
  );
  return [...outside, ...over];
}

describe('texts of every chart, 2 and 20 series, 2 and 40 points, by the widths of the font itself', () => {
  for (const lang of ['en', 'zh'] as const)
    for (const width of process.env['LLMDYNO_LONG'] === '1' ? [1350, 900, 640, 400] : [1350, 400])
      test(`none is cut off and none lies over another: ${lang}, ${width} px wide`, async () => {
        for (const { name, figure } of chartMatrix()) {
          const { option, layout } = chartOption(figure, { lang, theme: 'light', width });
          const drawn = new Set((option['series'] as { name?: string }[]).map((one) => one.name));
          expect((layout.legend?.names ?? []).filter((one) => !drawn.has(one))).toEqual([]);
          const svg = await figureSvg(figure, { lang, theme: 'light', width });
          expect({ name, faults: faultsOf(svg) }).toEqual({ name, faults: [] });
        }
      });
  test('the law sees a text that is cut off and two that overlap', () => {
    const text = (x: number, words: string): string =>
      `<text dominant-baseline="central" text-anchor="start" style="font-size:12px;" transform="translate(${x} 20)">${words}</text>`;
    const svg = (...texts: string[]): string => `<svg width="100" height="40">${texts.join('')}</svg>`;
    expect(faultsOf(svg(text(10, '吞吐量'), text(60, 'QPS')))).toEqual([]);
    expect(faultsOf(svg(text(10, '吞吐量'), text(40, 'QPS')))).toEqual(['吞吐量 over QPS']);
    expect(faultsOf(svg(text(80, '吞吐量')))).toEqual(['cut off: 吞吐量']);
  });
  test('the estimate that layouts are made by is never below what the font takes', () => {
    for (const { figure } of chartMatrix())
      for (const words of [figure.title, ...figure.notes].flatMap((one) =>
        typeof one === 'string' ? [one] : [one.en, one.zh],
      ))
        expect(textWidth(words, 12)).toBeGreaterThanOrEqual(drawnWidth(words, 12));
  });
});
