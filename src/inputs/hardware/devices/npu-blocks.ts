import type { Phrase } from '../../../core/index.ts';
import type { CleanText } from './clean-lines.ts';
import { unknownDevice } from './device.ts';
import type { Device, DeviceReading } from './device.ts';
import { untoldFigures } from './untold-figures.ts';
import type { ExpectedFigure } from './untold-figures.ts';
import { toldBytes, toldCelsius, toldCount, toldName, toldPercent, toldWatts } from './reading.ts';

type Block = Map<string, string>;

/**
 * `npu-smi info -t usages|common|memory|power|temp …`: lines of `key : value`. The block of a chip ends with its Chip ID
 * in some types and begins with it in others; which one it is shows where the first Chip ID stands.
 * A block of the card's controller ("Chip Name : mcu") is not a chip's and is left out.
 */
export function readNpuBlocks({ lines, lastLineOpen }: CleanText): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  const whole = lastLineOpen ? lines.slice(0, -1) : lines;
  const pairs = whole.map(pairOf);
  if (!pairs.some((pair) => pair !== null && isMetric(pair.key))) return reading;
  const found = new Map<string, Device>();
  const expected = new Map<string, readonly ExpectedFigure[]>();
  for (const section of sectionsOf(pairs)) readSection(section, found, expected, reading.warnings);
  for (const [key, device] of found) reading.warnings.push(...untoldFigures(device, expected.get(key) ?? []));
  if (lastLineOpen && pairOf(lines.at(-1)!) !== null) reading.warnings.push(openEnd(lines.length));
  reading.devices.push(...found.values());
  if (found.size > 0) reading.layouts.push({ tool: 'npu-smi', layout: 'usages', verified: true });
  return reading;
}

interface Pair {
  key: string;
  value: string;
}

function pairOf(line: string): Pair | null {
  const match = /^\s*([A-Za-z][A-Za-z0-9 _()/%.-]*?)\s*:\s*(\S.*?)\s*$/.exec(line);
  if (match === null || line.includes('|')) return null;
  return { key: match[1]!.toLowerCase().replaceAll(/\s+/g, ' ').replace(/\s*\(/, '('), value: match[2]! };
}

/** The keys that make a text npu-smi's and nobody else's. */
function isMetric(key: string): boolean {
  return /^(?:aicore usage rate\(%\)|hbm usage rate\(%\)|hbm capacity\(mb\)|ddr capacity\(mb\)|npu utilization\(%\)|npu real-time power\(w\)|npu temperature\(c\)|memory usage rate\(%\))$/.test(
    key,
  );
}

interface Section {
  npu: number | null;
  chips: number | null;
  pairs: Pair[];
}

function sectionsOf(pairs: readonly (Pair | null)[]): Section[] {
  const sections: Section[] = [];
  let section: Section = { npu: null, chips: null, pairs: [] };
  for (const pair of pairs) {
    if (pair === null) continue;
    if (pair.key === 'npu id') {
      section = { npu: toldCount(pair.value) ?? null, chips: null, pairs: [] };
      sections.push(section);
    } else if (pair.key === 'chip count') section.chips = toldCount(pair.value) ?? null;
    else section.pairs.push(pair);
  }
  return sections.length > 0 ? sections : [section];
}

type Expected = Map<string, readonly ExpectedFigure[]>;

function readSection(section: Section, found: Map<string, Device>, expected: Expected, warnings: Phrase[]): void {
  const { blocks, leftOver } = blocksOf(section.pairs);
  const single = section.chips === null ? blocks.every(({ chip }) => chip === 0) : section.chips === 1;
  if (section.npu === null) warnings.push(noNumber());
  for (const { chip, block } of blocks) {
    expected.set(`${section.npu} ${chip}`, expectedOf(block));
    keep(section.npu, single, chip, block, found);
  }
  if (section.chips !== null && blocks.length > 0 && blocks.length < section.chips) {
    warnings.push({
      en: `NPU ${section.npu ?? '?'} has ${section.chips} chips, ${blocks.length} could be read`,
      zh: `NPU ${section.npu ?? '?'} 有 ${section.chips} 个芯片，只读到 ${blocks.length} 个`,
    });
  }
  if (leftOver === null) return;
  // Without a Chip ID the values can only belong to a card that has a single chip.
  if (blocks.length === 0 && single) {
    expected.set(`${section.npu} 0`, expectedOf(leftOver));
    keep(section.npu, single, null, leftOver, found);
  } else {
    warnings.push({
      en: `NPU ${section.npu ?? '?'}: values without a Chip ID were left out (was the output cut off?)`,
      zh: `NPU ${section.npu ?? '?'}：缺少 Chip ID 的值已忽略（输出可能被截断）`,
    });
  }
}

function blocksOf(pairs: readonly Pair[]): { blocks: { chip: number; block: Block }[]; leftOver: Block | null } {
  const marks = pairs.flatMap((pair, at) => (pair.key === 'chip id' || isController(pair) ? [at] : []));
  const begins = marks[0] === 0;
  const blocks: { chip: number; block: Block }[] = [];
  for (const [n, at] of marks.entries()) {
    const mark = pairs[at]!;
    const chip = mark.key === 'chip id' ? toldCount(mark.value) : null;
    const from = begins ? at + 1 : (marks[n - 1] ?? -1) + 1;
    const to = begins ? (marks[n + 1] ?? pairs.length) : at;
    if (chip != null) blocks.push({ chip, block: blockOf(pairs.slice(from, to)) });
  }
  const tail = begins || pairs.some(isController) ? [] : pairs.slice((marks.at(-1) ?? -1) + 1);
  const rest = tail.some((pair) => isMetric(pair.key)) ? blockOf(tail) : null;
  return { blocks, leftOver: rest };
}

/** A key that stands twice belongs to two things (a chip and its controller), so neither value is taken. */
function blockOf(pairs: readonly Pair[]): Block {
  const block: Block = new Map();
  const twice = new Set<string>();
  for (const { key, value } of pairs) {
    if (block.has(key)) twice.add(key);
    block.set(key, value);
  }
  for (const key of twice) block.delete(key);
  return block;
}

function isController(pair: Pair): boolean {
  return pair.key === 'chip name' && /^(?:mcu|3559)$/i.test(pair.value);
}

function keep(
  npu: number | null,
  single: boolean,
  chip: number | null,
  block: Block,
  found: Map<string, Device>,
): void {
  const key = `${npu} ${chip ?? 0}`;
  const device = found.get(key) ?? unknownDevice('huawei');
  found.set(key, device);
  device.card = npu;
  device.chip = chip ?? device.chip;
  // On a card of one chip the card's number is the device's; on others only the table tells it (Phy-ID).
  device.index = single ? npu : null;
  const take = <T>(read: (text: string) => T | null | undefined, ...keys: string[]): T | null => {
    for (const name of keys) {
      const text = block.get(name);
      const value = text === undefined ? null : read(text);
      if (value != null) return value;
    }
    return null;
  };
  const hbm = take((text) => toldBytes(text, 'MB'), 'hbm capacity(mb)');
  const ddr = take((text) => toldBytes(text, 'MB'), 'ddr capacity(mb)');
  const onHbm = hbm !== null && hbm > 0;
  device.memoryTotalBytes = (onHbm ? hbm : ddr === 0 ? null : ddr) ?? device.memoryTotalBytes;
  device.memoryUsedRatio =
    take(toldPercent, ...(onHbm || ddr === null ? ['hbm usage rate(%)'] : []), ...(onHbm ? [] : memoryRates(block))) ??
    device.memoryUsedRatio;
  device.utilizationRatio = take(toldPercent, 'aicore usage rate(%)') ?? device.utilizationRatio;
  device.temperatureC = take(toldCelsius, 'temperature(c)', 'npu temperature(c)') ?? device.temperatureC;
  device.powerW = take(toldWatts, 'npu real-time power(w)', 'power dissipation(w)') ?? device.powerW;
  device.name = take(toldName, 'product name', 'chip name') ?? device.name;
}

/** What the types `common` and `usages` tell of a chip; the others tell one thing each. */
function expectedOf(block: Block): readonly ExpectedFigure[] {
  const has = (pattern: RegExp): boolean => [...block.keys()].some((key) => pattern.test(key));
  if (has(/^aicore (?:count|freq|curfreq)/)) return ['memoryUsed', 'utilizationRatio', 'powerW', 'temperatureC'];
  if (has(/ usage rate\(%\)$/) && has(/^(?:ddr|hbm|aivector|aicpu|ctrlcpu) .*/))
    return ['memoryTotalBytes', 'memoryUsed', 'utilizationRatio'];
  return endsBeforeHbm(block) ? ['memoryUsed'] : [];
}

const memoryRateNames = ['ddr usage rate(%)', 'memory usage rate(%)'];

/** HBM is told right after the other memory: a block that ends there was maybe cut off before it. */
function endsBeforeHbm(block: Block): boolean {
  return memoryRateNames.includes([...block.keys()].at(-1) ?? '');
}

/** Where there is no HBM the DDR's share counts. A chip that tells its core count in `common` has HBM, told or not. */
function memoryRates(block: Block): string[] {
  const mayHaveHbm = block.has('hbm usage rate(%)') || block.has('aicore count') || endsBeforeHbm(block);
  return mayHaveHbm ? [] : memoryRateNames;
}

function noNumber(): Phrase {
  return {
    en: 'the output does not tell the NPU ID: which card it is about is not known',
    zh: '输出中没有 NPU ID，不知道是哪张卡',
  };
}

function openEnd(line: number): Phrase {
  return {
    en: `line ${line}: the text ends inside this line; left out`,
    zh: `第 ${line} 行：文本在此行中断，已忽略`,
  };
}
