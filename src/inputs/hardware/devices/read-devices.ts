import type { Phrase } from '../../../core/index.ts';
import { readBoxTables } from './box-devices.ts';
import { cleanLines } from './clean-lines.ts';
import type { CleanText } from './clean-lines.ts';
import { readCsvQuery } from './csv-query.ts';
import { deviceTools } from './device.ts';
import type { Device, DeviceReading, DeviceTool } from './device.ts';
import { readDmon } from './dmon.ts';
import { readHyTable } from './hy-table.ts';
import { readJsonTools } from './json-tools.ts';
import { readMxBlocks } from './mx-blocks.ts';
import { readNpuBlocks } from './npu-blocks.ts';
import { readNpuWatch } from './npu-watch.ts';
import { readTopology } from './topology.ts';
import { toldBytes, toldCount, toldName } from './reading.ts';

const mostChars = 16 * 1024 * 1024;

/** Every layout that is known, each looking through the text for itself. */
const layoutReaders: readonly ((text: CleanText) => DeviceReading)[] = [
  readBoxTables,
  readCsvQuery,
  readDmon,
  readNpuBlocks,
  readNpuWatch,
  readMxBlocks,
  readHyTable,
];

/**
 * The devices in the output of a tool, or in a file that holds several outputs. Of several readings of one card the last
 * counts; a topology adds affinities to the cards of its vendor. With `tool`, other tools' cards are left out.
 */
export function readDevices(text: string, tool?: DeviceTool): DeviceReading {
  const clean = cleanLines(text.slice(0, mostChars));
  const plain = clean.lines.join('\n');
  const readings = [...layoutReaders.map((read) => read(clean)), readJsonTools(plain)];
  const topology = readTopology(clean);
  const vendor = tool === undefined ? null : deviceTools[tool];
  const warnings: Phrase[] = [...readings, topology].flatMap((reading) => reading.warnings);
  const wanted = (device: Device): boolean => vendor === null || device.vendor === vendor;
  const devices = latestOfEach(readings.flatMap((reading) => reading.devices).filter(wanted), warnings);
  addTopology(devices, topology.devices.filter(wanted));
  addComputeApps(clean, devices);
  for (const device of devices) completeRatio(device);
  const layouts = [...readings, topology]
    .flatMap((reading) => reading.layouts)
    .filter((layout) => vendor === null || deviceTools[layout.tool] === vendor);
  for (const { tool: name, layout } of layouts.filter((one) => !one.verified)) warnings.push(unverified(name, layout));
  if (devices.length === 0) warnings.push(nothingRead(tool));
  return { devices: devices.toSorted(byNumber), layouts, warnings: unique(warnings) };
}

/** One entry for each card: the key is all the numbers that the tool gives it. */
function latestOfEach(devices: readonly Device[], warnings: Phrase[]): Device[] {
  const latest = new Map<string, Device>();
  let repeated = false;
  for (const [at, device] of devices.entries()) {
    const nameless = device.index === null && device.card === null;
    const key = `${device.vendor} ${nameless ? (device.busId ?? `#${at}`) : `${device.card}/${device.chip}/${device.index}`}`;
    repeated ||= latest.has(key);
    latest.set(key, device);
  }
  if (repeated) {
    warnings.push({
      en: 'the text holds several readings of the same cards; the last one is given',
      zh: '文本中同一张卡有多次读数，这里给出最后一次',
    });
  }
  return [...latest.values()];
}

function addTopology(devices: Device[], topology: readonly Device[]): void {
  for (const near of topology) {
    const cards = devices.filter((device) => device.vendor === near.vendor && device.index === near.index);
    for (const device of cards) Object.assign(device, { numaNode: near.numaNode, cpuAffinity: near.cpuAffinity });
    if (cards.length === 0 && !devices.some((device) => device.vendor === near.vendor && !topology.includes(device)))
      devices.push(near);
  }
}

function completeRatio(device: Device): void {
  const { memoryUsedBytes: used, memoryTotalBytes: total } = device;
  if (device.memoryUsedRatio === null && used !== null && total !== null && total > 0)
    device.memoryUsedRatio = used / total;
}

function byNumber(a: Device, b: Device): number {
  return a.vendor === b.vendor ? (a.index ?? Infinity) - (b.index ?? Infinity) || 0 : a.vendor < b.vendor ? -1 : 1;
}

function unique(phrases: readonly Phrase[]): Phrase[] {
  return [...new Map(phrases.map((phrase) => [phrase.en, phrase])).values()].slice(0, 50);
}

function unverified(tool: DeviceTool, layout: string): Phrase {
  return {
    en: `${tool} (${layout}): read by its description, no real output was seen yet; please check the values against the tool`,
    zh: `${tool}（${layout}）：仅按格式说明解析，尚未见过真实输出，请与工具显示核对`,
  };
}

function nothingRead(tool: DeviceTool | undefined): Phrase {
  return {
    en: `no card could be read${tool === undefined ? '' : ` as output of ${tool}`}`,
    zh: `没有读到任何卡${tool === undefined ? '' : `（按 ${tool} 的输出解析）`}`,
  };
}

/** Puts the processes of `nvidia-smi --query-compute-apps=gpu_uuid,pid,… --format=csv` with their cards. */
function addComputeApps({ lines }: CleanText, devices: readonly Device[]): void {
  let names: string[] | null = null;
  for (const line of lines) {
    const cells = line.split(',').map((cell) => cell.trim());
    const asNames = cells.map((cell) => cell.toLowerCase().replace(/\s*\[.*$/, ''));
    if (asNames.includes('gpu_uuid') && asNames.includes('pid')) {
      names = asNames;
      continue;
    }
    if (names === null || cells.length !== names.length) {
      names = null;
      continue;
    }
    const header = names;
    const text = (...wanted: string[]): string => cells[header.findIndex((name) => wanted.includes(name))] ?? '';
    const owner = devices.find((device) => device.uuid !== null && device.uuid === text('gpu_uuid'));
    owner?.processes.push({
      pid: toldCount(text('pid')) ?? null,
      name: toldName(text('process_name', 'name')),
      memoryBytes: toldBytes(text('used_gpu_memory', 'used_memory'), 'MiB') ?? null,
    });
  }
}
