import { say } from '../../../core/index.ts';
import type { Lang } from '../../../core/index.ts';
import type { Figure, LinePanel, Panel, SpanPanel, Words } from './figure.ts';
import { barParts } from './bar-option.ts';
import { heatParts } from './heat-option.ts';
import { labelSize, layoutOf, panelTitleSize, titleSize } from './layout.ts';
import type { Layout } from './layout.ts';
import { axisOf, linePanelParts } from './line-option.ts';
import { cutTo } from './text-size.ts';
import { hoverText } from './hover-text.ts';
import type { Hovered } from './hover-text.ts';
import { chartThemes, symbols } from './theme.ts';
import type { ChartTheme, ThemeName } from './theme.ts';

/** How to draw. */
export interface DrawOptions {
  lang: Lang;
  theme: ThemeName;
  width: number;
  /** On a page: with tooltips, zoom and a legend to click. */
  interactive?: boolean;
}

/** Any part of an option of echarts; echarts itself checks nothing, the pictures are looked at. */
export type Part = Record<string, unknown>;

/** What one panel adds to the option: axes and series, already tied to the panel's grid. */
export interface PanelParts {
  xAxis: Part;
  yAxis: Part;
  series: Part[];
  visualMap?: Part;
}

/** What a panel must know to be drawn. */
export interface PanelFrame {
  index: number;
  lang: Lang;
  theme: ChartTheme;
  interactive: boolean;
  /** px of the grid. */
  width: number;
  /** The name of a series as the legend has it. */
  named(name: Words): string;
  /** The letter that stands for a name below its bar; undefined = the name itself fits. */
  letter(name: string): string | undefined;
  /** Colour, shape and dash of a series by that name, the same in every panel. */
  style(name: string): { color: string; symbol: string; dash: 'solid' | 'dashed' | 'dotted' };
}

/** The option for echarts, and the size the picture needs. */
export function chartOption(figure: Figure, options: DrawOptions): { option: Part; layout: Layout } {
  const { lang, interactive = false } = options;
  const theme = chartThemes[options.theme];
  const layout = layoutOf(figure, lang, options.width);
  const parts = figure.panels.map((panel, index) =>
    partsOf(panel, {
      index,
      lang,
      theme,
      interactive,
      width: layout.boxes[index]!.width,
      named: (name) => layout.shown.get(say(name, lang)) ?? say(name, lang),
      letter: (name) => layout.letters.get(name),
      style: styles(layout, theme),
    }),
  );
  const option: Part = {
    animation: false,
    backgroundColor: theme.background,
    textStyle: { fontFamily, color: theme.text },
    title: titles(figure, layout, lang, theme),
    grid: layout.boxes.map((box, index) => ({
      ...box,
      ...(figure.panels[index]!.kind === 'heat' && { left: box.left + 20, width: box.width - 20 }),
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    })),
    xAxis: parts.map((part) => part.xAxis),
    yAxis: parts.map((part) => part.yAxis),
    series: parts.flatMap((part) => part.series),
    ...legendPart(figure, layout, { lang, theme, interactive }),
  };
  const maps = parts.flatMap((part) => (part.visualMap === undefined ? [] : [part.visualMap]));
  if (maps.length > 0) option['visualMap'] = maps;
  if (interactive) {
    const panelOf = parts.flatMap((part, index) => part.series.map(() => index));
    option['tooltip'] = tooltip(figure, { theme, lang, panelOf });
    option['dataZoom'] = zooms(figure);
  }
  return { option, layout };
}

/** The vendored font first, so that a picture is the same everywhere; then what systems have. echarts writes it into attributes as it is: no quotes. */
const fontFamily = 'Noto Sans CJK SC, Noto Sans SC, PingFang SC, Microsoft YaHei, sans-serif';

function partsOf(panel: Panel, frame: PanelFrame): PanelParts {
  switch (panel.kind) {
    case 'lines':
      return linePanelParts(panel, frame);
    case 'bars':
      return barParts(panel, frame);
    case 'heat':
      return heatParts(panel, frame);
    case 'spans':
      return spanParts(panel, frame);
  }
}

interface SpanApi {
  value(dimension: number): number;
  coord(at: [number, number]): [number, number];
}

/** Rows of stretches of time: one series per phase, so that the legend names the phases. */
function spanParts(panel: SpanPanel, frame: PanelFrame): PanelParts {
  return {
    xAxis: axisOf(panel.x, frame, 'x'),
    yAxis: rowAxis(panel, frame),
    series: panel.phases.map((phase, number) => {
      const name = frame.named(phase.name);
      const color = frame.theme.tones[phase.tone];
      return {
        name,
        type: 'custom',
        xAxisIndex: frame.index,
        yAxisIndex: frame.index,
        color,
        clip: frame.interactive,
        encode: { x: [0, 1], y: 2 },
        data: panel.rows.flatMap((row, at) =>
          row.spans.filter((span) => span.phase === number).map((span) => [span.fromX, span.toX, at]),
        ),
        renderItem: (_: unknown, api: SpanApi) => {
          const [left, middle] = api.coord([api.value(0), api.value(2)]);
          const [right] = api.coord([api.value(1), api.value(2)]);
          const [, next] = api.coord([api.value(0), api.value(2) + 1]);
          const height = Math.max(1, Math.min(24, Math.abs(next - middle) * 0.8));
          return {
            type: 'rect',
            shape: { x: left, y: middle - height / 2, width: Math.max(0.75, right - left), height },
            style: { fill: color },
          };
        },
      };
    }),
  };
}

/** Rows are numbered by their names: where requests were picked, the number says which one it is. */
function rowAxis(panel: SpanPanel, frame: PanelFrame): Part {
  const axis = axisOf({ ...panel.y, from: -0.5, to: panel.rows.length - 0.5, whole: true }, frame, 'y');
  const formatter = (row: number): string => panel.rows[row]?.name ?? '';
  return {
    ...axis,
    axisLabel: { ...(axis['axisLabel'] as Part), formatter, showMinLabel: false, showMaxLabel: false },
  };
}

function styles(layout: Layout, theme: ChartTheme): PanelFrame['style'] {
  const names = layout.legend?.names ?? [];
  return (name) => {
    const at = Math.max(0, names.indexOf(name));
    const round = Math.floor(at / theme.series.length);
    return {
      color: theme.series[at % theme.series.length]!,
      symbol: symbols[(at + round) % symbols.length]!,
      dash: (['solid', 'dashed', 'dotted'] as const)[round % 3]!,
    };
  };
}

function titles(figure: Figure, layout: Layout, lang: Lang, theme: ChartTheme): Part[] {
  const head = {
    text: layout.title.join('\n'),
    left: 24,
    top: 18,
    padding: 0,
    textStyle: { fontFamily, fontSize: titleSize, lineHeight: titleSize + 8, color: theme.text },
  };
  const panels = figure.panels.map((panel, index) => {
    const box = layout.boxes[index]!;
    return {
      text: cutTo(panelTitle(panel, lang), panelTitleSize, box.width),
      left: box.left,
      top: box.top - 30,
      padding: 0,
      textStyle: {
        fontFamily,
        fontSize: panelTitleSize,
        fontWeight: 'bold',
        color: theme.text,
        // A page draws with the fonts that its system has, which may be wider.
        width: box.width,
        overflow: 'truncate',
      },
    };
  });
  const notes = {
    text: layout.notes.lines.join('\n'),
    left: 24,
    top: layout.notes.top,
    padding: 0,
    textStyle: { fontFamily, fontSize: labelSize, lineHeight: 18, fontWeight: 'normal', color: theme.faint },
  };
  return [head, ...panels, ...(layout.notes.lines.length > 0 ? [notes] : [])];
}

/** A limit is named in the title: beside its line the name would cover the data. */
function panelTitle(panel: Panel, lang: Lang): string {
  const limits = panel.kind === 'lines' ? (panel.limits ?? []) : [];
  return [say(panel.title, lang), ...limits.map((limit) => `- - ${say(limit.name, lang)}`)].join('   ');
}

/** echarts stretches the square of a scatter series to the whole width of a legend's picture; a path keeps its shape. */
const squareIcon = 'path://M0,0H10V10H0Z';

function legendPart(
  figure: Figure,
  layout: Layout,
  { lang, theme, interactive }: { lang: Lang; theme: ChartTheme; interactive: boolean },
): Part {
  if (layout.legend === null) return {};
  const style = styles(layout, theme);
  const dots = new Set(
    figure.panels
      .flatMap((panel) => (panel.kind === 'lines' ? panel.series : []))
      .filter(({ kind }) => kind === 'dots')
      .map(({ name }) => layout.shown.get(say(name, lang))),
  );
  return {
    legend: {
      data: layout.legend.names.map((name) =>
        dots.has(name) && style(name).symbol === 'rect' ? { name, icon: squareIcon } : name,
      ),
      left: 24,
      width: layout.width - 48,
      top: layout.legend.top,
      padding: 0,
      itemGap: 12,
      itemWidth: 28,
      itemHeight: 10,
      selectedMode: interactive,
      textStyle: { fontFamily, fontSize: labelSize + 1, color: theme.text },
    },
  };
}

/** Ctrl and the wheel zoom along x, dragging moves; the wheel alone scrolls the page. Panels of one time axis move together. */
function zooms(figure: Figure): Part[] {
  const lines = figure.panels.flatMap((panel, index) =>
    panel.kind === 'heat' || panel.kind === 'bars' ? [] : [index],
  );
  if (lines.length === 0) return [];
  return [
    {
      type: 'inside',
      xAxisIndex: lines,
      filterMode: 'none',
      zoomOnMouseWheel: 'ctrl',
      moveOnMouseWheel: false,
      moveOnMouseMove: true,
    },
  ];
}

function tooltip(figure: Figure, { theme, lang, panelOf }: TooltipFrame): Part {
  const byAxis = figure.panels.every(
    (panel): panel is LinePanel => panel.kind === 'lines' && panel.series.every((series) => series.kind !== 'dots'),
  );
  return {
    trigger: byAxis ? 'axis' : 'item',
    confine: true,
    // Rich text is drawn on the canvas: names of strangers never become HTML.
    renderMode: 'richText',
    formatter: (hovered: Hovered | readonly Hovered[]) => hoverText(figure, hovered, panelOf, lang),
    backgroundColor: theme.background,
    borderColor: theme.grid,
    textStyle: { fontFamily, fontSize: labelSize, color: theme.text },
  };
}

interface TooltipFrame {
  theme: ChartTheme;
  lang: Lang;
  /** The panel of a series, by its number in the option. */
  panelOf: readonly number[];
}
