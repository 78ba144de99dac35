/** One NUMA node; cpus may be empty (memory only). */
export interface NumaNode {
  node: number;
  cpus: number[];
  memoryBytes: number | null;
  freeBytes: number | null;
}

/** The NUMA layout of a host. distances[i][j] belongs to nodes[i] and nodes[j]; null = not told. */
export interface NumaLayout {
  nodes: NumaNode[];
  distances: number[][] | null;
  /** Where it was read: `numactl --hardware`, `lscpu`, `sysfs`. */
  source: string;
}

/** Distance between two nodes; null = not told. */
export function numaDistance(layout: NumaLayout, from: number, to: number): number | null {
  const at = layout.nodes.findIndex((node) => node.node === from);
  const other = layout.nodes.findIndex((node) => node.node === to);
  return layout.distances?.[at]?.[other] ?? null;
}
