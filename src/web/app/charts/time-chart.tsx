import { useEffect, useLayoutEffect, useRef, useState } from '../preact.ts';
import { isDark, useSettings } from '../state/settings.ts';
import { uPlot } from './uplot.ts';
import { chartThemes } from '../../../results/report/index.ts';

/** One line over time. */
export interface TimeSeries {
  name: string;
  /** Place in the colours of the charts. */
  color: number;
  dots?: boolean;
}

interface TimeChartProps {
  title: string;
  /** Seconds, then one list per series; null = a gap. */
  data: readonly (readonly (number | null)[])[];
  series: readonly TimeSeries[];
  height?: number;
  /** Told when a stretch is brushed (seconds), or null when the brush is taken away. */
  onBrush?: (window: [number, number] | null) => void;
  brush?: readonly [number, number] | null;
}

/** A quick chart over time for what moves: data may be replaced many times a second. */
export function TimeChart({ title, data, series, height = 170, onBrush, brush }: TimeChartProps) {
  const { look } = useSettings();
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const brushed = useRef(onBrush);
  brushed.current = onBrush;
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.floor(entry!.contentRect.width))));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  const names = series.map(({ name }) => name).join('|');
  useEffect(() => {
    if (width === 0) return;
    const plot = new uPlot(optionsOf(), data as unknown as uPlot.AlignedData, box.current!);
    chart.current = plot;
    return () => {
      plot.destroy();
      chart.current = null;
    };
    function optionsOf(): uPlot.Options {
      const theme = chartThemes[isDark() ? 'dark' : 'light'];
      const axis = {
        stroke: theme.faint,
        grid: { stroke: theme.grid, width: 1 },
        ticks: { stroke: theme.grid, width: 1 },
      };
      const font = '11px system-ui, sans-serif';
      return {
        width,
        height,
        legend: { show: series.length > 1 || onBrush !== undefined, live: true },
        cursor: { drag: { x: onBrush !== undefined, y: false, setScale: false }, points: { size: 6 } },
        scales: { x: { time: false }, y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.06 : 1] } },
        axes: [
          { ...axis, font, size: 28, values: (_plot, marks) => marks.map((mark) => `${mark} s`) },
          { ...axis, font, size: 58 },
        ],
        series: [
          { label: 's', value: (_plot, value) => (value === null ? '–' : value.toFixed(1)) },
          ...series.map(({ name, color, dots }): uPlot.Series => ({
            label: name,
            stroke: theme.series[color % theme.series.length]!,
            width: dots === true ? 0 : 1.6,
            points: dots === true ? { show: true, size: 3 } : { show: false },
            spanGaps: false,
            value: (_plot, value) => (value === null ? '–' : value.toFixed(value >= 100 ? 0 : 2)),
            ...(dots === true && { paths: () => null }),
          })),
        ],
        hooks: {
          setSelect: [
            (drawn) => {
              if (brushed.current === undefined) return;
              const { left, width: wide } = drawn.select;
              if (wide > 4) brushed.current([drawn.posToVal(left, 'x'), drawn.posToVal(left + wide, 'x')]);
              else brushed.current(null);
            },
          ],
        },
      };
    }
  }, [width, look, names, height]);
  useEffect(() => {
    const plot = chart.current;
    if (plot === null) return;
    // At once: until its axes are laid out, a chart does not know where a moment lies.
    plot.batch(() => plot.setData(data as unknown as uPlot.AlignedData));
    if (brush === undefined) return;
    const { clientWidth, clientHeight } = plot.over;
    // An address may ask for more than there is.
    const placeOf = (sec: number) => Math.min(clientWidth, Math.max(0, plot.valToPos(sec, 'x')));
    const [left, right] = brush === null ? [0, 0] : [placeOf(brush[0]), placeOf(brush[1])];
    plot.setSelect({ left, width: right - left, top: 0, height: clientHeight }, false);
  }, [data, width, look, brush?.[0], brush?.[1]]);
  return (
    <div class="time-chart">
      <h3>{title}</h3>
      <div
        ref={box}
        style={{ minHeight: `${height + (series.length > 1 || onBrush ? 26 : 0)}px` }}
        role="img"
        aria-label={title}
      />
    </div>
  );
}
