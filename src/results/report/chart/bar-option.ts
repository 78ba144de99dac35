import { say } from '../../../core/index.ts';
import { shortFigure } from '../sentence/short-figure.ts';
import type { BarPanel } from './figure.ts';
import { barRoom, labelSize } from './layout.ts';
import { axisOf } from './line-option.ts';
import type { PanelFrame, PanelParts, Part } from './option.ts';
import { textWidth } from './text-size.ts';

/** Named bars beside each other, each in the colour that its name has in every panel, its value above it. */
export function barParts(panel: BarPanel, frame: PanelFrame): PanelParts {
  const { theme, lang, index } = frame;
  const names = panel.bars.map((bar) => frame.named(bar.name));
  const shown = panel.bars.map(({ y }) => shortFigure(y, 4));
  const room = barRoom(frame.width, names.length);
  const fits = shown.every((value) => textWidth(value, labelSize) <= room);
  const series = panel.bars.flatMap((bar, at): Part[] => {
    const { color } = frame.style(names[at]!);
    const hollow = { color: theme.background, borderColor: color, borderWidth: 2 };
    const drawn: Part = {
      name: names[at],
      type: 'bar',
      xAxisIndex: index,
      yAxisIndex: index,
      barGap: '-100%',
      barMaxWidth: 90,
      color,
      itemStyle: bar.why === undefined ? { color } : hollow,
      data: panel.bars.map((_, i) => (i === at && bar.y !== null ? bar.y : '-')),
      label: {
        show: fits && bar.y !== null && bar.each === undefined,
        formatter: shown[at],
        position: 'top',
        fontSize: labelSize,
        color: theme.text,
      },
    };
    return bar.each === undefined ? [drawn] : [drawn, repeated(at, bar.each, fits ? shown[at]! : '', frame)];
  });
  return {
    xAxis: {
      gridIndex: index,
      type: 'category',
      data: names.map((name) => frame.letter(name) ?? (textWidth(name, labelSize) > room ? '' : name)),
      axisLine: { lineStyle: { color: theme.faint } },
      axisTick: { show: false },
      axisLabel: { fontSize: labelSize, color: theme.faint, interval: 0, show: room > 12 },
    },
    yAxis: {
      ...axisOf(panel.y, frame, 'y'),
      name: '',
      nameLocation: 'middle',
      id: `${say(panel.title, lang)}-${index}`,
    },
    series,
  };
}

/** Repeated points, from the lowest to the highest, with their mean above. */
function repeated(at: number, each: readonly number[], mean: string, { theme, index }: PanelFrame): Part {
  const [low, high] = [Math.min(...each), Math.max(...each)];
  return {
    type: 'custom',
    xAxisIndex: index,
    yAxisIndex: index,
    silent: true,
    z: 5,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2] },
    data: [[at, low, high]],
    renderItem: (_: unknown, api: { coord(where: [number, number]): [number, number] }) => {
      const [[x, top], [, bottom]] = [api.coord([at, high]), api.coord([at, low])];
      const line = (x1: number, y1: number, x2: number, y2: number): Part => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: { stroke: theme.text, lineWidth: 1.5 },
      });
      const dots = each.map((value): Part => ({
        type: 'circle',
        shape: { cx: x, cy: api.coord([at, value])[1], r: 4 },
        style: { fill: theme.background, stroke: theme.text, lineWidth: 1.5 },
      }));
      const label: Part = {
        type: 'text',
        style: {
          text: mean,
          x,
          y: top - 9,
          align: 'center',
          verticalAlign: 'bottom',
          fontSize: labelSize,
          fill: theme.text,
        },
      };
      return { type: 'group', children: [line(x, top, x, bottom), ...dots, label] };
    },
  };
}
