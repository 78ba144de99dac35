import { say } from '../../../core/index.ts';
import { sizedTogether } from '../figure-text.ts';
import type { HeatPanel } from './figure.ts';
import { labelSize } from './layout.ts';
import type { PanelFrame, PanelParts, Part } from './option.ts';

/** A heat map with its values written into the cells. */
export function heatParts(panel: HeatPanel, frame: PanelFrame): PanelParts {
  const { theme, lang, index } = frame;
  const values = panel.cells.map((cell) => cell.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const axis = (side: HeatPanel['x']): Part => ({
    gridIndex: index,
    type: 'category',
    data: [...side.values],
    name: say(side.name, lang),
    nameTextStyle: { fontSize: labelSize, color: theme.faint },
    axisLabel: { fontSize: labelSize, color: theme.faint },
    axisLine: { lineStyle: { color: theme.faint } },
    splitArea: { show: false },
  });
  const shown = sizedTogether(values);
  const perCell = frame.width / Math.max(1, panel.x.values.length);
  return {
    xAxis: { ...axis(panel.x), nameLocation: 'middle', nameGap: 26 },
    yAxis: {
      ...axis(panel.y),
      nameLocation: 'middle',
      nameGap: 14 + Math.max(...panel.y.values.map((value) => value.length)) * 8,
    },
    series: [
      {
        type: 'heatmap',
        xAxisIndex: index,
        yAxisIndex: index,
        itemStyle: { borderColor: theme.background, borderWidth: 2 },
        data: panel.cells.map((cell, at) => ({
          value: [cell.x, cell.y, cell.value],
          label: {
            show: perCell > 48,
            formatter: shown[at],
            fontSize: labelSize,
            color: inkOn(cell.value, low, high, frame),
          },
        })),
      },
    ],
    visualMap: {
      show: false,
      seriesIndex: [index],
      dimension: 2,
      min: low,
      max: high > low ? high : low + 1,
      inRange: { color: [...theme.heat] },
    },
  };
}

/** Dark ink on light cells and the other way round. */
function inkOn(value: number, low: number, high: number, frame: PanelFrame): string {
  const share = high > low ? (value - low) / (high - low) : 0;
  const lightCell = frame.theme.background === '#ffffff' ? share < 0.5 : share > 0.6;
  return lightCell ? '#111418' : '#f6f8fa';
}
