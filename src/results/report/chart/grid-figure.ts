import { isGrid, meanOf, say, quotedFigures } from '../../../core/index.ts';
import type { Summary, Sweep } from '../../../core/index.ts';
import { sized } from '../figure-text.ts';
import { askedOf, isFilled } from '../grid.ts';
import { sweepName } from '../point-name.ts';
import { chartLabels } from './chart-labels.ts';
import type { ChartPoint, ChartSeries, Figure, HeatPanel, Words } from './figure.ts';
import { distinctNames } from './load-lines.ts';
import { notesOf, reasonOf } from './sweep-figures.ts';

/** The runs of one pair of lengths; more than one where points were repeated. */
interface Cell {
  input: string;
  output: string;
  runs: readonly Summary[];
}

/**
 * Grids of lengths: throughput against the mean output length that was really generated, or asked for where nothing else is
 * known, a line for each grid and each input length that was asked for; null where one of them is no grid.
 */
export function gridFigure(...sweeps: readonly Sweep[]): Figure | null {
  if (!sweeps.every(({ points }) => isGrid(points))) return null;
  const counted = sweeps.some(({ points }) => points.some((point) => point.outputTokens?.mean != null));
  const series = distinctNames(sweeps).flatMap(([name, sweep]) => {
    const cells = cellsOf(sweep);
    return lengthsOf(cells, 'input').map((input) => {
      const line = lineOf(
        cells.filter((cell) => cell.input === input),
        counted,
      );
      return sweeps.length === 1 ? line : { ...line, name: within(name, line.name) };
    });
  });
  return {
    id: 'grid',
    title: sweeps.map(sweepName).join(' vs '),
    about: {
      en: `Output tokens per second against the ${counted ? 'real mean output length' : 'output length asked for'}, ${series.length} lines, one for each input length.`,
      zh: `输出吞吐量随${counted ? '实际平均' : '要求的'}输出长度的变化，每种输入长度一条线，共 ${series.length} 条。`,
    },
    columns: 1,
    panels: [
      {
        kind: 'lines',
        title: chartLabels.throughput,
        x: { name: counted ? chartLabels.realOutput : chartLabels.askedOutput, from: 0 },
        y: { name: chartLabels.throughput },
        series,
      },
    ],
    notes: notesOf(sweeps),
  };
}

function within(name: string, line: Words): Words {
  return { en: `${name} · ${say(line, 'en')}`, zh: `${name} · ${say(line, 'zh')}` };
}

/** The same grid by the lengths asked for, as heat maps of throughput and latency; null where the sweep is no grid. */
export function gridHeatFigure(sweep: Sweep): Figure | null {
  if (!isGrid(sweep.points) || !isFilled(sweep.points)) return null;
  const cells = cellsOf(sweep);
  return {
    id: 'grid-heat',
    title: { en: `${sweepName(sweep)}: by the lengths asked for`, zh: `${sweepName(sweep)}：按要求的长度` },
    about: {
      en: 'Throughput and mean latency by the input and output lengths asked for.',
      zh: '按要求的输入、输出长度的吞吐量与平均延迟。',
    },
    columns: 2,
    panels: [
      heatOf(cells, chartLabels.throughput, (run) => quotedFigures(run).outputTokensPerSec),
      heatOf(cells, chartLabels.latencyMs, (run) => quotedFigures(run).latencyMs?.mean),
    ].filter((panel) => panel.cells.length > 0),
    notes: notesOf([sweep]),
  };
}

function cellsOf(sweep: Sweep): Cell[] {
  const cells = new Map<string, { input: string; output: string; runs: Summary[] }>();
  for (const point of sweep.points) {
    const [input, output] = [askedOf(point).input ?? '–', askedOf(point).output ?? '–'];
    const key = `${input}→${output}`;
    const cell = cells.get(key) ?? { input, output, runs: [] };
    cell.runs.push(point);
    cells.set(key, cell);
  }
  return [...cells.values()];
}

function lengthsOf(cells: readonly Cell[], side: 'input' | 'output'): string[] {
  return [...new Set(cells.map((cell) => cell[side]))].toSorted((a, b) => Number(a) - Number(b));
}

function lineOf(cells: readonly Cell[], byCount: boolean): ChartSeries {
  const asked = cells[0]!.input;
  const real = meanOf(cells.flatMap(({ runs }) => runs).map((run) => run.inputTokens?.mean));
  const counted = real === null ? null : sized(Math.round(real));
  const points = cells.flatMap(({ runs, output }): ChartPoint[] => {
    const length = Number(output);
    const x = byCount ? meanOf(runs.map((run) => run.outputTokens?.mean)) : Number.isNaN(length) ? null : length;
    const speeds = runs.map((run) => quotedFigures(run).outputTokensPerSec).filter((speed) => speed !== null);
    if (x === null || speeds.length === 0) return [];
    const doubted = runs.find((run) => !run.verdict.valid);
    return [
      {
        x,
        y: meanOf(speeds),
        ...(speeds.length > 1 && { low: Math.min(...speeds), high: Math.max(...speeds) }),
        ...(doubted !== undefined && { why: reasonOf(doubted) }),
      },
    ];
  });
  return {
    name: {
      en: `input ${asked}${counted === null ? '' : ` (${counted} tokens in fact)`}`,
      zh: `输入 ${asked}${counted === null ? '' : `（实际 ${counted} token）`}`,
    },
    kind: 'line',
    points: points.toSorted((a, b) => a.x - b.x),
  };
}

function heatOf(
  cells: readonly Cell[],
  title: HeatPanel['title'],
  of: (run: Summary) => number | null | undefined,
): HeatPanel {
  const [inputs, outputs] = [lengthsOf(cells, 'input'), lengthsOf(cells, 'output')];
  return {
    kind: 'heat',
    title,
    x: { name: chartLabels.askedOutput, values: outputs },
    y: { name: chartLabels.askedInput, values: inputs },
    cells: cells.flatMap(({ input, output, runs }) => {
      const value = meanOf(runs.map(of));
      return value === null ? [] : [{ x: outputs.indexOf(output), y: inputs.indexOf(input), value }];
    }),
  };
}
