import { isObject, jsonIn, membersOf } from '../../core/index.ts';
import type { LiveSample } from '../api/live-events.ts';

/** The numbers of telemetry lines that a live view shows, by a name that says what and whose. */
export function samplesIn(text: string): LiveSample[] {
  return text.split('\n').flatMap((line): LiveSample[] => {
    const { kind, atMs, ...rest } = membersOf(jsonIn(line));
    if (typeof atMs !== 'number') return [];
    const values =
      kind === 'devices' ? deviceValues(rest['devices']) : kind === 'server' ? numbersOf(rest, 'server') : {};
    return Object.keys(values).length === 0 ? [] : [{ atMs, values }];
  });
}

function deviceValues(devices: unknown): Record<string, number> {
  const values: Record<string, number> = {};
  if (!Array.isArray(devices)) return values;
  for (const device of devices.slice(0, 16) as Record<string, unknown>[])
    for (const key of ['utilizationRatio', 'memoryUsedBytes', 'powerW'])
      if (typeof device[key] === 'number') values[`device ${String(device['index'])} ${key}`] = device[key];
  return values;
}

const mostNumbers = 40;

/** Plain numbers of a reading and of the objects in it, but for what it took to take it. */
function numbersOf(reading: Record<string, unknown>, name: string): Record<string, number> {
  const values: Record<string, number> = {};
  for (const [key, value] of Object.entries(reading)) {
    if (key === 'tookMs' || Object.keys(values).length >= mostNumbers) continue;
    if (typeof value === 'number') values[`${name} ${key}`] = value;
    else if (isObject(value)) Object.assign(values, numbersOf(value as Record<string, unknown>, name));
  }
  return values;
}
