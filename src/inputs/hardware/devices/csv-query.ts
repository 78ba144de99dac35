import type { Phrase } from '../../../core/index.ts';
import type { CleanText } from './clean-lines.ts';
import { deviceTools, unknownDevice } from './device.ts';
import type { Device, DeviceReading, DeviceTool } from './device.ts';
import { toldBusId, toldBytes, toldCelsius, toldCount, toldName, toldPercent, toldWatts } from './reading.ts';

type Setter = (device: Device, text: string, unit: string | null) => boolean;

const set =
  <K extends keyof Device>(key: K, read: (text: string, unit: string | null) => Device[K] | undefined): Setter =>
  (device, text, unit) => {
    const value = read(text, unit);
    if (value === undefined) return false;
    device[key] = value;
    return true;
  };

const bytes = (text: string, unit: string | null): number | null | undefined => toldBytes(text, unit ?? 'MiB');

/** Fields of --query-gpu (and hl-smi -Q, ixsmi) that are kept; older and newer spellings beside each other. */
const fields: Readonly<Record<string, Setter>> = {
  index: set('index', (text) => toldCount(text)),
  uuid: set('uuid', toldName),
  gpu_uuid: set('uuid', toldName),
  name: set('name', toldName),
  gpu_name: set('name', toldName),
  'pci.bus_id': set('busId', toldBusId),
  bus_id: set('busId', toldBusId),
  'memory.total': set('memoryTotalBytes', bytes),
  'memory.used': set('memoryUsedBytes', bytes),
  'utilization.gpu': set('utilizationRatio', (text) => toldPercent(text)),
  'utilization.aip': set('utilizationRatio', (text) => toldPercent(text)),
  'temperature.gpu': set('temperatureC', (text) => toldCelsius(text)),
  'temperature.aip': set('temperatureC', (text) => toldCelsius(text)),
  'power.draw': set('powerW', (text) => toldWatts(text)),
  'gpu.power.draw': set('powerW', (text) => toldWatts(text)),
  'power.limit': set('powerLimitW', (text) => toldWatts(text)),
  'power.max': set('powerLimitW', (text) => toldWatts(text)),
  'gpu.power.limit': set('powerLimitW', (text) => toldWatts(text)),
};

/** Orders that guides print for headerless queries; taken only when every row has the shape they promise. */
const knownOrders: readonly {
  tool: DeviceTool;
  fields: readonly string[];
  looksRight(row: readonly string[]): boolean;
}[] = [
  {
    tool: 'nvidia-smi',
    fields:
      'index,uuid,name,pci.bus_id,driver_version,compute_cap,memory.total,memory.used,utilization.gpu,utilization.memory,temperature.gpu,temperature.memory,power.draw,power.limit,clocks.sm,clocks.mem,clocks_event_reasons.active,pstate,pcie.link.gen.current,pcie.link.width.current,mig.mode.current,persistence_mode'.split(
        ',',
      ),
    looksRight: (row) => row[1]!.startsWith('GPU-') && toldBusId(row[3]!) != null && /^P\d+$/.test(row[17]!),
  },
  {
    tool: 'hl-smi',
    fields:
      'index,module_id,bus_id,uuid,name,driver_version,memory.total,memory.used,memory.free,power.draw,power.max,temperature.aip,utilization.aip'.split(
        ',',
      ),
    looksRight: (row) => row[4]!.startsWith('HL-') && toldBusId(row[2]!) != null,
  },
];

/** Devices out of comma-separated queries with a header line (`--format=csv`), or in a documented order without one. */
export function readCsvQuery({ lines, lastLineOpen }: CleanText): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  let header: { names: string[]; units: (string | null)[] } | null = null;
  let rows = 0;
  for (const [at, line] of lines.entries()) {
    const cells = line.split(',').map((cell) => cell.trim());
    const asHeader = readHeader(cells);
    if (asHeader !== null) {
      header = asHeader;
      rows = 0;
      continue;
    }
    const named = header ?? orderOf(cells);
    const isStump = lastLineOpen && at === lines.length - 1 && header !== null && cells.length < header.names.length;
    if (isStump) reading.warnings.push(stump(at + 1));
    if (named === null || cells.length < 2) {
      header = null;
      continue;
    }
    if (cells.length !== named.names.length) {
      if (cells.length > 2) reading.warnings.push(wrongCount(at + 1, named.names.length, cells.length));
      continue;
    }
    if (lastLineOpen && at === lines.length - 1) {
      cells[cells.length - 1] = 'N/A';
      reading.warnings.push(openEnd(at + 1));
    }
    const device = deviceOf(cells, named, reading.warnings, at + 1);
    // A card with a name of its own keeps it; only nameless ones are counted.
    if (!named.names.includes('index') && device.uuid === null && device.busId === null) {
      device.index = rows;
      if (rows === 0) reading.warnings.push(countedIndex());
    }
    rows += 1;
    reading.devices.push(device);
    const tool = toolOf(device, named.names);
    // hl-smi's query was seen with its header line; without one, and for ixsmi, only the description is known.
    const verified = tool === 'nvidia-smi' || (tool === 'hl-smi' && header !== null);
    if (rows === 1) reading.layouts.push({ tool, layout: 'query-csv', verified });
  }
  return reading;
}

function readHeader(cells: readonly string[]): { names: string[]; units: (string | null)[] } | null {
  const parts = cells.map((cell) => /^([a-z_.0-9]+)(?:\s*\[([^\]]+)\])?$/i.exec(cell));
  const names = parts.map((part) => part?.[1]?.toLowerCase() ?? '');
  if (names.filter((name) => Object.hasOwn(fields, name)).length < 2) return null;
  return { names, units: parts.map((part) => part?.[2] ?? null) };
}

function orderOf(cells: readonly string[]): { names: string[]; units: (string | null)[] } | null {
  const order = knownOrders.find((known) => known.fields.length === cells.length && known.looksRight(cells));
  return order === undefined ? null : { names: [...order.fields], units: order.fields.map(() => null) };
}

function deviceOf(
  cells: readonly string[],
  header: { names: readonly string[]; units: readonly (string | null)[] },
  warnings: Phrase[],
  line: number,
): Device {
  const device = unknownDevice('nvidia');
  for (const [at, name] of header.names.entries()) {
    if (!Object.hasOwn(fields, name)) continue;
    if (!fields[name]!(device, cells[at]!, header.units[at] ?? null)) {
      warnings.push({
        en: `line ${line}: "${cells[at]!.slice(0, 30)}" is no value of ${name}; left unknown`,
        zh: `第 ${line} 行："${cells[at]!.slice(0, 30)}" 不是 ${name} 的值，按未知处理`,
      });
    }
  }
  const { memoryTotalBytes: total, memoryUsedBytes: used } = device;
  if (total !== null && used !== null && used > total) {
    device.memoryTotalBytes = null;
    device.memoryUsedBytes = null;
    warnings.push({
      en: `line ${line}: more memory used than there is; memory left unknown`,
      zh: `第 ${line} 行：已用显存大于总量，显存按未知处理`,
    });
  }
  device.vendor = deviceTools[toolOf(device, header.names)];
  return device;
}

function toolOf(device: Device, names: readonly string[]): DeviceTool {
  if (names.includes('utilization.aip') || names.includes('temperature.aip') || (device.name ?? '').startsWith('HL-'))
    return 'hl-smi';
  if (names.includes('gpu.power.draw') || /Iluvatar|^BI-|^MR-/i.test(device.name ?? '')) return 'ixsmi';
  return 'nvidia-smi';
}

function wrongCount(line: number, asked: number, found: number): Phrase {
  return {
    en: `line ${line}: ${found} values under ${asked} names; left out`,
    zh: `第 ${line} 行：${asked} 个字段却有 ${found} 个值，已忽略`,
  };
}

function stump(line: number): Phrase {
  return {
    en: `line ${line}: the text ends inside this line; left out`,
    zh: `第 ${line} 行：文本在此行中断，已忽略`,
  };
}

function openEnd(line: number): Phrase {
  return {
    en: `line ${line}: the text ends inside this line; its last value is left unknown`,
    zh: `第 ${line} 行：文本在此行中断，最后一个值按未知处理`,
  };
}

function countedIndex(): Phrase {
  return {
    en: 'the output does not tell the index; cards are counted in the order they stand',
    zh: '输出中没有 index，按出现顺序编号',
  };
}
