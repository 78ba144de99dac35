/**
 * Every kind of chart at its edges: 2 and 20 series, 2 and 40 points, long names, invalid points, intervals. Read by the
 * law that text fits (chart-text.test.ts) and by bench/charts.mjs, which draws them to be looked at. Figures are made up
 * by formula; nothing here is a measurement.
 */
import type { Distribution, Exchange, Finding, Summary, Sweep } from '../../src/core/index.ts';
import { makeTrace } from '../../src/results/measure/index.ts';
import type { MachineOf, Trace } from '../../src/results/measure/index.ts';
import { frontierFigure } from '../../src/results/report/chart/frontier-figure.ts';
import { comparisonFigure, percentilesFigure, sweepFigure } from '../../src/results/report/chart/index.ts';
import type { Figure, IntervalsOf } from '../../src/results/report/chart/index.ts';
import { goodputFigure, lengthsFigure, tokenTimesFigure } from '../../src/results/report/chart/load-figures.ts';
import {
  cdfFigure,
  devicesFigure,
  overTimeFigure,
  timelineFigure,
} from '../../src/results/report/chart/run-figures.ts';
import type { Sampled } from '../../src/results/report/chart/run-figures.ts';

/** One chart of the matrix. */
export interface Drawn {
  /** kebab-case: kind, series, points. */
  name: string;
  figure: Figure;
}

const engines = ['vLLM 0.9.1', 'MindIE 2.0.RC2', 'SGLang 0.4.8', 'LMDeploy', 'XInference', 'TGI 3.3'];
const cards = ['T4', '910B4×8', 'MXC500', 'H200', 'RTX 4090'];
const models = ['Qwen1.5-7B-Chat', 'Qwen2.5-72B-Instruct-AWQ', '通义千问 QwQ-32B（推理）', 'Llama-3-8B'];

/** A name as people give them: some short, some long, some in Chinese. */
function nameOf(i: number): string {
  return `${engines[i % engines.length]} · ${cards[i % cards.length]} · ${models[i % models.length]}`;
}

function spread(mean: number, n = 200): Distribution {
  const at = (share: number): number => mean * share;
  return {
    mean,
    min: at(0.4),
    max: at(3.1),
    p50: at(0.95),
    p66: at(1.1),
    p75: at(1.2),
    p80: at(1.3),
    p90: at(1.6),
    p95: at(1.9),
    p98: at(2.3),
    p99: at(2.6),
    n,
  };
}

const doubt: Finding = {
  code: 'client-bound',
  severity: 'invalid',
  message: 'The client was the limit: its event loop was 41 ms late at the 99th percentile, so latencies are too long.',
  evidence: {},
  advice: 'Use more threads.',
  zh: {
    message: '客户端自身成为瓶颈：事件循环延迟 p99 达 41 ms，时延被高估，该点不可用于比较。',
    advice: '增加线程。',
  },
};

function point(load: number, strength: number, valid: boolean): Summary {
  const most = 2600 * strength;
  const tokens = (most * load) / (load + 40);
  const latencyMs = (load * 180 * 1000) / tokens;
  return {
    schema: 'llmdyno.summary/1',
    runId: `${strength}-${load}`,
    label: null,
    source: { tool: 'llmdyno', file: null },
    simulated: true,
    partial: false,
    model: null,
    startedAt: null,
    load: { kind: 'closed', concurrency: load, ratePerSec: null, stream: true },
    counts: {
      planned: 1000,
      issued: 1000,
      ok: 1000 - load,
      failed: load > 200 ? Math.round(load / strength) : 0,
      cancelled: 0,
      dropped: 0,
      unaccounted: 0,
      byProblem: {},
    },
    durationMs: (1000 * 180 * 1000) / tokens,
    requestsPerSec: tokens / 180,
    outputTokensPerSec: tokens,
    latencyMs: spread(latencyMs),
    ttftMs: spread(60 + (load * 4) / strength),
    tpotMs: spread(latencyMs / 190),
    itlMs: spread(latencyMs / 190),
    userTokensPerSec: { ...spread(tokens / load), p10: (tokens / load) * 0.7, p1: (tokens / load) * 0.5 },
    inputTokens: spread(200),
    outputTokens: spread(180),
    goodput: {
      slo: ['ttft.p99<2s', 'latency<30s'],
      requestsPerSec: (tokens / 180) * Math.max(0.1, 1 - load / 400),
      ratio: 0.9,
    },
    verdict: { valid, findings: valid ? [] : [doubt] },
  } as unknown as Summary;
}

function sweep(index: number, points: number): Sweep {
  // Unequal points: every system was run at loads of its own.
  const loads = Array.from({ length: points }, (_, i) => (i + 1) * (points === 2 ? 40 : 8) + (index % 3));
  return {
    schema: 'llmdyno.sweep/1',
    id: `s${index}`,
    title: nameOf(index),
    variable: 'concurrency',
    points: loads.map((load, i) => point(load, 1 + ((index * 7) % 20) / 9, i !== points - 1 || index % 4 !== 0)),
    findings: [],
  };
}

const bands: IntervalsOf = () =>
  Object.fromEntries(
    ['requestsPerSec', 'outputTokensPerSec', 'latency.mean', 'latency.p50', 'latency.p90', 'ttft.p50', 'tpot.p50'].map(
      (word) => [word, [0.93, 1.08] as const],
    ),
  );

function grid(inputs: number, outputs: number): Sweep {
  const points = Array.from({ length: inputs * outputs }, (_, i) => {
    const made = point(16, 1 + (i % 5) / 4, true);
    const input = 128 * 2 ** (i % inputs);
    const output = 64 * 2 ** Math.floor(i / inputs);
    return { ...made, runId: `g${i}`, inputTokens: spread(input), outputTokens: spread(output) };
  });
  return { schema: 'llmdyno.sweep/1', id: 'g', title: 'grid', variable: 'grid', points, findings: [] };
}

/** Cards by the system's strength, so that per card the order is another one. */
const machineOf: MachineOf = ({ runId }) => ({
  pricePerHour: null,
  cards: Number(runId.split('-')[0]) > 2 ? 2 : 1,
  powerW: null,
});

/** Ways of running one load, each measured so many times. */
function named(variants: number, runs: number): Sweep {
  const points = Array.from({ length: variants * runs }, (_, i) => ({
    ...point(16, 1 + (i % 7) / 10, true),
    runId: `v${i}`,
    asked: { variant: `numactl --cpunodebind=${i % variants} --membind=${i % variants}` },
  }));
  return { schema: 'llmdyno.sweep/1', id: 'v', title: '绑定 variants', variable: 'concurrency', points, findings: [] };
}

/** A run of so many requests, 16 in flight, some of them failing. */
function trace(requests: number): Trace {
  const kept = makeTrace({ kind: 'closed', concurrency: 16 });
  for (let seq = 0; seq < requests; seq++) {
    const sentMs = Math.floor(seq / 16) * 2100 + (seq % 16) * 90;
    const firstMs = sentMs + 120 + ((seq * 37) % 300);
    const atMs = Array.from({ length: 40 }, (_, i) => firstMs + i * (38 + (seq % 9)));
    const failed = seq % 23 === 7;
    kept.add({
      seq,
      warmup: false,
      dueMs: sentMs,
      sentMs,
      firstByteMs: firstMs,
      endMs: failed ? sentMs + 500 : atMs.at(-1)!,
      chunks: { atMs, tokens: atMs.map(() => 1), kinds: 'a'.repeat(atMs.length) },
      inputTokens: { planned: 40, server: 40, client: null },
      outputTokens: { planned: null, server: 40, client: null },
      outcome: failed ? 'failed' : 'ok',
      problem: failed ? { code: 'reset', status: null, words: null } : null,
    } as unknown as Exchange);
  }
  return kept;
}

function sampled(series: number, readings: number, untilMs: number): Sampled[] {
  const many = (name: (i: number) => string, value: (i: number, at: number) => number): Sampled['series'] =>
    Array.from({ length: series }, (_, i) => ({
      name: name(i),
      points: Array.from({ length: readings }, (_unused, at) => ({
        atMs: ((at + 0.5) * untilMs) / readings,
        value: value(i, at / readings),
      })),
    }));
  const card = (i: number): string => `huawei ${i}`;
  const wave = (at: number): number => Math.min(1, at * 4) * (0.9 + 0.1 * Math.sin(at * 40));
  return [
    {
      about: 'requests',
      title: { en: 'Requests at the server', zh: '服务器侧请求' },
      series: [
        {
          name: { en: 'running (server)', zh: '运行中（服务器）' },
          points: many(card, (_, at) => 12 * wave(at))[0]!.points,
        },
        {
          name: { en: 'waiting (server)', zh: '排队（服务器）' },
          points: many(card, (_, at) => 4 * wave(at))[0]!.points,
        },
      ],
    },
    {
      about: 'server',
      title: { en: 'KV cache in use (%)', zh: 'KV 缓存占用 (%)' },
      series: [{ name: { en: 'server', zh: '服务器' }, points: many(card, (_, at) => 97 * wave(at))[0]!.points }],
    },
    {
      about: 'devices',
      title: { en: 'Power (W)', zh: '功率 (W)' },
      series: many(card, (i, at) => 90 + (280 + 6 * i) * wave(at)),
    },
    {
      about: 'devices',
      title: { en: 'Memory in use (GiB)', zh: '已用显存 (GiB)' },
      series: many(card, (i, at) => 20 + (i % 7) + 6 * wave(at)),
    },
    {
      about: 'devices',
      title: { en: 'Cards in use (%)', zh: '卡利用率 (%)' },
      series: many(card, (i, at) => (99 - i) * wave(at)),
    },
    {
      about: 'devices',
      title: { en: 'Temperature (°C)', zh: '温度 (°C)' },
      series: many(card, (i, at) => 40 + i + 20 * wave(at)),
    },
    {
      about: 'host',
      title: { en: 'CPU of the host (%)', zh: '主机 CPU (%)' },
      series: many(
        (i) => `NUMA ${i}`,
        (i, at) => (30 + i) * wave(at),
      ).slice(0, 8),
    },
  ];
}

/** All of them. */
export function chartMatrix(): Drawn[] {
  const drawn: (Drawn | { name: string; figure: null })[] = [];
  const add = (name: string, figure: Figure | null): void => void drawn.push({ name, figure } as Drawn);
  for (const points of [2, 40]) {
    add(`sweep-1x${points}`, sweepFigure(sweep(0, points), bands));
    add(`goodput-1x${points}`, goodputFigure(sweep(0, points)));
    for (const series of [2, 20]) {
      const sweeps = Array.from({ length: series }, (_, i) => sweep(i, points));
      add(`comparison-${series}x${points}`, comparisonFigure(sweeps, bands));
      add(`token-times-${series}x${points}`, tokenTimesFigure(sweeps, bands));
      add(`frontier-${series}x${points}`, frontierFigure(sweeps, machineOf));
    }
  }
  // Beyond a load this one gives less than before, and to slower users.
  const falling = sweep(1, 40).points.map((one, i) => ({
    ...one,
    outputTokensPerSec: one.outputTokensPerSec! * (i > 24 ? 0.8 : 1),
  }));
  add('frontier-falling', frontierFigure([sweep(0, 40), { ...sweep(1, 40), points: falling }], machineOf));
  for (const variants of [2, 20])
    for (const runs of [1, 3]) add(`variants-${variants}x${runs}`, sweepFigure(named(variants, runs)));
  add('percentiles', percentilesFigure({ ...sweep(0, 2), points: [point(16, 1, true)] }));
  add('lengths-2x2', lengthsFigure(grid(2, 2)));
  add('lengths-8x5', lengthsFigure(grid(8, 5)));
  for (const requests of [2, 40, 640]) {
    const kept = trace(requests);
    const summary = { ...point(16, 1, true), runId: 'r' };
    const untilMs = kept.span()!.toMs;
    add(`distribution-${requests}`, cdfFigure(summary, kept));
    add(`requests-${requests}`, timelineFigure(summary, kept));
    add(`over-time-${requests}`, overTimeFigure(summary, kept, requests > 2 ? sampled(1, 40, untilMs) : []));
  }
  const kept = trace(320);
  for (const series of [2, 20])
    for (const readings of [2, 40])
      add(
        `devices-${series}x${readings}`,
        devicesFigure(point(16, 1, true), kept, sampled(series, readings, kept.span()!.toMs)),
      );
  for (const { name, figure } of drawn) if (figure === null) throw new Error(`${name} drew nothing`);
  return drawn as Drawn[];
}

/** What the charts are drawn of, for those who print it. */
export { grid as madeGrid, machineOf as madeMachines, point as madePoint, sweep as madeSweep };
