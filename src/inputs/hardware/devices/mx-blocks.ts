import type { CleanText } from './clean-lines.ts';
import { unknownDevice } from './device.ts';
import type { Device, DeviceReading } from './device.ts';
import { toldBusId, toldBytes, toldCelsius, toldName, toldPercent, toldWatts } from './reading.ts';

/** Blocks of mx-smi's `--show-…` queries and `-L`: a line `GPU#0  MXC500  0000:08:00.0`, then lines of `key : value`. */
export function readMxBlocks({ lines, lastLineOpen }: CleanText): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  const found = new Map<number, Device>();
  let device: Device | null = null;
  let heading = '';
  for (const [at, line] of lines.entries()) {
    const head =
      /^\s*GPU#(\d+)\s+(\S.*?)\s+([0-9a-f:.]{7,16})(?:\s+(Available|Not Available.*))?\s*(?:\(UUID:.*)?$/i.exec(line);
    if (head !== null) {
      const index = Number(head[1]);
      device = found.get(index) ?? unknownDevice('metax');
      found.set(index, device);
      device.index = index;
      device.name = toldName(head[2]!);
      device.busId = toldBusId(head[3]!) ?? null;
      device.health = head[4] === undefined ? device.health : toldName(head[4].replace(/\(UUID.*/, ''));
      heading = '';
      continue;
    }
    if (device === null || (lastLineOpen && at === lines.length - 1)) continue;
    const pair = /^\s+(\S.*?)\s*:\s*(\S.*?)\s*$/.exec(line);
    if (pair === null) heading = line.trim().toLowerCase();
    else take(device, heading, pair[1]!.toLowerCase(), pair[2]!);
  }
  reading.devices.push(...found.values());
  if (found.size > 0) reading.layouts.push({ tool: 'mx-smi', layout: 'blocks', verified: false });
  return reading;
}

function take(device: Device, heading: string, key: string, value: string): void {
  if (key === 'gpu') device.utilizationRatio = toldPercent(value, 'needed') ?? device.utilizationRatio;
  else if (key === 'vram total') device.memoryTotalBytes = toldBytes(value, null) ?? device.memoryTotalBytes;
  else if (key === 'vram used') device.memoryUsedBytes = toldBytes(value, null) ?? device.memoryUsedBytes;
  else if (key.startsWith('hotspot')) device.temperatureC = toldCelsius(value, 'needed') ?? device.temperatureC;
  else if (key === 'total' && heading.includes('power')) device.powerW = toldWatts(value, 'needed') ?? device.powerW;
}
