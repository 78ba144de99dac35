import type { Phrase } from '../../../core/index.ts';

/** Who made an accelerator. */
export type Vendor = 'nvidia' | 'huawei' | 'metax' | 'amd' | 'habana' | 'cambricon' | 'iluvatar' | 'hygon';

/** The command-line tools whose output is understood, and whose cards each one shows. */
export const deviceTools = {
  'npu-smi': 'huawei',
  'mx-smi': 'metax',
  'nvidia-smi': 'nvidia',
  'rocm-smi': 'amd',
  'amd-smi': 'amd',
  'hl-smi': 'habana',
  cnmon: 'cambricon',
  ixsmi: 'iluvatar',
  'hy-smi': 'hygon',
} as const satisfies Record<string, Vendor>;

export type DeviceTool = keyof typeof deviceTools;

/** A process on a card, as the tool names it; null = not told. */
export interface DeviceProcess {
  pid: number | null;
  name: string | null;
  memoryBytes: number | null;
}

/** One accelerator at one moment. null = the tool did not say, or what it said could not be trusted. */
export interface Device {
  vendor: Vendor;
  /** The number frameworks call it by (Phy-ID on two-chip Ascend cards). */
  index: number | null;
  name: string | null;
  busId: string | null;
  uuid: string | null;
  /** Number of the card and of the chip on it, where the tool tells both. */
  card: number | null;
  chip: number | null;
  memoryTotalBytes: number | null;
  memoryUsedBytes: number | null;
  /** Told by tools that give whole percents only; else used over total. */
  memoryUsedRatio: number | null;
  /** Share of time in which any kernel ran: not how well the chip was used. */
  utilizationRatio: number | null;
  /** On cards with two chips the whole card's power stands on the first. */
  powerW: number | null;
  powerLimitW: number | null;
  temperatureC: number | null;
  /** OK, Warning, Available … as the tool says it. */
  health: string | null;
  numaNode: number | null;
  /** CPUs near it: `0-15,64-79`. */
  cpuAffinity: string | null;
  processes: DeviceProcess[];
}

/** One layout that was found in a text. */
export interface FoundLayout {
  tool: DeviceTool;
  /** `table`, `query-csv`, `dmon`, `usages`, `watch`, `topology`, `json` … */
  layout: string;
  /** false = no public sample of it was seen: it is read by its description only. */
  verified: boolean;
}

/** Everything that a text of a tool says. */
export interface DeviceReading {
  devices: Device[];
  layouts: FoundLayout[];
  warnings: Phrase[];
}

/** A device about which nothing is known yet. */
export function unknownDevice(vendor: Vendor): Device {
  return {
    vendor,
    index: null,
    name: null,
    busId: null,
    uuid: null,
    card: null,
    chip: null,
    memoryTotalBytes: null,
    memoryUsedBytes: null,
    memoryUsedRatio: null,
    utilizationRatio: null,
    powerW: null,
    powerLimitW: null,
    temperatureC: null,
    health: null,
    numaNode: null,
    cpuAffinity: null,
    processes: [],
  };
}

/** What to call a device in a sentence. */
export function deviceLabel(device: Pick<Device, 'vendor' | 'index' | 'busId'>): string {
  return `${device.vendor} ${device.index ?? device.busId ?? '?'}`;
}
