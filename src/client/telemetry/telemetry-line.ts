import type { Phrase } from '../../core/index.ts';
import type { Device } from '../../inputs/hardware/index.ts';
import type { ServerReading } from './server-metrics.ts';

/** The part of a device that changes while a run is measured, and what names it. */
export type DeviceSample = Pick<
  Device,
  | 'vendor'
  | 'index'
  | 'name'
  | 'busId'
  | 'memoryTotalBytes'
  | 'memoryUsedBytes'
  | 'memoryUsedRatio'
  | 'utilizationRatio'
  | 'powerW'
  | 'temperatureC'
>;

/** How busy the CPUs of one NUMA node were since the sample before. */
export interface NodeCpu {
  node: number;
  cpuRatio: number | null;
}

/** One line of telemetry.ndjson. atMs is on the run's clock: the middle of the time that taking the sample took. */
export type TelemetryLine =
  | { kind: 'start'; atMs: number; intervalMs: number }
  | { kind: 'devices'; atMs: number; tookMs: number; tool: string; devices: DeviceSample[] }
  | ({ kind: 'server'; atMs: number; tookMs: number; url: string } & ServerReading)
  | { kind: 'host'; atMs: number; nodes: NodeCpu[]; memoryAvailableBytes: number | null }
  | { kind: 'missing'; atMs: number; what: 'devices' | 'metrics' | 'host'; who: string; why: Phrase };

/** The part of a device that is worth keeping every second. */
export function sampleOf(device: Device): DeviceSample {
  const { vendor, index, name, busId, memoryTotalBytes, memoryUsedBytes, memoryUsedRatio } = device;
  const { utilizationRatio, powerW, temperatureC } = device;
  return {
    vendor,
    index,
    name,
    busId,
    memoryTotalBytes,
    memoryUsedBytes,
    memoryUsedRatio,
    utilizationRatio,
    powerW,
    temperatureC,
  };
}
