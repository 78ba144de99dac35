import type { Lang } from '../../../core/index.ts';
import { chartOption } from '../../../results/report/index.ts';
import type { Figure, ThemeName } from '../../../results/report/index.ts';
import { init } from './echarts.ts';
import type { EChartsType } from './echarts.ts';

/** How a figure is looked at: what stands in the permalink. */
export interface FigureView {
  logX: boolean;
  logY: boolean;
  /** Names of series that are hidden. */
  hidden: readonly string[];
  /** Zoomed stretches by axis: `x0`, `y1` …, as shares of the axis in percent. */
  zoom: Readonly<Record<string, readonly [number, number]>>;
}

/** A figure on the page. */
export interface Drawn {
  draw(figure: Figure, view: FigureView, look: { lang: Lang; theme: ThemeName; width: number }): void;
  onHidden(tell: (hidden: string[]) => void): void;
  onZoom(tell: (zoom: Record<string, [number, number]>) => void): void;
  picture(): string;
  end(): void;
}

interface ZoomEvent {
  batch?: { dataZoomId: string; start?: number; end?: number; startValue?: number; endValue?: number }[];
}

/** Puts a figure into an element: drag over a panel to zoom into it. */
export function drawFigure(element: HTMLElement): Drawn {
  const chart: EChartsType = init(element, null, { renderer: 'canvas' });
  return {
    draw(figure, view, { lang, theme, width }) {
      const shown = withScales(figure, view);
      const { option, layout } = chartOption(shown, { lang, theme, width, interactive: true });
      element.style.height = `${layout.height}px`;
      chart.resize({ width, height: layout.height });
      chart.setOption({ ...option, ...extras(option, shown, view) }, { notMerge: true });
      if (canZoom(shown))
        chart.dispatchAction({ type: 'takeGlobalCursor', key: 'dataZoomSelect', dataZoomSelectActive: true });
    },
    onHidden(tell) {
      chart.on('legendselectchanged', (event) => {
        const { selected } = event as { selected: Record<string, boolean> };
        tell(Object.keys(selected).filter((name) => !selected[name]));
      });
    },
    onZoom(tell) {
      chart.on('datazoom', (event) => {
        if ((event as ZoomEvent).batch === undefined) return;
        const zooms = (chart.getOption()['dataZoom'] ?? []) as { id: string; start: number; end: number }[];
        const changed = zooms.filter(({ start, end }) => start > 0.01 || end < 99.99);
        tell(Object.fromEntries(changed.map(({ id, start, end }) => [id, [start, end]])));
      });
    },
    picture: () => chart.getDataURL({ type: 'png', pixelRatio: 2 }),
    end: () => chart.dispose(),
  };
}

function canZoom(figure: Figure): boolean {
  return figure.panels.some(({ kind }) => kind !== 'heat');
}

/** A logarithm has no zero: what began there begins where the data do. */
function withScales(figure: Figure, { logX, logY }: FigureView): Figure {
  if (!logX && !logY) return figure;
  return {
    ...figure,
    panels: figure.panels.map((panel) => {
      if (panel.kind !== 'lines') return panel;
      const scaled = <A extends { from?: number; scale?: 'linear' | 'log' }>(axis: A, log: boolean): A => {
        if (!log) return axis;
        const { from: _, ...rest } = axis;
        return { ...rest, scale: 'log' } as A;
      };
      const positive = (value: number | null): number | null => (value !== null && value > 0 ? value : null);
      return {
        ...panel,
        x: scaled(panel.x, logX),
        y: scaled(panel.y, logY),
        series: panel.series.map((series) => ({
          ...series,
          points: series.points
            .filter(({ x }) => !logX || x > 0)
            .map((point) => (logY ? { ...point, y: positive(point.y), low: positive(point.low ?? null) } : point)),
        })),
      };
    }),
  };
}

function extras(option: Record<string, unknown>, figure: Figure, view: FigureView): Record<string, unknown> {
  const zoomOf = (id: string): { start: number; end: number } => ({
    start: view.zoom[id]?.[0] ?? 0,
    end: view.zoom[id]?.[1] ?? 100,
  });
  const axes = figure.panels.flatMap((panel, i) =>
    panel.kind === 'heat' || panel.kind === 'bars'
      ? []
      : [
          { id: `x${i}`, xAxisIndex: i },
          { id: `y${i}`, yAxisIndex: i },
        ],
  );
  const quiet = { type: 'inside', zoomOnMouseWheel: false, moveOnMouseMove: false, moveOnMouseWheel: false };
  const legend = option['legend'] as Record<string, unknown> | undefined;
  return {
    dataZoom: axes.map((axis) => ({ ...quiet, ...axis, ...zoomOf(axis.id), filterMode: 'none' })),
    toolbox: {
      show: true,
      itemSize: 0,
      top: -40,
      feature: { dataZoom: { filterMode: 'none', brushStyle: { opacity: 0.15 } } },
    },
    ...(legend !== undefined && {
      legend: { ...legend, selected: Object.fromEntries(view.hidden.map((name) => [name, false])) },
    }),
  };
}
