import { say } from '../../../core/index.ts';
import type { Axis, ChartPoint, ChartSeries, LinePanel } from './figure.ts';
import { labelSize } from './layout.ts';
import type { PanelFrame, PanelParts, Part } from './option.ts';
import { cutTo } from './text-size.ts';

/** Lines, dots, staircases, bands and limits of one panel. */
export function linePanelParts(panel: LinePanel, frame: PanelFrame): PanelParts {
  // Lines come first: the legend shows the first series of a name, and a band has neither shape nor dash.
  const series = panel.series.flatMap((one) => [lineOf(one, panel, frame), ...bandOf(one, panel, frame)]);
  const limits = limitsOf(panel, frame);
  return {
    xAxis: axisOf(panel.x, frame, 'x'),
    yAxis: axisOf(panel.y, frame, 'y', panel),
    series: limits === null ? series : [...series, limits],
  };
}

/** An axis of values; y begins at zero unless told, so that heights can be compared. */
export function axisOf(axis: Axis, frame: PanelFrame, which: 'x' | 'y', panel?: LinePanel): Part {
  const { theme, lang, index } = frame;
  const log = axis.scale === 'log';
  const highest = Math.max(0, ...(panel?.limits ?? []).map((limit) => limit.value));
  const part: Part = {
    gridIndex: index,
    type: log ? 'log' : 'value',
    min: axis.from ?? (which === 'y' && !log ? 0 : undefined),
    axisLine: { show: true, onZero: false, lineStyle: { color: theme.faint } },
    axisTick: { show: which === 'x' },
    splitLine: { show: which === 'y', lineStyle: { color: theme.grid } },
    axisLabel: { fontSize: labelSize, color: theme.faint, hideOverlap: true },
    scale: which === 'x',
    ...(axis.whole === true && { minInterval: 1 }),
  };
  if (axis.to !== undefined) {
    part['max'] = axis.to;
    // Where the data end is no round number; its label would crowd the last one that is.
    if (which === 'x') part['axisLabel'] = { ...(part['axisLabel'] as Part), showMaxLabel: false };
  } else if (highest > 0) part['max'] = (value: { max: number }) => niceAbove(Math.max(value.max, highest));
  if (which === 'x') {
    Object.assign(part, {
      name: cutTo(say(axis.name, lang), labelSize, frame.width),
      nameLocation: 'middle',
      nameGap: 26,
      nameTextStyle: { fontSize: labelSize, color: theme.faint },
      splitNumber: Math.max(3, Math.floor(frame.width / 70)),
    });
  }
  return part;
}

/** A round number a little above a value. */
function niceAbove(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value)) / 2;
  return Math.ceil((value * 1.03) / step) * step;
}

function lineOf(series: ChartSeries, panel: LinePanel, frame: PanelFrame): Part {
  const name = frame.named(series.name);
  const { color: own, symbol, dash } = frame.style(name);
  const color = series.faint === true ? frame.theme.faint : own;
  const many = series.points.length > 60;
  const at = { name, xAxisIndex: frame.index, yAxisIndex: frame.index, color, data: pointsOf(series, color, frame) };
  const drawn = {
    symbol,
    symbolSize: panel.series.length > 8 ? 6 : 8,
    itemStyle: { color },
    emphasis: { focus: 'series' },
    labelLayout: { hideOverlap: true },
  };
  if (series.kind === 'dots')
    return {
      ...at,
      ...drawn,
      type: 'scatter',
      symbolSize: many ? 3 : series.faint === true ? 7 : 10,
      ...(series.faint === true && { symbol: 'circle' }),
      ...(series.points.length > 5000 && { large: true }),
    };
  return {
    ...at,
    ...drawn,
    type: 'line',
    showSymbol: !many || series.plain === true,
    ...(series.plain === true && { symbol: 'none' }),
    // On a page a stretch can be zoomed into, and what lies beside it must not be drawn over the neighbour. A picture shows all, and
    // points on the edge of the grid whole.
    clip: frame.interactive,
    connectNulls: false,
    lineStyle: { width: panel.series.length > 8 ? 1.5 : 2, type: dash, color },
    ...(series.kind === 'steps' && { step: 'end' }),
    ...(many && { sampling: 'minmax' }),
  };
}

function pointsOf(series: ChartSeries, color: string, frame: PanelFrame): unknown[] {
  return series.points.map((point, i) => {
    const value = [point.x, point.y];
    // A line needs two ends: a value between two gaps would not be seen.
    const alone = (series.points[i - 1]?.y ?? null) === null && (series.points[i + 1]?.y ?? null) === null;
    if (series.plain === true && alone) return { value, symbol: 'circle', symbolSize: 5 };
    if (point.why === undefined && point.label === undefined) return value;
    const hollow = { itemStyle: { color: frame.theme.background, borderColor: color, borderWidth: 2 }, symbolSize: 9 };
    const label = {
      show: true,
      formatter: point.label === undefined ? '' : say(point.label, frame.lang),
      position: series.labels === 'below' ? 'bottom' : 'top',
      // A word at the edge grows into the panel, not over its axis.
      ...(series.labels === 'inward' && {
        align: i === 0 ? 'left' : i === series.points.length - 1 ? 'right' : 'center',
      }),
      fontSize: 11,
      color: frame.theme.text,
      // Lines may pass behind a number; it stays readable.
      textBorderColor: frame.theme.background,
      textBorderWidth: 3,
    };
    return { value, ...(point.why !== undefined && hollow), ...(point.label !== undefined && { label }) };
  });
}

/** The intervals of a series as one filled shape; none where no point has one. */
function bandOf(series: ChartSeries, panel: LinePanel, frame: PanelFrame): Part[] {
  const banded = series.points.filter(hasInterval);
  if (banded.length < 2) return [];
  const name = frame.named(series.name);
  const { color } = frame.style(name);
  // Many bands lie over each other; each must stay faint enough to see the lines.
  const opacity = panel.series.length > 8 ? 0.05 : 0.16;
  return [
    {
      name,
      type: 'custom',
      xAxisIndex: frame.index,
      yAxisIndex: frame.index,
      silent: true,
      clip: frame.interactive,
      z: 1,
      color,
      tooltip: { show: false },
      encode: { x: 0, y: [1, 2] },
      data: banded.map((point) => [point.x, point.low, point.high]),
      renderItem: (params: { dataIndex: number }, api: { coord(at: [number, number]): number[] }) => {
        if (params.dataIndex !== 0) return undefined;
        const upper = banded.map((point) => api.coord([point.x, point.high]));
        const lower = banded.map((point) => api.coord([point.x, point.low])).toReversed();
        return { type: 'polygon', shape: { points: [...upper, ...lower] }, style: { fill: color, opacity } };
      },
    },
  ];
}

function hasInterval(point: ChartPoint): point is ChartPoint & { low: number; high: number } {
  return typeof point.low === 'number' && typeof point.high === 'number';
}

function limitsOf(panel: LinePanel, frame: PanelFrame): Part | null {
  if (panel.limits === undefined || panel.limits.length === 0) return null;
  return {
    type: 'line',
    xAxisIndex: frame.index,
    yAxisIndex: frame.index,
    data: [],
    silent: true,
    markLine: {
      silent: true,
      symbol: 'none',
      lineStyle: { type: 'dashed', width: 1.5, color: frame.theme.text },
      label: { show: false },
      data: panel.limits.map((limit) => ({ yAxis: limit.value })),
    },
  };
}
