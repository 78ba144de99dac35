import { meanOf, printable, quotedFigures } from '../../../core/index.ts';
import type { Summary, Sweep } from '../../../core/index.ts';
import { checkSlo, metricOf, parseSlo } from '../../measure/index.ts';
import { chartLabels } from './chart-labels.ts';
import type { ChartSeries, Figure, LinePanel } from './figure.ts';
import { loadAxis, loadLines } from './load-lines.ts';
import { notesOf, panelOf, reasonOf } from './sweep-figures.ts';
import type { IntervalsOf, Reading } from './sweep-figures.ts';

const [firstToken, perToken] = [
  { en: 'First token', zh: '首 Token' },
  { en: 'Per output token', zh: '每 Token' },
];
const tokenTimes = [
  ['ttft', 'ttftMs', 'p50', firstToken],
  ['ttft', 'ttftMs', 'p99', firstToken],
  ['tpot', 'tpotMs', 'p50', perToken],
  ['tpot', 'tpotMs', 'p90', perToken],
] as const;

/** First token and time per output token against the load, by percentile; null where nothing was streamed. */
export function tokenTimesFigure(sweeps: readonly Sweep[], intervals: IntervalsOf): Figure | null {
  const all = tokenTimes.map(([metric, key, statistic, { en, zh }]): Reading => ({
    title: { en: `${en} ${statistic} (ms)`, zh: `${zh} ${statistic} (ms)` },
    of: (point) => quotedFigures(point)[key]?.[statistic],
    interval: `${metric}.${statistic}`,
  }));
  const points = sweeps.flatMap((sweep) => sweep.points);
  const wanted = all.filter((reading) => points.some((point) => typeof reading.of(point) === 'number'));
  if (wanted.length === 0) return null;
  return {
    id: 'token-times',
    title: { en: 'First token and time per token', zh: '首 Token 与每 Token 时延' },
    about: {
      en: 'Time to first token and time per output token against the load.',
      zh: '首 Token 时延与每 Token 时延随负载的变化。',
    },
    columns: 2,
    panels: wanted.map((reading) => panelOf(reading, sweeps, intervals)),
    notes: notesOf(sweeps, intervals),
  };
}

/** Requests within the SLO beside all requests, and each promised figure with its limit; null without an SLO. */
export function goodputFigure(sweep: Sweep): Figure | null {
  const slos = sweep.points.find((point) => point.goodput !== null)?.goodput?.slo ?? [];
  const panels: LinePanel[] = [];
  const axis = loadAxis([sweep]);
  const [one, ...others] = loadLines([sweep]);
  // Goodput and offered load are two lines already; of several variants each would need a picture of its own.
  if (slos.length === 0 || sweep.points.length < 2 || axis === null || one === undefined || others.length > 0)
    return null;
  const placed = one.points;
  const line = (name: ChartSeries['name'], of: (point: Summary) => number | null): ChartSeries => ({
    name,
    kind: 'line',
    points: placed.map(({ x, runs }) => {
      const doubted = runs.find((run) => !run.verdict.valid);
      return { x, y: meanOf(runs.map(of)), ...(doubted !== undefined && { why: reasonOf(doubted) }) };
    }),
  });
  panels.push({
    kind: 'lines',
    title: { en: 'Goodput (requests/s)', zh: '达标吞吐（请求/秒）' },
    x: { name: axis.name },
    y: { name: chartLabels.goodput },
    series: [
      line(chartLabels.goodput, (point) => point.goodput?.requestsPerSec ?? null),
      line(chartLabels.offered, (point) => point.requestsPerSec),
    ],
  });
  for (const slo of slos.map(parseSlo).filter(({ unit }) => unit === 'ms')) {
    // A promise about every request is shown by its tail.
    const statistic = slo.statistic ?? 'p99';
    const name = `${slo.metric}.${statistic}`;
    panels.push({
      kind: 'lines',
      title: `${name} (ms)`,
      x: { name: axis.name },
      y: { name: chartLabels.milliseconds },
      series: [line(name, (point) => metricOf(point, slo.metric, statistic))],
      limits: [{ value: slo.limit, name: printable(slo.text) }],
    });
  }
  const met = placed.filter(({ runs }) =>
    runs.every((point) => slos.every((slo) => checkSlo(parseSlo(slo), point).met === true)),
  );
  const best = met.at(-1)?.x;
  return {
    id: 'goodput',
    title: { en: 'Goodput and the SLO', zh: '达标吞吐与 SLO' },
    about: {
      en: best === undefined ? 'No load met the SLO.' : `The highest load that met the SLO was ${best}.`,
      zh: best === undefined ? '没有负载满足 SLO。' : `满足 SLO 的最高负载为 ${best}。`,
    },
    columns: Math.min(3, panels.length),
    panels,
    notes: notesOf([sweep]),
  };
}

/** Input × output lengths as a heat map of throughput and latency; null where the points do not span both. */
export function lengthsFigure(sweep: Sweep): Figure | null {
  const at = sweep.points.flatMap((point) => {
    const [input, output] = [point.inputTokens?.mean, point.outputTokens?.mean];
    return typeof input === 'number' && typeof output === 'number'
      ? [{ input: Math.round(input), output: Math.round(output), point }]
      : [];
  });
  const inputs = [...new Set(at.map(({ input }) => input))].toSorted((a, b) => a - b);
  const outputs = [...new Set(at.map(({ output }) => output))].toSorted((a, b) => a - b);
  if (inputs.length < 2 || outputs.length < 2 || inputs.length * outputs.length > 2 * at.length) return null;
  const heat = (
    title: Reading['title'],
    of: (point: Summary) => number | null | undefined,
  ): Figure['panels'][number] => ({
    kind: 'heat',
    title,
    x: { name: chartLabels.inputTokens, values: inputs.map(String) },
    y: { name: chartLabels.outputTokens, values: outputs.map(String) },
    cells: at.flatMap(({ input, output, point }) => {
      const value = of(point);
      return typeof value === 'number' ? [{ x: inputs.indexOf(input), y: outputs.indexOf(output), value }] : [];
    }),
  });
  return {
    id: 'lengths',
    title: { en: 'Input × output length', zh: '输入 × 输出长度' },
    about: {
      en: 'Throughput and mean latency by input and output length.',
      zh: '不同输入、输出长度下的吞吐量与平均延迟。',
    },
    columns: 2,
    panels: [
      heat(chartLabels.throughput, (p) => quotedFigures(p).outputTokensPerSec),
      heat(chartLabels.latencyMs, (p) => quotedFigures(p).latencyMs?.mean),
    ],
    notes: notesOf([sweep]),
  };
}
