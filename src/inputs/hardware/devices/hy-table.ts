import type { CleanText } from './clean-lines.ts';
import { unknownDevice } from './device.ts';
import type { DeviceReading } from './device.ts';
import { isNothing, toldCelsius, toldCount, toldPercent, toldWatts } from './reading.ts';

const readers = {
  temp: (text: string) => toldCelsius(text, 'needed'),
  avgpwr: (text: string) => toldWatts(text, 'needed'),
  pwrcap: (text: string) => toldWatts(text, 'needed'),
  'vram%': (text: string) => toldPercent(text, 'needed'),
  'dcu%': (text: string) => toldPercent(text, 'needed'),
  'hcu%': (text: string) => toldPercent(text, 'needed'),
} as const;

/** The plain table of hy-smi: `DCU Temp AvgPwr Perf PwrCap VRAM% DCU% Mode`, in any order, one card a row. */
export function readHyTable({ lines }: CleanText): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  let names: string[] | null = null;
  for (const [at, line] of lines.entries()) {
    const words = line.trim().toLowerCase().split(/\s+/);
    if (/^(?:dcu|hcu)$/.test(words[0]!) && words.includes('temp')) {
      names = words;
      continue;
    }
    if (names === null) continue;
    const cells = line.trim().split(/\s+/);
    const index = toldCount(cells[0]!);
    if (index == null) {
      names = null;
      continue;
    }
    const device = unknownDevice('hygon');
    device.index = index;
    const columns = names;
    const told = (name: keyof typeof readers): number | null => {
      const place = columns.indexOf(name);
      return place === -1 ? null : (readers[name](cells[place] ?? '') ?? null);
    };
    const whole =
      cells.length === columns.length &&
      columns.every(
        (name, n) =>
          !Object.hasOwn(readers, name) || isNothing(cells[n]!) || told(name as keyof typeof readers) !== null,
      );
    if (whole) {
      device.temperatureC = told('temp');
      device.powerW = told('avgpwr');
      device.powerLimitW = told('pwrcap');
      device.memoryUsedRatio = told('vram%');
      device.utilizationRatio = told('dcu%') ?? told('hcu%');
    } else {
      reading.warnings.push({
        en: `line ${at + 1}: does not match the header; its values are left unknown`,
        zh: `第 ${at + 1} 行：与表头不符，其值按未知处理`,
      });
    }
    reading.devices.push(device);
  }
  // A rule ends the table.
  if (names !== null && reading.devices.length > 0) {
    reading.warnings.push({
      en: `the table does not end after line ${lines.length}; more may be missing (was the output cut off?)`,
      zh: `表格在第 ${lines.length} 行之后没有结束，后面的内容可能缺失（输出可能被截断）`,
    });
  }
  if (reading.devices.length > 0) reading.layouts.push({ tool: 'hy-smi', layout: 'table', verified: true });
  return reading;
}
