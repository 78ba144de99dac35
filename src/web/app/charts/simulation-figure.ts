import type { Summary } from '../../../core/index.ts';
import type { Figure } from '../../../results/report/index.ts';
import type { CurvePoint, FittedCurve } from '../sim/curve.ts';

type Three = readonly [number, number, number];

const labels = {
  simulated: { en: 'simulated', zh: '模拟' },
  measured: { en: 'measured', zh: '实测' },
  fitted: { en: 'fitted to the measured', zh: '由实测拟合' },
  x: { en: 'concurrency', zh: '并发' },
};

/** Simulated curves with their span under the measured ones; null while there is nothing to draw. */
export function simulationFigure(
  curve: readonly CurvePoint[],
  measured: readonly Summary[],
  fitted: FittedCurve | null,
): Figure | null {
  if (curve.length === 0 && measured.length === 0) return null;
  const banded = (load: number, [low, y, high]: Three) => ({ x: load, y, low, high });
  const panel = (
    title: { en: string; zh: string },
    simulated: (point: CurvePoint) => Three,
    read: (point: Summary) => number | null | undefined,
    predicted: ((point: FittedCurve['points'][number]) => Three) | null,
  ) => ({
    kind: 'lines' as const,
    title,
    x: { name: labels.x },
    y: { name: title },
    series: [
      {
        name: labels.simulated,
        kind: 'line' as const,
        points: curve.map((point) => banded(point.load, simulated(point))),
      },
      ...(measured.length === 0
        ? []
        : [
            {
              name: labels.measured,
              kind: 'line' as const,
              points: measured.flatMap((point) => {
                const load = point.load.concurrency;
                return load === null
                  ? []
                  : [
                      {
                        x: load,
                        y: read(point) ?? null,
                        ...(point.verdict.valid ? {} : { why: { en: 'not valid', zh: '无效' } }),
                      },
                    ];
              }),
            },
          ]),
      ...(fitted === null || predicted === null
        ? []
        : [
            {
              name: labels.fitted,
              kind: 'line' as const,
              points: fitted.points.map((point) => banded(point.load, predicted(point))),
            },
          ]),
    ],
  });
  return {
    id: 'simulation',
    title: { en: 'Simulated server against load', zh: '模拟服务器随负载的表现' },
    about: {
      en: 'Throughput, latency and first token against concurrency: simulated (shaded: span of five seeds) and, where chosen, measured.',
      zh: '吞吐量、延迟与首 Token 时延随并发的变化：模拟（阴影为五个种子的范围）与所选实测。',
    },
    columns: 3,
    panels: [
      panel(
        { en: 'Output tokens/s', zh: '输出 tok/s' },
        (p) => p.outputTokensPerSec,
        (p) => p.outputTokensPerSec,
        (p) => p.outputTokensPerSec,
      ),
      panel(
        { en: 'Latency, mean (ms)', zh: '平均延迟 (ms)' },
        (p) => p.latencyMeanMs,
        (p) => p.latencyMs?.mean,
        (p) => p.latencyMeanMs,
      ),
      panel(
        { en: 'First token, mean (ms)', zh: '平均首 Token (ms)' },
        (p) => p.ttftMeanMs,
        (p) => p.ttftMs?.mean,
        null,
      ),
    ],
    notes: [{ en: 'Simulated: not a measurement of a real engine.', zh: '模拟结果：并非真实引擎的测量值。' }],
  };
}
