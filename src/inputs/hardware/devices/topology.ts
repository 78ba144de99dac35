import type { Phrase } from '../../../core/index.ts';
import type { CleanText } from './clean-lines.ts';
import { deviceTools, unknownDevice } from './device.ts';
import type { Device, DeviceReading, DeviceTool } from './device.ts';
import { toldCount } from './reading.ts';

const deviceWord = /^(GPU|NPU|MLU|HPU|DCU|NIC|mlx5_|eth|hca)_?(\d+)$/i;
const isNetwork = /^(?:NIC|mlx5_|eth|hca)/i;
const linkWord =
  /^(?:X|NV\d+|PIX|PXB|PHB|NODE|SYS|MX|MXLK?|ETH|NA|N\/A|HCCS(?:_SW)?|SIO|PIB|SOC|MLK|MUL|CPU|XGMI|PCIE)$/;
const cpuList = /^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/;

interface Header {
  links: number;
  /** Cards among them, each of which has a row. */
  cards: number;
  /** Affinity columns in order. */
  affinity: string[];
  /** Their places among tab-separated cells, where tabs split the table. */
  tabs: number[] | null;
}

/** Which NUMA node and CPUs each card is near, out of `topo -m` of nvidia-smi and mx-smi and `info -t topo` of npu-smi. */
export function readTopology({ lines, lastLineOpen }: CleanText): DeviceReading {
  const reading: DeviceReading = { devices: [], layouts: [], warnings: [] };
  let header: Header | null = null;
  let tool: DeviceTool | null = null;
  let rows = 0;
  const missing = (): void => {
    if (header !== null && rows > 0 && rows < header.cards) reading.warnings.push(rowsMissing(header.cards, rows));
    rows = 0;
  };
  for (const [at, line] of lines.entries()) {
    const asHeader = headerOf(line);
    if (asHeader !== null) {
      missing();
      header = asHeader;
      tool = null;
      continue;
    }
    if (header === null) continue;
    const words = line.trim().split(/\s+/);
    const named = deviceWord.exec(words[0]!);
    const codes = words.slice(1, 1 + header.links);
    if (named === null || !codes.every((word) => linkWord.test(word)) || codes.length !== header.links) {
      if (line.trim() === '') continue;
      missing();
      header = null;
      continue;
    }
    if (isNetwork.test(named[1]!)) continue;
    rows++;
    tool ??= toolOf(named[1]!, header, lines);
    const device = unknownDevice(deviceTools[tool]);
    device.index = toldCount(named[2]!) ?? null;
    const open = lastLineOpen && at === lines.length - 1;
    const told = open ? null : affinityOf(line, words.slice(1 + header.links), header);
    if (told === null && header.affinity.length > 0) {
      reading.warnings.push({
        en: `line ${at + 1}: the affinity of ${words[0]} cannot be told from its neighbours; left unknown`,
        zh: `第 ${at + 1} 行：无法确定 ${words[0]} 的亲和性，按未知处理`,
      });
    }
    apply(device, told);
    reading.devices.push(device);
    if (!reading.layouts.some((layout) => layout.tool === tool))
      reading.layouts.push({ tool, layout: 'topology', verified: true });
  }
  missing();
  return reading;
}

function rowsMissing(cards: number, rows: number): Phrase {
  return {
    en: `the topology names ${cards} cards and has rows of ${rows} (was the output cut off?)`,
    zh: `拓扑表头有 ${cards} 张卡，却只有 ${rows} 行（输出可能被截断）`,
  };
}

function headerOf(line: string): Header | null {
  const affinity = [...line.matchAll(/(?:CPU|NUMA|Node|Mem) Affinity|GPU NUMA ID/gi)].map((match) =>
    match[0].toLowerCase(),
  );
  const words = line
    .replaceAll(/(?:CPU|NUMA|Node|Mem) Affinity|GPU NUMA ID/gi, ' ')
    .trim()
    .split(/\s+/);
  if (!words.every((word) => deviceWord.test(word)) || words[0] === '') return null;
  const cells = line.split('\t').map((cell) => cell.trim().toLowerCase());
  return {
    links: words.length,
    cards: words.filter((word) => !isNetwork.test(word)).length,
    affinity,
    tabs: line.includes('\t') ? affinity.map((name) => cells.indexOf(name)) : null,
  };
}

/** By tabs where the tool writes them (a cell may be empty there), else by count: as many values as columns or none. */
function affinityOf(line: string, rest: readonly string[], header: Header): Map<string, string> | null {
  if (header.affinity.length === 0) return null;
  if (header.tabs !== null && line.includes('\t')) {
    const cells = line.split('\t').map((cell) => cell.trim());
    return new Map(header.affinity.map((name, n) => [name, cells[header.tabs![n]!] ?? '']));
  }
  if (rest.length !== header.affinity.length) return null;
  return new Map(header.affinity.map((name, n) => [name, rest[n]!]));
}

function apply(device: Device, told: ReadonlyMap<string, string> | null): void {
  if (told === null) return;
  const cpus = told.get('cpu affinity') ?? '';
  device.cpuAffinity = cpuList.test(cpus) ? cpus : null;
  device.numaNode = toldCount(told.get('node affinity') ?? told.get('numa affinity') ?? '', 1023) ?? null;
}

function toolOf(prefix: string, header: Header, lines: readonly string[]): DeviceTool {
  if (/^NPU/i.test(prefix)) return 'npu-smi';
  if (/^MLU/i.test(prefix)) return 'cnmon';
  if (/^HPU/i.test(prefix)) return 'hl-smi';
  if (/^DCU/i.test(prefix)) return 'hy-smi';
  const metax = header.affinity.includes('node affinity') || lines.some((line) => /MetaX|^GPU\d+\s.*\bMX\b/.test(line));
  return metax ? 'mx-smi' : 'nvidia-smi';
}
