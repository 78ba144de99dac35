import { isGrid } from '../../../core/index.ts';
import type { Summary, Sweep } from '../../../core/index.ts';
import { sized } from '../figure-text.ts';
import { askedOf, isFilled } from '../grid.ts';
import { sweepName } from '../point-name.ts';
import { chartWords } from './chart-words.ts';
import type { ChartPoint, ChartSeries, Figure, HeatPanel } from './figure.ts';
import { notesOf, reasonOf } from './sweep-figures.ts';

/** The runs of one pair of lengths; more than one where points were repeated. */
interface Cell {
  input: string;
  output: string;
  runs: readonly Summary[];
}

/**
 * A grid of lengths: throughput against the mean output length that was really generated, a line for each input length
 * that was asked for; null where the sweep is no grid.
 */
export function gridFigure(sweep: Sweep): Figure | null {
  if (!isGrid(sweep.points)) return null;
  const cells = cellsOf(sweep);
  const inputs = lengthsOf(cells, 'input');
  return {
    id: 'grid',
    title: sweepName(sweep),
    about: {
      en: `Output tokens per second against the real mean output length, one line for each of ${inputs.length} input lengths.`,
      zh: `输出吞吐量随实际平均输出长度的变化，共 ${inputs.length} 种输入长度，各一条线。`,
    },
    columns: 1,
    panels: [
      {
        kind: 'lines',
        title: chartWords.throughput,
        x: { name: chartWords.realOutput, from: 0 },
        y: { name: chartWords.throughput },
        series: inputs.map((input) => lineOf(cells.filter((cell) => cell.input === input))),
      },
    ],
    notes: notesOf([sweep]),
  };
}

/** The same grid by the lengths asked for, as heat maps of throughput and latency; null where the sweep is no grid. */
export function gridHeatFigure(sweep: Sweep): Figure | null {
  if (!isGrid(sweep.points) || !isFilled(sweep.points)) return null;
  const cells = cellsOf(sweep);
  return {
    id: 'grid-heat',
    title: { en: 'By the lengths asked for', zh: '按要求的长度' },
    about: {
      en: 'Throughput and mean latency by the input and output lengths asked for.',
      zh: '按要求的输入、输出长度的吞吐量与平均延迟。',
    },
    columns: 2,
    panels: [
      heatOf(cells, chartWords.throughput, (run) => run.outputTokensPerSec),
      heatOf(cells, chartWords.latencyMs, (run) => run.latencyMs?.mean),
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

function lineOf(cells: readonly Cell[]): ChartSeries {
  const asked = cells[0]!.input;
  const real = meanOf(cells.flatMap(({ runs }) => runs).map((run) => run.inputTokens?.mean));
  const counted = real === null ? null : sized(Math.round(real));
  const points = cells.flatMap(({ runs }): ChartPoint[] => {
    const x = meanOf(runs.map((run) => run.outputTokens?.mean));
    const speeds = runs.map((run) => run.outputTokensPerSec).filter((speed) => speed !== null);
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
    x: { name: chartWords.askedOutput, values: outputs },
    y: { name: chartWords.askedInput, values: inputs },
    cells: cells.flatMap(({ input, output, runs }) => {
      const value = meanOf(runs.map(of));
      return value === null ? [] : [{ x: outputs.indexOf(output), y: inputs.indexOf(input), value }];
    }),
  };
}

function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => typeof value === 'number');
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
