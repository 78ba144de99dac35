import { leastOf } from '../../core/index.ts';
import { areaUnder, meanMax } from './statistics.ts';
import type { Window } from './summarise-server.ts';
import type { DeviceSample, TelemetryLine } from './telemetry-line.ts';

type DeviceLine = Extract<TelemetryLine, { kind: 'devices' }>;
type HostLine = Extract<TelemetryLine, { kind: 'host' }>;
type MissingLine = Extract<TelemetryLine, { kind: 'missing' }>;

/** summary.devices: what the cards and the host's CPUs did while the run was measured; null = nobody was asked. */
export function summariseDevices(
  lines: readonly DeviceLine[],
  host: readonly HostLine[],
  missing: readonly MissingLine[],
  window: Window,
  outputTokens: number | null,
): Record<string, unknown> | null {
  if (lines.length === 0 && host.length === 0 && missing.length === 0) return null;
  const near = lines.filter((line) => line.atMs >= window.fromMs && line.atMs <= window.toMs);
  const cards = cardsOf(near.length > 0 ? near : [], window);
  // A host may hold cards that serve somebody else: energy is that of the cards that worked.
  const busy = cards.filter((card) => (card.utilizationRatio?.max ?? 0) > 0);
  const counted = (busy.length > 0 ? busy : cards).filter((card) => card.energyJ !== null);
  const energyJ = counted.length === 0 ? null : counted.reduce((sum, card) => sum + card.energyJ!, 0);
  const margins = cards.map((card) => card.memoryMarginRatio).filter((margin) => margin !== null);
  return {
    tools: [...new Set(lines.map((line) => line.tool))],
    samples: near.length,
    devices: cards,
    energyJ,
    energyOfDevices: counted.length,
    tokensPerJoule: energyJ !== null && energyJ > 0 && outputTokens !== null ? outputTokens / energyJ : null,
    memoryMarginRatio: margins.length === 0 ? null : Math.min(...margins),
    host: hostOf(host.filter((line) => line.atMs >= window.fromMs && line.atMs <= window.toMs)),
    missing: missing.map((line) => ({ atMs: line.atMs, who: line.who, why: line.why.en, zh: { why: line.why.zh } })),
  };
}

interface Card {
  vendor: string;
  index: number | null;
  name: string | null;
  utilizationRatio: { mean: number; max: number } | null;
  memoryUsedBytes: { mean: number; max: number } | null;
  memoryTotalBytes: number | null;
  /** What was left at the fullest moment: below a few percent the next long prompt may not fit. */
  memoryMarginBytes: number | null;
  memoryMarginRatio: number | null;
  powerW: { mean: number; max: number } | null;
  energyJ: number | null;
  temperatureC: { mean: number; max: number } | null;
}

function cardsOf(lines: readonly DeviceLine[], window: Window): Card[] {
  const series = new Map<string, { atMs: number; device: DeviceSample }[]>();
  for (const { atMs, devices } of lines) {
    for (const device of devices) {
      const key = `${device.vendor} ${device.index ?? device.busId}`;
      series.set(key, [...(series.get(key) ?? []), { atMs, device }]);
    }
  }
  return [...series.values()].map((samples) => cardOf(samples, window));
}

function cardOf(samples: readonly { atMs: number; device: DeviceSample }[], window: Window): Card {
  const { vendor, index, name } = samples[0]!.device;
  const of = (key: 'utilizationRatio' | 'memoryUsedBytes' | 'powerW' | 'temperatureC') =>
    meanMax(samples.map(({ device }) => device[key]));
  const memoryTotalBytes =
    samples.findLast(({ device }) => device.memoryTotalBytes !== null)?.device.memoryTotalBytes ?? null;
  const used = of('memoryUsedBytes');
  const usedRatio = meanMax(samples.map(({ device }) => device.memoryUsedRatio));
  const watts = samples.filter(({ device }) => device.powerW !== null);
  const wattMs = areaUnder(
    watts.map(({ atMs, device }) => ({ atMs, value: device.powerW! })),
    window.fromMs,
    window.toMs,
  );
  return {
    vendor,
    index,
    name,
    utilizationRatio: of('utilizationRatio'),
    memoryUsedBytes: used,
    memoryTotalBytes,
    memoryMarginBytes: used === null || memoryTotalBytes === null ? null : memoryTotalBytes - used.max,
    memoryMarginRatio: usedRatio === null ? null : 1 - usedRatio.max,
    powerW: of('powerW'),
    energyJ: wattMs === null ? null : wattMs / 1000,
    temperatureC: of('temperatureC'),
  };
}

function hostOf(lines: readonly HostLine[]): Record<string, unknown> | null {
  if (lines.length === 0) return null;
  const nodes = lines[0]!.nodes.map(({ node }) => ({
    node,
    cpuRatio: meanMax(lines.map((line) => line.nodes.find((one) => one.node === node)?.cpuRatio ?? null)),
  }));
  const available = lines.map((line) => line.memoryAvailableBytes).filter((bytes) => bytes !== null);
  return { nodes, memoryAvailableMinBytes: available.length === 0 ? null : leastOf(available) };
}
