import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapComponent,
} from 'echarts/components';
import { init, setPlatformAPI, use } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  ScatterChart,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapComponent,
  LabelLayout,
  CanvasRenderer,
  SVGRenderer,
]);

/** echarts with the parts that our charts use, and nothing else. */
export { init };

/** Without a browser echarts guesses widths of another font, and names in a legend would overlap. */
export function measureBy(width: (text: string, size: number) => number): void {
  setPlatformAPI({
    measureText: (text, font) => ({ width: width(text, Number(/([\d.]+)px/.exec(font ?? '')?.[1] ?? 12)) }),
  });
}
