import { parseCpuList } from './cpu-list.ts';
import type { NumaLayout, NumaNode } from './numa-layout.ts';

/** The NUMA layout in a text: `numactl --hardware`, `lscpu` in any language, `lscpu -J` or `lscpu -p`; null = none of these. */
export function readNuma(text: string): NumaLayout | null {
  const lines = text.normalize('NFKC').replaceAll('\r\n', '\n').split('\n');
  return fromNumactl(lines, !text.endsWith('\n')) ?? fromLscpuTable(lines) ?? fromLscpu(lines);
}

const mib = 1024 ** 2;

function nodeOf(nodes: Map<number, NumaNode>, number: number): NumaNode {
  const found = nodes.get(number) ?? { node: number, cpus: [], memoryBytes: null, freeBytes: null };
  nodes.set(number, found);
  return found;
}

function fromNumactl(lines: readonly string[], lastLineOpen: boolean): NumaLayout | null {
  const nodes = new Map<number, NumaNode>();
  for (const [at, line] of lines.entries()) {
    const match = /^\s*node (\d+) (cpus|size|free):\s*(.*?)\s*$/.exec(line);
    if (match === null || (lastLineOpen && at === lines.length - 1)) continue;
    const node = nodeOf(nodes, Number(match[1]));
    if (match[2] === 'cpus')
      node.cpus = /^[\d\s]*$/.test(match[3]!) ? match[3]!.split(/\s+/).filter(Boolean).map(Number) : [];
    const size = /^(\d+) MB$/.exec(match[3]!);
    if (match[2] === 'size' && size !== null) node.memoryBytes = Number(size[1]) * mib;
    if (match[2] === 'free' && size !== null) node.freeBytes = Number(size[1]) * mib;
  }
  if (nodes.size === 0) return null;
  const sorted = [...nodes.values()].toSorted((a, b) => a.node - b.node);
  return { nodes: sorted, distances: distancesIn(lines, sorted), source: 'numactl --hardware' };
}

/** The matrix under `node distances:`; a matrix that is not square, or where a node is not 10 from itself, is not believed. */
function distancesIn(lines: readonly string[], nodes: readonly NumaNode[]): number[][] | null {
  const start = lines.findIndex((line) => /^\s*node distances:/.test(line));
  if (start === -1) return null;
  const order = /^\s*node\s+([\d\s]+)$/
    .exec(lines[start + 1] ?? '')?.[1]
    ?.trim()
    .split(/\s+/)
    .map(Number);
  if (order === undefined) return null;
  const rows = new Map<number, number[]>();
  for (const line of lines.slice(start + 2)) {
    const match = /^\s*(\d+):\s*([\d\s]+)$/.exec(line);
    if (match === null) break;
    rows.set(Number(match[1]), match[2]!.trim().split(/\s+/).map(Number));
  }
  const matrix = nodes.map(({ node }) => nodes.map((other) => rows.get(node)?.[order.indexOf(other.node)]));
  const whole = matrix.every((row, at) => row.every((value) => value !== undefined) && row[at] === 10);
  return whole ? (matrix as number[][]) : null;
}

/** `NUMA node0 CPU(s): 0-23`, also with full-width colons, in JSON, or with the words in another language. */
function fromLscpu(lines: readonly string[]): NumaLayout | null {
  const nodes = new Map<number, NumaNode>();
  for (const [at, line] of lines.entries()) {
    const json = /"field":\s*"NUMA[^"\d]*(\d+)[^"]*"/.exec(line);
    const match = json ?? /^\s*NUMA\s*(?:node|节点|nœud|nodo|-?Knoten)\s*(\d+)[^:]*:\s*([\d,-]+)\s*$/i.exec(line);
    if (match === null) continue;
    const list =
      json === null ? match[2]! : (/"data":\s*"([\d,-]*)"/.exec(`${line} ${lines[at + 1] ?? ''}`)?.[1] ?? '');
    const cpus = parseCpuList(list);
    if (cpus !== null && cpus.length > 0) nodeOf(nodes, Number(match[1])).cpus = cpus;
  }
  if (nodes.size === 0) return null;
  return { nodes: [...nodes.values()].toSorted((a, b) => a.node - b.node), distances: null, source: 'lscpu' };
}

/** `lscpu -p=CPU,NODE,…`: comma-separated with the names in a comment. */
function fromLscpuTable(lines: readonly string[]): NumaLayout | null {
  const header = lines.find((line) => /^#\s*CPU,/i.test(line));
  if (header === undefined) return null;
  const names = header
    .replace(/^#\s*/, '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const [cpuAt, nodeAt] = [names.indexOf('cpu'), names.indexOf('node')];
  if (nodeAt === -1) return null;
  const nodes = new Map<number, NumaNode>();
  for (const line of lines) {
    const cells = line.split(',');
    if (line.startsWith('#') || cells.length < names.length || !/^\d+$/.test(cells[nodeAt]!.trim())) continue;
    nodeOf(nodes, Number(cells[nodeAt])).cpus.push(Number(cells[cpuAt]));
  }
  if (nodes.size === 0) return null;
  return { nodes: [...nodes.values()].toSorted((a, b) => a.node - b.node), distances: null, source: 'lscpu -p' };
}
