import type { CleanText } from './clean-lines.ts';
import { unknownDevice } from './device.ts';
import type { Device, DeviceReading } from './device.ts';
import { toldCelsius, toldCount, toldPercent, toldWatts } from './reading.ts';

const columnNames = [
  'npuid(idx)',
  'npuid',
  'chipid(idx)',
  'chipid',
  'pwr(w)',
  'temp(c)',
  'ai core(%)',
  'ai cpu(%)',
  'ctrl cpu(%)',
  'memory bw(%)',
  'memory(%)',
  'npu util(%)',
  'ai cube(%)',
] as const;

/** The last sample of each chip out of `npu-smi info watch`; columns as the header names them, with or without ChipId. */
export function readNpuWatch({ lines, lastLineOpen }: CleanText): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  const latest = new Map<string, Device>();
  let names: string[] | null = null;
  for (const [at, line] of lines.entries()) {
    if (/^\s*npuid/i.test(line)) {
      names = namesOf(line);
      continue;
    }
    if (names === null || line.trim() === '') continue;
    const cells = line.trim().split(/\s+/);
    if (!/^\d+$/.test(cells[0]!)) {
      names = null;
      continue;
    }
    if (cells.length !== names.length || (lastLineOpen && at === lines.length - 1)) {
      reading.warnings.push({
        en: `line ${at + 1}: not a whole sample; left out`,
        zh: `第 ${at + 1} 行：采样不完整，已忽略`,
      });
      continue;
    }
    const device = deviceOf(cells, names);
    latest.set(`${device.card} ${device.chip ?? ''}`, device);
  }
  const cards = [...latest.values()];
  // With two chips on a card the card's number is not the device's.
  if (cards.some((device) => (device.chip ?? 0) > 0)) for (const device of cards) device.index = null;
  reading.devices.push(...cards);
  if (latest.size > 0) reading.layouts.push({ tool: 'npu-smi', layout: 'watch', verified: true });
  return reading;
}

/** Names hold spaces ("AI Core(%)"), so known ones are taken first and what is left is split. */
function namesOf(line: string): string[] {
  const known = new RegExp(columnNames.map((name) => name.replaceAll(/[()%]/g, String.raw`\$&`)).join('|'), 'g');
  return line
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(known, (name) => ` ${name.replaceAll(' ', '\u0001')} `)
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => word.replaceAll('\u0001', ' ').replace('(idx)', ''));
}

function deviceOf(cells: readonly string[], names: readonly string[]): Device {
  const device = unknownDevice('huawei');
  const text = (name: string): string => {
    const at = names.indexOf(name);
    return at === -1 ? '' : cells[at]!;
  };
  device.card = toldCount(text('npuid')) ?? null;
  device.chip = toldCount(text('chipid')) ?? null;
  device.index = device.chip === null || device.chip === 0 ? device.card : null;
  device.powerW = toldWatts(text('pwr(w)')) ?? null;
  device.temperatureC = toldCelsius(text('temp(c)')) ?? null;
  device.utilizationRatio = toldPercent(text('ai core(%)')) ?? null;
  device.memoryUsedRatio = toldPercent(text('memory(%)')) ?? null;
  return device;
}
