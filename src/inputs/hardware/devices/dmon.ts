import type { Phrase } from '../../../core/index.ts';
import type { CleanText } from './clean-lines.ts';
import { unknownDevice } from './device.ts';
import type { Device, DeviceReading } from './device.ts';
import { toldBusId, toldBytes, toldCelsius, toldCount, toldPercent, toldWatts } from './reading.ts';

interface Header {
  names: string[];
  units: string[] | null;
  metax: boolean;
  comma: boolean;
}

const unitWord =
  /^(?:idx|w|c|%|mb|mib|gb|gib|kb|mhz|mb\/s|kb\/s|gb\/s|count|flag|bdf|bool|yyyymmdd|hh:mm:ss|-|n\/a|j|pct|errs|#)$/i;

/**
 * The last sample of each card out of `nvidia-smi dmon` or `mx-smi dmon --format csv`: a line of names, a line of
 * units, rows. Columns come and go with drivers, so both lines decide what a value means.
 */
export function readDmon({ lines, lastLineOpen }: CleanText): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  const latest = new Map<string, Device>();
  let header: Header | null = null;
  for (const [at, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === '') continue;
    const body = line.replace(/^#\s*/, '');
    const comma = body.includes(',');
    const cells = (comma ? body.split(',') : body.split(/\s+/)).map((cell) => cell.trim());
    const named = headerOf(cells, line.startsWith('#'), comma);
    if (named !== null) {
      header = named;
      continue;
    }
    if (header === null) continue;
    if (
      header.units === null &&
      cells.length === header.names.length &&
      cells.every((cell) => cell === '' || unitWord.test(cell))
    ) {
      header.units = cells.map((cell) => cell.toLowerCase());
      continue;
    }
    if (line.startsWith('#') || !/^\d/.test(cells[0]!)) {
      header = null;
      continue;
    }
    if (cells.length !== header.names.length || (lastLineOpen && at === lines.length - 1)) {
      reading.warnings.push({
        en: `line ${at + 1}: not a whole sample; left out`,
        zh: `第 ${at + 1} 行：采样不完整，已忽略`,
      });
      continue;
    }
    if (header.units === null && header.metax) reading.warnings.push(noUnits());
    const device = deviceOf(cells, header);
    if (device.index === null) continue;
    latest.set(`${device.vendor} ${device.index} ${device.chip ?? ''}`, device);
  }
  reading.devices.push(...latest.values());
  for (const vendor of new Set(reading.devices.map((device) => device.vendor))) {
    const tool = vendor === 'metax' ? 'mx-smi' : 'nvidia-smi';
    reading.layouts.push({ tool, layout: 'dmon', verified: true });
  }
  return reading;
}

function noUnits(): Phrase {
  return {
    en: 'the line of units is missing: memory is left unknown',
    zh: '缺少单位行，显存按未知处理',
  };
}

function headerOf(cells: readonly string[], marked: boolean, comma: boolean): Header | null {
  const names = cells.map((cell) => cell.toLowerCase());
  const metax = names.includes('dev') && names.some((name) => ['hottemp', 'vram', 'vpue', 'visvram'].includes(name));
  const nvidia = marked && names.includes('gpu') && !names.includes('idx') && names.length > 1;
  if (!metax && !nvidia) return null;
  return new Set(names).size === names.length ? { names, units: null, metax, comma } : null;
}

function deviceOf(cells: readonly string[], header: Header): Device {
  const device = unknownDevice(header.metax ? 'metax' : 'nvidia');
  const text = (name: string): string => {
    const at = header.names.indexOf(name);
    return at === -1 ? '' : cells[at]!;
  };
  const unit = (name: string): string | null => header.units?.[header.names.indexOf(name)] ?? null;
  if (header.metax) {
    device.index = toldCount(text('dev')) ?? null;
    device.chip = toldCount(text('die')) ?? null;
    device.busId = toldBusId(text('bdfid')) ?? null;
    device.temperatureC = toldCelsius(text('hottemp')) ?? null;
    device.powerW = toldWatts(text('power')) ?? null;
    device.utilizationRatio = toldPercent(text('gpu')) ?? null;
    device.memoryTotalBytes = toldBytes(text('total'), unit('total')) ?? null;
    if (unit('vram') === '%') device.memoryUsedRatio = toldPercent(text('vram')) ?? null;
    else device.memoryUsedBytes = toldBytes(text('vram'), unit('vram')) ?? null;
    return device;
  }
  device.index = toldCount(text('gpu')) ?? null;
  device.powerW = toldWatts(text('pwr')) ?? null;
  device.temperatureC = toldCelsius(text('gtemp')) ?? toldCelsius(text('temp')) ?? null;
  device.utilizationRatio = toldPercent(text('sm')) ?? null;
  device.memoryUsedBytes = toldBytes(text('fb'), unit('fb') ?? 'MB') ?? null;
  return device;
}
