import { say } from '../../../core/index.ts';
import type { Lang } from '../../../core/index.ts';
import { shortFigure } from '../sentence/short-figure.ts';
import type { Figure, Panel, Words } from './figure.ts';

/** What echarts tells of a mark under the pointer. */
export interface Hovered {
  seriesIndex: number;
  dataIndex: number;
  seriesName?: string;
  /** The colour of its series, as rich text. */
  marker?: string;
  /** x and y, or the value of a named bar, or a stretch from, to and its row. */
  value?: unknown;
}

/** What stands at the pointer: where, then every line there with three digits or more and its unit. */
export function hoverText(
  figure: Figure,
  hovered: Hovered | readonly Hovered[],
  panelOf: readonly number[],
  lang: Lang,
): string {
  const marks = (Array.isArray(hovered) ? hovered : [hovered]) as readonly Hovered[];
  const [first] = marks;
  const panel = first === undefined ? undefined : figure.panels[panelOf[first.seriesIndex] ?? -1];
  if (first === undefined || panel === undefined) return '';
  const lines = marks.flatMap((mark) => {
    const figureText = valueText(panel, mark, lang);
    // A series with the name of its panel needs no name.
    const name = mark.seriesName === say(panel.title, lang) ? '' : plain(mark.seriesName ?? '');
    return figureText === null ? [] : [`${mark.marker ?? ''}${name === '' ? '' : `${name}  `}${figureText}`];
  });
  const head = headText(panel, first, lang);
  return [...(head === '' ? [] : [head]), ...lines].join('\n');
}

function headText(panel: Panel, { value }: Hovered, lang: Lang): string {
  if (panel.kind === 'bars' || !isNumbers(value)) return '';
  if (panel.kind === 'lines') return withUnit(value[0]!, panel.x.name, lang, true);
  if (panel.kind === 'heat') {
    const [x, y] = [panel.x.values[value[0]!], panel.y.values[value[1]!]];
    return `${say(panel.x.name, lang)} ${x ?? ''}, ${say(panel.y.name, lang)} ${y ?? ''}`;
  }
  return `${say(panel.y.name, lang)} ${panel.rows[value[2]!]?.name ?? ''}`;
}

function valueText(panel: Panel, { value, dataIndex }: Hovered, lang: Lang): string | null {
  if (panel.kind === 'bars') return typeof value === 'number' ? withUnit(value, panel.y.name, lang) : null;
  if (!isNumbers(value)) return null;
  if (panel.kind === 'heat') return withUnit(panel.cells[dataIndex]?.value ?? value[2]!, panel.title, lang);
  if (panel.kind === 'spans') return `${shortFigure(value[0])} … ${shortFigure(value[1])} s`;
  const unit = unitIn(say(panel.y.name, lang)) === '' ? panel.title : panel.y.name;
  return withUnit(value[1]!, unit, lang);
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}

/** A figure with the unit that its axis names in brackets; with the axis' own words before it where asked. */
function withUnit(value: number, axis: Words, lang: Lang, named = false): string {
  const name = say(axis, lang);
  const unit = unitIn(name);
  const before = named ? `${plain(name.replace(/\s*[（(][^（）()]*[)）]\s*$/, ''))} ` : '';
  const digits = Number.isInteger(value) ? value.toLocaleString('en-US') : shortFigure(value);
  return `${before}${digits}${unit === '' ? '' : ` ${unit}`}`;
}

function unitIn(name: string): string {
  return /[（(]([^（）()]+)[)）]\s*$/.exec(name)?.[1] ?? '';
}

/** Braces and bars are marks of rich text. */
function plain(name: string): string {
  return name.replaceAll(/[{}|]/g, ' ');
}
