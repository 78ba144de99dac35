import { say } from '../../../core/index.ts';
import type { Lang } from '../../../core/index.ts';
import type { BarPanel, Figure, Panel } from './figure.ts';
import { cutTo, textWidth, wrapTo } from './text-size.ts';

/** Where one panel lies, in px. */
export interface PanelBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The whole picture, in px. */
export interface Layout {
  width: number;
  height: number;
  title: string[];
  boxes: PanelBox[];
  legend: { names: string[]; top: number } | null;
  /** The name of a series as the legend shows it, by its whole name. */
  shown: ReadonlyMap<string, string>;
  notes: { lines: string[]; top: number };
  /** What stands below a bar whose name is too long for it, by the name in the legend, which begins with it. */
  letters: ReadonlyMap<string, string>;
}

export const titleSize = 20;
export const panelTitleSize = 15;
export const labelSize = 12;
const margin = 24;
const between = 28;
const legendRow = 24;
const legendIcon = 48;
const noteLine = 18;
/** Room above a panel for its title and below it for the name of the x axis. */
const aboveGrid = 34;
const belowGrid = 30;

/** Places everything for a width: fewer columns where it is narrow, as many legend rows as the names need. */
export function layoutOf(figure: Figure, lang: Lang, width: number): Layout {
  const columns = Math.max(1, Math.min(figure.columns, figure.panels.length, Math.floor(width / 300)));
  const inner = width - 2 * margin;
  const title = wrapTo(say(figure.title, lang), titleSize, inner);
  const panelWidth = (inner - between * (columns - 1)) / columns;
  const panelHeight = Math.round(Math.max(200, Math.min(330, panelWidth * 0.62)));
  let top = margin + title.length * (titleSize + 8) + 4;
  const boxes: PanelBox[] = [];
  for (let first = 0; first < figure.panels.length; first += columns) {
    const row = figure.panels.slice(first, first + columns);
    const height = Math.max(...row.map((panel) => heightOf(panel, panelHeight)));
    row.forEach((_, column) => {
      const left = margin + column * (panelWidth + between);
      boxes.push({ left, top: top + aboveGrid, width: panelWidth, height });
    });
    top += aboveGrid + height + belowGrid;
  }
  const lettered = figure.panels.some((panel) => panel.kind === 'bars' && tooLong(panel, lang, panelWidth));
  const shown = shownNames(figure, lang, inner, lettered);
  const names = [...shown.values()];
  const legend = names.length > 1 ? { names, top: top + 4 } : null;
  if (legend !== null) top += 8 + legendRow * legendRows(names, inner);
  const lines = figure.notes.flatMap((note) => wrapTo(say(note, lang), labelSize, inner));
  const notes = { lines, top: top + 6 };
  if (lines.length > 0) top += 10 + noteLine * lines.length;
  const letters = new Map(lettered ? names.map((name, i) => [name, letterOf(i)]) : []);
  return { width, height: Math.ceil(top + 12), title, boxes, legend, shown, notes, letters };
}

function heightOf(panel: Panel, usual: number): number {
  if (panel.kind === 'spans')
    return Math.max(Math.min(usual, 60 + panel.rows.length * 30), Math.min(720, 60 + panel.rows.length * 4));
  if (panel.kind === 'heat') return Math.max(usual, 60 + panel.y.values.length * 30);
  return usual;
}

/** The names of all series, each once, cut so that one fits a row; two that are cut to the same get a number. */
function shownNames(figure: Figure, lang: Lang, inner: number, lettered: boolean): Map<string, string> {
  const shown = new Map<string, string>();
  const taken = new Set<string>();
  const room = inner - legendIcon;
  for (const name of figure.panels.flatMap((panel) => seriesNames(panel, lang))) {
    if (shown.has(name)) continue;
    let cut = cutTo(lettered ? `${letterOf(shown.size)}  ${name}` : name, labelSize + 1, room);
    for (let times = 2; taken.has(cut); times++)
      cut = `${cutTo(name, labelSize + 1, room - textWidth(` (${times})`, labelSize + 1))} (${times})`;
    taken.add(cut);
    shown.set(name, cut);
  }
  return shown;
}

/** The letters by which `dyno compare` names its sides too. */
function letterOf(at: number): string {
  return at < 26 ? String.fromCharCode(65 + at) : String(at + 1);
}

/** px below a bar: the labels of the y axis take their room from the bars. */
export function barRoom(width: number, bars: number): number {
  return (width - 64) / Math.max(1, bars) - 10;
}

/** Whether one of several bars has a name that does not fit below it. */
function tooLong({ bars }: BarPanel, lang: Lang, width: number): boolean {
  const room = barRoom(width, bars.length);
  return bars.length > 1 && bars.some(({ name }) => textWidth(say(name, lang), labelSize) > room);
}

/** The names of what a panel draws. */
export function seriesNames(panel: Panel, lang: Lang): string[] {
  if (panel.kind === 'lines') return panel.series.map((series) => say(series.name, lang));
  if (panel.kind === 'bars') return panel.bars.map((bar) => say(bar.name, lang));
  return panel.kind === 'spans' ? panel.phases.map((phase) => say(phase.name, lang)) : [];
}

function legendRows(names: readonly string[], inner: number): number {
  let rows = 1;
  let used = 0;
  for (const name of names) {
    const width = legendIcon + textWidth(name, labelSize + 1);
    if (used > 0 && used + width > inner) {
      rows += 1;
      used = 0;
    }
    used += width;
  }
  return rows;
}
