/**
 * Charts: a Figure is plain data (panels, series, notes in both languages); it becomes SVG here and lives again in the
 * browser page, through the same option builder, so that a picture and a page never differ.
 * Nothing outside this folder knows the drawing library; echarts.ts is the one file that imports it, loaded when first
 * needed.
 * Start reading at figure.ts, then sweep-figures.ts (what is shown) and option.ts (how).
 */
export type { ChartPoint, Figure, Words } from './figure.ts';
export { chartOption } from './option.ts';
export { figureSvg } from './svg.ts';
export { gridFigure } from './grid-figure.ts';
export { everyFigure, mainFigure } from './result-figures.ts';
export type { Drawable, PointRequests } from './result-figures.ts';
export { isNamed } from './load-lines.ts';
export { comparisonFigure, percentilesFigure, simulationNotes, sweepFigure } from './sweep-figures.ts';
export type { IntervalsOf, PointIntervals } from './sweep-figures.ts';
export { chartThemes } from './theme.ts';
export type { ThemeName } from './theme.ts';
