import { expect, test } from 'vitest';
import { chartMatrix } from '../../../../test/laws/chart-matrix.ts';
import { chartOption } from './option.ts';

const golden = '../../../../test/fixtures/report';

/** A part of an option in one line: numbers in five digits, of a long list its ends, of a function what it makes of a simple grid. */
function told(part: unknown): unknown {
  if (typeof part === 'number') return Number(part.toPrecision(5));
  if (Array.isArray(part)) {
    const shown = part.length > 4 ? [part[0], `… ${part.length} …`, part.at(-1)] : part;
    return shown.map(told);
  }
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, called(key, value)]));
}

function called(key: string, value: unknown): unknown {
  if (typeof value !== 'function') return told(value);
  const api = {
    value: (at: number) => 10 * (at + 1),
    coord: ([x, y]: number[]) => [2 * x!, 500 - 3 * y!],
    size: ([x, y]: number[]) => [2 * x!, 3 * y!],
    style: () => ({}),
    getWidth: () => 800,
  };
  const grid = { x: 0, y: 0, width: 800, height: 500 };
  if (key === 'renderItem') return told(value({ dataIndex: 0, coordSys: grid, context: {} }, api));
  if (key === 'max') return [7, 97, 100, 1234].map((max) => told(value({ max })));
  return 'made while it is looked at';
}

/** Of parts of one kind in turn: each only as far as it differs from the one before it. */
function differences(): (kind: string, part: unknown) => string {
  const before = new Map<string, string>();
  return (kind, part) => {
    const leaves = leavesOf(told(part), kind);
    const news = leaves.filter(([path, value]) => before.get(path) !== value);
    for (const [path, value] of leaves) before.set(path, value);
    return news.length === 0
      ? ''
      : `${kind}: ${news.map(([path, value]) => `${path.slice(kind.length + 1)} ${value}`).join(', ')}`;
  };
}

function leavesOf(part: unknown, path: string): [string, string][] {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return [[path, JSON.stringify(part) ?? '']];
  return Object.entries(part).flatMap(([key, value]) => leavesOf(value, `${path}.${key}`));
}

const figures = new Map(chartMatrix().map(({ name, figure }) => [name, figure]));
const drawn = new Set([
  'sweep-1x2',
  'goodput-1x2',
  'comparison-2x2',
  'comparison-20x2',
  'frontier-2x2',
  'variants-2x3',
  'variants-20x1',
  'percentiles',
  'lengths-2x2',
  'lengths-8x5',
  'distribution-40',
  'requests-40',
  'over-time-40',
  'devices-2x2',
]);

test.each([
  [1350, 'zh', false],
  [420, 'en', true],
] as const)('every kind of chart is laid out as agreed, %s px wide', async (width, lang, interactive) => {
  const line = differences();
  const lines = [...figures.keys()].flatMap((name) => {
    const { option, layout } = chartOption(figures.get(name)!, { lang, theme: 'light', width, interactive });
    const { boxes: _, shown, letters, ...rest } = layout;
    const all = (kind: string, parts: unknown): string[] =>
      (Array.isArray(parts) ? parts : [parts]).map((one) => line(kind, one));
    if (!drawn.has(name)) return [`# ${name}`, line('layout', rest), ...all('grid', option['grid'])];
    return [
      `# ${name}`,
      line('layout', rest),
      ...[...shown].map(([whole, cut]) => `${whole} = ${cut} ${letters.get(cut) ?? ''}`.trimEnd()),
      ...Object.entries(option).flatMap(([kind, parts]) => all(kind, parts)),
    ];
  });
  await expect(`${lines.filter((one) => one !== '').join('\n')}\n`).toMatchFileSnapshot(
    `${golden}/charts.${width}.golden.txt`,
  );
});
