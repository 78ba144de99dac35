import { jsonIn, membersOf } from '../../../core/index.ts';
import { unknownDevice } from './device.ts';
import type { Device, DeviceReading } from './device.ts';
import { allFigures, untoldFigures } from './untold-figures.ts';
import type { ExpectedFigure } from './untold-figures.ts';
import { toldBusId, toldBytes, toldCelsius, toldCount, toldName, toldPercent, toldWatts } from './reading.ts';

type Members = Readonly<Record<string, unknown>>;

/** Devices out of JSON: rocm-smi and hy-smi (`card0` …), amd-smi metric, cnmon's cnmon_info.json. */
export function readJsonTools(text: string): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  if (!/"card\d+"|"gfx_activity"|"mem_usage"|"CnmonInfo"/.test(text)) return reading;
  const json = lenientJson(text);
  if (json === null) {
    reading.warnings.push({
      en: 'this looks like JSON of a device tool but cannot be read (was it cut off?)',
      zh: '内容像设备工具的 JSON，但无法解析（可能被截断）',
    });
    return reading;
  }
  const root = membersOf(json);
  if (Array.isArray(root['CnmonInfo'])) {
    reading.devices.push(...(root['CnmonInfo'] as unknown[]).map(cnmonDevice));
    reading.layouts.push({ tool: 'cnmon', layout: 'json', verified: false });
  } else if (Object.keys(root).some((key) => /^card\d+$/.test(key))) {
    const hygon = /"(?:HCU|DCU) (?:memory )?use \(%\)"|"vram Total/.test(text);
    for (const [key, card] of Object.entries(root)) {
      if (/^card\d+$/.test(key)) reading.devices.push(rocmDevice(Number(key.slice(4)), membersOf(card), hygon));
    }
    reading.layouts.push({ tool: hygon ? 'hy-smi' : 'rocm-smi', layout: 'json', verified: true });
  } else {
    const list = Array.isArray(json)
      ? (json as unknown[])
      : Array.isArray(root['gpu_data'])
        ? (root['gpu_data'] as unknown[])
        : [];
    const devices = list.filter((item) => 'usage' in membersOf(item) || 'mem_usage' in membersOf(item)).map(amdDevice);
    reading.devices.push(...devices);
    if (devices.length > 0) reading.layouts.push({ tool: 'amd-smi', layout: 'json', verified: true });
  }
  for (const device of reading.devices) reading.warnings.push(...untoldFigures(device, expectedOf(reading, device)));
  return reading;
}

/** What this JSON tells where it is whole; cnmon's has no power. */
function expectedOf(reading: DeviceReading, device: Device): readonly ExpectedFigure[] {
  if (reading.layouts[0]?.tool === 'cnmon') return allFigures.filter((figure) => figure !== 'powerW');
  // Without its size the share in use stands alone.
  return device.memoryUsedRatio !== null ? allFigures.filter((figure) => figure !== 'memoryTotalBytes') : allFigures;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function rocmDevice(index: number, card: Members, hygon: boolean): Device {
  const device = unknownDevice(hygon ? 'hygon' : 'amd');
  const first = (...names: RegExp[]): { text: string; key: string } => {
    for (const name of names) {
      const key = Object.keys(card).find((candidate) => name.test(candidate));
      if (key !== undefined && textOf(card[key]) !== '') return { text: textOf(card[key]), key };
    }
    return { text: '', key: '' };
  };
  const bytesOf = (name: RegExp): number | null => {
    const { text, key } = first(name);
    return toldBytes(text, /\((B|KiB|MiB|GiB|KB|MB|GB)\)/.exec(key)?.[1] ?? null) ?? null;
  };
  device.index = index;
  device.name = toldName(first(/^card series$/i, /^card model$/i, /^device name$/i).text);
  device.busId = toldBusId(first(/^pci bus$/i).text) ?? null;
  device.uuid = toldName(first(/^unique id$/i).text);
  device.utilizationRatio = toldPercent(first(/^gpu use \(%\)$/i, /^(?:hcu|dcu) use \(%\)$/i).text) ?? null;
  device.memoryTotalBytes = bytesOf(/^vram total memory \(/i);
  device.memoryUsedBytes = bytesOf(/^vram total used memory \(/i);
  if (device.memoryTotalBytes === null)
    device.memoryUsedRatio = toldPercent(first(/^(?:gpu|hcu|dcu) memory (?:use|allocated)[^(]*\(.*%\)$/i).text) ?? null;
  device.powerW =
    toldWatts(
      first(/^average graphics package power \(w\)$/i, /^current socket graphics package power \(w\)$/i).text,
    ) ?? null;
  device.powerLimitW = toldWatts(first(/^max graphics package power \(w\)$/i).text) ?? null;
  device.temperatureC =
    toldCelsius(
      first(
        /^temperature \(sensor junction\) \(c\)$/i,
        /^temperature \(sensor edge\) \(c\)$/i,
        /^temperature \(sensor core\) \(c\)$/i,
      ).text,
    ) ?? null;
  return device;
}

/** A reading of amd-smi: a bare number, or `{ value, unit }`. */
function amdText(holder: unknown, key: string): string {
  const value = membersOf(holder)[key];
  const inner = membersOf(value);
  return 'value' in inner ? `${textOf(inner['value'])} ${textOf(inner['unit'])}`.trim() : textOf(value);
}

function amdDevice(item: unknown): Device {
  const device = unknownDevice('amd');
  const gpu = membersOf(item);
  const { usage, power, temperature, mem_usage: memory } = gpu;
  device.index = toldCount(textOf(gpu['gpu'])) ?? null;
  device.utilizationRatio = toldPercent(amdText(usage, 'gfx_activity')) ?? null;
  device.memoryTotalBytes = toldBytes(amdText(memory, 'total_vram'), 'MB') ?? null;
  device.memoryUsedBytes = toldBytes(amdText(memory, 'used_vram'), 'MB') ?? null;
  device.powerW =
    toldWatts(amdText(power, 'socket_power')) ?? toldWatts(amdText(power, 'average_socket_power')) ?? null;
  device.temperatureC =
    toldCelsius(amdText(temperature, 'hotspot')) ?? toldCelsius(amdText(temperature, 'edge')) ?? null;
  return device;
}

function cnmonDevice(item: unknown): Device {
  const device = unknownDevice('cambricon');
  const card = membersOf(item);
  const memory = membersOf(card['PhysicalMemUsage']);
  device.index = toldCount(textOf(card['CardNum'])) ?? null;
  device.name = toldName(textOf(card['ProductName']));
  device.uuid = toldName(textOf(card['UUID']));
  device.utilizationRatio = toldPercent(textOf(membersOf(card['Utilization'])['MLUAverage'])) ?? null;
  device.memoryTotalBytes = toldBytes(textOf(memory['Total']), 'MiB') ?? null;
  device.memoryUsedBytes = toldBytes(textOf(memory['Used']), 'MiB') ?? null;
  device.temperatureC = toldCelsius(textOf(membersOf(card['Temperature'])['Chip'])) ?? null;
  return device;
}

/**
 * JSON with warning lines before it and, as hy-smi prints it, commas missing between members; null where even that fails.
 * Only a missing comma is mended: a cut-off document is not completed.
 */
function lenientJson(text: string): unknown {
  const start = /^[ \t]*[[{]/m.exec(text);
  if (start === null) return null;
  const body = text.slice(start.index).trim();
  const end = Math.max(body.lastIndexOf('}'), body.lastIndexOf(']'));
  const whole = body.slice(0, end + 1);
  for (const candidate of [body, whole, withCommas(whole)]) {
    const value = jsonIn(candidate);
    if (value !== undefined) return value;
  }
  return null;
}

/** A comma between a value that ends and a key or object that begins right after it. */
function withCommas(text: string): string {
  return text.replaceAll(/(["}\]\d])(\s*)(?="[^"\n]*"\s*:)/g, '$1,$2').replaceAll(/\}(\s*)\{/g, '},$1{');
}
