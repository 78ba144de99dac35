import { printable } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';

/** Something read again and again beside a run; atMs on the run's clock, null = that reading did not say. */
export interface TelemetrySeries {
  about: 'requests' | 'server' | 'devices' | 'host';
  /** With its unit. */
  title: Phrase;
  series: { name: Phrase | string; points: { atMs: number; value: number | null }[] }[];
}

type Line = Readonly<Record<string, unknown>>;
interface Wanted {
  title: Phrase;
  key: string;
  scale: number;
}

const server: readonly Wanted[] = [
  { title: { en: 'KV cache in use (%)', zh: 'KV 缓存占用 (%)' }, key: 'kvUsageRatio', scale: 100 },
];
const cards: readonly Wanted[] = [
  { title: { en: 'Power (W)', zh: '功率 (W)' }, key: 'powerW', scale: 1 },
  { title: { en: 'Memory in use (GiB)', zh: '已用显存 (GiB)' }, key: 'memoryUsedBytes', scale: 1 / 1024 ** 3 },
  { title: { en: 'Cards in use (%)', zh: '卡利用率 (%)' }, key: 'utilizationRatio', scale: 100 },
  { title: { en: 'Temperature (°C)', zh: '温度 (°C)' }, key: 'temperatureC', scale: 1 },
];
/** More readings than this are thinned: a chart is not wider. */
const mostPoints = 240;

/** The lines of telemetry.ndjson as series for charts. The file may be anybody's: what does not fit is left out. */
export function telemetrySeries(lines: readonly Line[]): TelemetrySeries[] {
  const of = (kind: string): Line[] => lines.filter((line) => line['kind'] === kind);
  const scraped = of('server');
  const one = (name: Phrase, key: string, scale = 1): TelemetrySeries['series'][number] => ({
    name,
    points: scraped.map((line) => point(line, line[key], scale)),
  });
  const all: TelemetrySeries[] = [
    {
      about: 'requests',
      title: { en: 'Requests at the server', zh: '服务器侧请求' },
      series: [
        one({ en: 'running (server)', zh: '运行中（服务器）' }, 'running'),
        one({ en: 'waiting (server)', zh: '排队（服务器）' }, 'waiting'),
      ],
    },
    ...server.map(({ title, key, scale }): TelemetrySeries => ({
      about: 'server',
      title,
      series: [one({ en: 'server', zh: '服务器' }, key, scale)],
    })),
    preemptionsOf(scraped),
    ...cards.map((wanted) => cardSeries(of('devices'), wanted)),
    hostSeries(of('host')),
  ];
  return all
    .map((each) => ({
      ...each,
      series: each.series
        .filter(({ points }) => points.some(({ value }) => value !== null))
        .map(({ name, points }) => ({ name, points: thinned(points) })),
    }))
    .filter(({ series }) => series.length > 0);
}

/** Preemptions since the first scrape; left out where there were none. */
function preemptionsOf(scraped: readonly Line[]): TelemetrySeries {
  const points = scraped.map((line) => point(line, line['preemptionsTotal'], 1));
  const first = points.find(({ value }) => value !== null)?.value ?? 0;
  const grown = points.map(({ atMs, value }) => ({ atMs, value: value === null ? null : value - first }));
  return {
    about: 'server',
    title: { en: 'Preemptions since the start', zh: '累计抢占次数' },
    series: grown.some(({ value }) => value !== null && value > 0)
      ? [{ name: { en: 'server', zh: '服务器' }, points: grown }]
      : [],
  };
}

function cardSeries(lines: readonly Line[], { title, key, scale }: Wanted): TelemetrySeries {
  const byCard = new Map<string, TelemetrySeries['series'][number]>();
  for (const line of lines) {
    for (const card of listOf(line['devices'])) {
      const name = printable(`${String(card['vendor'])} ${String(card['index'] ?? card['busId'])}`).slice(0, 60);
      const known = byCard.get(name) ?? { name, points: [] };
      known.points.push(point(line, card[key], scale));
      byCard.set(name, known);
    }
  }
  return { about: 'devices', title, series: [...byCard.values()] };
}

function hostSeries(lines: readonly Line[]): TelemetrySeries {
  const byNode = new Map<string, TelemetrySeries['series'][number]>();
  for (const line of lines) {
    for (const node of listOf(line['nodes'])) {
      const number = printable(String(node['node'])).slice(0, 20);
      const known = byNode.get(number) ?? { name: { en: `NUMA ${number}`, zh: `NUMA ${number}` }, points: [] };
      known.points.push(point(line, node['cpuRatio'], 100));
      byNode.set(number, known);
    }
  }
  return { about: 'host', title: { en: 'CPU of the host (%)', zh: '主机 CPU (%)' }, series: [...byNode.values()] };
}

function point(line: Line, value: unknown, scale: number): { atMs: number; value: number | null } {
  return { atMs: Number(line['atMs']), value: typeof value === 'number' && value >= 0 ? value * scale : null };
}

function listOf(value: unknown): Line[] {
  return Array.isArray(value) ? value.filter((one): one is Line => typeof one === 'object' && one !== null) : [];
}

function thinned<T>(points: readonly T[]): T[] {
  const stride = Math.max(1, Math.ceil(points.length / mostPoints));
  return points.filter((_, i) => i % stride === 0);
}
