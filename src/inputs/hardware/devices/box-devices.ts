import type { Phrase } from '../../../core/index.ts';
import { sides } from './box-cell.ts';
import type { ColumnKind } from './box-columns.ts';
import { boxRecords } from './box-records.ts';
import { boxTables } from './box-table.ts';
import type { BoxTable } from './box-table.ts';
import type { CleanText } from './clean-lines.ts';
import { deviceTools, unknownDevice } from './device.ts';
import type { Device, DeviceProcess, DeviceReading, DeviceTool } from './device.ts';
import {
  isNothing,
  toldBusId,
  toldBytes,
  toldCelsius,
  toldCount,
  toldName,
  toldPercent,
  toldWatts,
} from './reading.ts';

/** Devices out of every boxed table of a text: npu-smi, mx-smi, nvidia-smi, hl-smi, cnmon, ixsmi. */
export function readBoxTables(text: CleanText): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  const warn = (phrase: Phrase): void => void reading.warnings.push(phrase);
  const { tables, cutLines, openLine } = boxTables(text);
  let latest: { tool: DeviceTool; devices: Device[] } | null = null;
  for (const table of tables) {
    const kinds = new Set(table.header.flat(2).map((word) => word.kind));
    if (kinds.has('pid')) {
      if (latest !== null) addProcesses(table, latest.devices, warn);
      continue;
    }
    if (!kinds.has('bus') && !kinds.has('health') && !kinds.has('memory')) continue;
    if (table.header.flat(2).some((word) => word.text === 'gi')) {
      warn(slicesLeftOut());
      continue;
    }
    const tool = toolOfTable(table, kinds);
    if (tool === null) continue;
    const devices = boxRecords(table, warn).map(({ values, line }) => deviceOf(values, tool, line, kinds, warn));
    if (devices.length === 0) continue;
    const strange = table.header.flat(2).filter((word) => !word.known);
    for (const { text: word } of strange) warn(unknownColumn(word));
    latest = { tool, devices };
    reading.devices.push(...devices);
    reading.layouts.push({ tool, layout: 'table', verified: true });
    const attached = /Attached GPUs\s*:\s*(\d+)/.exec(table.above)?.[1];
    if (attached !== undefined && Number(attached) !== devices.length)
      warn(countDiffers(Number(attached), devices.length));
  }
  if (cutLines.length > 0) warn(cutOff(cutLines[0]!));
  if (openLine !== null) warn(leftOpen(openLine));
  return reading;
}

const titles: readonly [RegExp, DeviceTool][] = [
  [/\bMX-SMI\b|MetaX System/i, 'mx-smi'],
  [/\bnpu-smi\b/i, 'npu-smi'],
  [/\bIX-ML\b/i, 'ixsmi'],
  [/\bHL-SMI\b/i, 'hl-smi'],
  [/\bCNMON\b/i, 'cnmon'],
  [/\bNVIDIA-SMI\b/i, 'nvidia-smi'],
];

function toolOfTable(table: BoxTable, kinds: ReadonlySet<ColumnKind>): DeviceTool | null {
  const titled = titles
    .map(([pattern, tool]) => ({ tool, at: table.above.search(pattern) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => b.at - a.at)[0];
  if (titled !== undefined) return titled.tool;
  if (kinds.has('hbmMb') || kinds.has('memoryMb') || kinds.has('aicore')) return 'npu-smi';
  const first = table.rows.map((row) => row.cells.join(' ')).join(' ');
  if (/\bHL-\d/.test(first)) return 'hl-smi';
  if (/\bMLU\d/.test(first)) return 'cnmon';
  if (/Iluvatar/i.test(first)) return 'ixsmi';
  if (/\bMXC\d|MetaX/i.test(first)) return 'mx-smi';
  return /NVIDIA|Tesla|GeForce|RTX/i.test(first) ? 'nvidia-smi' : null;
}

function deviceOf(
  values: ReadonlyMap<ColumnKind, string>,
  tool: DeviceTool,
  line: number,
  kinds: ReadonlySet<ColumnKind>,
  warn: (phrase: Phrase) => void,
): Device {
  const device = unknownDevice(deviceTools[tool]);
  const take = <T>(kind: ColumnKind, read: (text: string) => T | null | undefined): T | null => {
    const text = values.get(kind);
    return text === undefined ? null : (read(text) ?? null);
  };
  const printed = take('index', toldCount);
  const logical = take('logical', toldCount);
  // An Ascend table whose second header line is missing does not tell whether a card's number is its device's.
  const unclear = tool === 'npu-smi' && !kinds.has('chip');
  device.index = kinds.has('logical') ? logical : unclear ? null : printed;
  device.card = take('card', toldCount) ?? (tool === 'npu-smi' ? printed : null);
  device.chip = take('chip', toldCount);
  device.name = take('name', toldName);
  device.busId = take('bus', toldBusId);
  device.health = take('health', toldName) ?? (tool === 'mx-smi' ? take('state', toldName) : null);
  device.utilizationRatio = take('aicore', toldPercent) ?? take('utilization', (text) => toldPercent(text, 'needed'));
  device.temperatureC = take('temperature', toldCelsius) ?? take('celsius', toldCelsius);
  device.powerW =
    take('power', toldWatts) ?? take('watts', toldWatts) ?? take('wattsPair', (t) => toldWatts(sides(t)[0]));
  device.powerLimitW = take('wattsPair', (text) => toldWatts(sides(text)[1]));
  const memory = [take('hbmMb', pairBytes), take('memoryMb', pairBytes), take('memory', pairBytes)].find(
    (pair) => pair !== null && pair.total > 0,
  );
  if (memory !== undefined && memory !== null) {
    if (memory.used > memory.total) warn(moreThanAll(line));
    else {
      device.memoryTotalBytes = memory.total;
      device.memoryUsedBytes = memory.used;
    }
  }
  return device;
}

/** `60982/65536MiB`: a side without a unit has that of the other. */
function pairBytes(text: string): { used: number; total: number } | null {
  if (isNothing(text)) return null;
  const [left, right] = sides(text);
  const unit = /[a-z]+$/i.exec(right)?.[0] ?? /[a-z]+$/i.exec(left)?.[0] ?? 'MiB';
  const used = toldBytes(left, unit);
  const total = toldBytes(right, unit);
  return used == null || total == null ? null : { used, total };
}

function addProcesses(table: BoxTable, devices: readonly Device[], warn: (phrase: Phrase) => void): void {
  const lines = table.header.filter((header) => header.flat().some((word) => word.kind === 'pid'));
  for (const { values, line } of boxRecords({ ...table, header: lines }, warn)) {
    const card = toldCount(values.get('index') ?? '');
    const chip = toldCount(values.get('chip') ?? '');
    const pid = toldCount(values.get('pid') ?? '') ?? null;
    const owner = devices.find((device) =>
      device.card !== null && device.chip !== null
        ? device.card === card && device.chip === (chip ?? 0)
        : device.index === card,
    );
    if (pid === null) continue;
    if (owner === undefined) {
      warn(strayProcess(line));
      continue;
    }
    const process: DeviceProcess = {
      pid,
      name: toldName(values.get('processName') ?? ''),
      memoryBytes: toldBytes(values.get('processMemory') ?? '', 'MiB') ?? null,
    };
    owner.processes.push(process);
  }
}

function countDiffers(attached: number, read: number): Phrase {
  return {
    en: `${attached} cards are attached, ${read} could be read`,
    zh: `共有 ${attached} 张卡，只读到 ${read} 张`,
  };
}

/** A MIG table numbers slices by their card: read as cards they would overwrite it. */
function slicesLeftOut(): Phrase {
  return {
    en: 'MIG instances are not cards and were left out; the card itself is given',
    zh: 'MIG 实例不是整卡，未列出；仅给出整卡',
  };
}

function unknownColumn(word: string): Phrase {
  return {
    en: `a column named "${word.slice(0, 40)}" is not known; what it says is left out`,
    zh: `未知的列 "${word.slice(0, 40)}"，其内容未采用`,
  };
}

function cutOff(line: number): Phrase {
  return {
    en: `line ${line}: the row does not end; it was left out (was the output cut off?)`,
    zh: `第 ${line} 行：该行不完整，已忽略（输出可能被截断）`,
  };
}

function leftOpen(line: number): Phrase {
  return {
    en: `line ${line}: the table does not end after this row; more may be missing (was the output cut off?)`,
    zh: `第 ${line} 行：表格在该行之后没有结束，后面的内容可能缺失（输出可能被截断）`,
  };
}

function moreThanAll(line: number): Phrase {
  return {
    en: `line ${line}: more memory used than there is; memory left unknown`,
    zh: `第 ${line} 行：已用显存大于总量，显存按未知处理`,
  };
}

function strayProcess(line: number): Phrase {
  return {
    en: `line ${line}: a process that belongs to no card that was read`,
    zh: `第 ${line} 行：进程不属于任何已读到的卡`,
  };
}
