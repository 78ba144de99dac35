import type { SpanPanel } from './figure.ts';
import type { PanelFrame, Part } from './option.ts';

interface SpanApi {
  value(dimension: number): number;
  coord(at: [number, number]): [number, number];
}

/** Rows of stretches of time: one series per phase, so that the legend names the phases. */
export function spanParts(panel: SpanPanel, frame: PanelFrame): { series: Part[] } {
  return {
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
