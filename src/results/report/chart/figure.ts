import type { Phrase } from '../../../core/index.ts';

/** Words on a chart: a phrase in both languages, or a name that is the same in both. */
export type Words = Phrase | string;

/** One axis of a panel. */
export interface Axis {
  name: Words;
  /** Linear unless told. */
  scale?: 'linear' | 'log';
  /** Where it begins; left out = at zero (y) or where the data begin (x). */
  from?: number;
  /** A count: no ticks between whole numbers. */
  whole?: boolean;
  /** Where it ends; left out = where the data end. */
  to?: number;
}

/** One measured value; y null = not known, and the line has a gap there. */
export interface ChartPoint {
  x: number;
  y: number | null;
  /** The interval around y, drawn as a band. */
  low?: number | null;
  high?: number | null;
  /** Why the value must not be used: the point is drawn hollow and the reason is told below. */
  why?: Words;
  /** Stands beside the point. */
  label?: Words;
}

/** One line, cloud of dots or staircase. */
export interface ChartSeries {
  name: Words;
  kind: 'line' | 'dots' | 'steps';
  /** Where the labels of its points stand; above unless told. inward: above, those of the first and last point towards the middle. */
  labels?: 'above' | 'below' | 'inward';
  /** A course of time rather than measured points: the line alone, without marks. */
  plain?: boolean;
  /** Beside the point: grey, whatever its place among the others. */
  faint?: boolean;
  points: readonly ChartPoint[];
}

/** Values against an x axis. */
export interface LinePanel {
  kind: 'lines';
  title: Words;
  x: Axis;
  y: Axis;
  series: readonly ChartSeries[];
  /** Horizontal lines, such as an SLO. */
  limits?: readonly { value: number; name: Words }[];
}

/** One value for each name. */
export interface BarPanel {
  kind: 'bars';
  title: Words;
  y: Axis;
  /** each: the values of repeated points, y their mean; why: the value must not be used, and the bar is hollow. */
  bars: readonly { name: Words; y: number | null; each?: readonly number[]; why?: Words }[];
}

/** One value for each pair of x and y. */
export interface HeatPanel {
  kind: 'heat';
  title: Words;
  x: { name: Words; values: readonly string[] };
  y: { name: Words; values: readonly string[] };
  /** Indexes into the values; a cell that is left out was not measured. */
  cells: readonly { x: number; y: number; value: number }[];
}

/** Stretches of time, a row for each request. */
export interface SpanPanel {
  kind: 'spans';
  title: Words;
  x: Axis;
  y: Axis;
  phases: readonly { name: Words; tone: 'wait' | 'work' | 'bad' }[];
  rows: readonly { name: string; spans: readonly { fromX: number; toX: number; phase: number }[] }[];
}

/** One coordinate system. */
export type Panel = LinePanel | BarPanel | HeatPanel | SpanPanel;

/** A picture: panels side by side under one title, with one legend, and notes below. */
export interface Figure {
  /** kebab-case; names the file and the place in a page. */
  id: string;
  title: Words;
  /** What is to be seen, in a sentence, for whoever cannot see it. */
  about: Words;
  columns: number;
  panels: readonly Panel[];
  notes: readonly Words[];
}
