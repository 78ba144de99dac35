import { parseCpuList } from '../../inputs/hardware/index.ts';
import type { NumaLayout, NumaNode } from '../../inputs/hardware/index.ts';
import type { HostFiles } from './host-files.ts';

const root = '/sys/devices/system/node';

/** The NUMA layout as sysfs tells it; null = there is no /sys to read. */
export function numaOfHost(files: HostFiles): NumaLayout | null {
  const numbers = (files.list(root) ?? [])
    .map((name) => /^node(\d+)$/.exec(name)?.[1])
    .filter((number) => number !== undefined)
    .map(Number)
    .toSorted((a, b) => a - b);
  if (numbers.length === 0) return null;
  const nodes = numbers.map((node): NumaNode => {
    const memory = files.read(`${root}/node${node}/meminfo`) ?? '';
    const kib = (name: string): number | null => {
      const match = new RegExp(`${name}:\\s+(\\d+) kB`).exec(memory);
      return match === null ? null : Number(match[1]) * 1024;
    };
    return {
      node,
      cpus: parseCpuList(files.read(`${root}/node${node}/cpulist`) ?? '') ?? [],
      memoryBytes: kib('MemTotal'),
      freeBytes: kib('MemFree'),
    };
  });
  const rows = numbers.map((node) =>
    (files.read(`${root}/node${node}/distance`) ?? '').trim().split(/\s+/).filter(Boolean).map(Number),
  );
  const square = rows.every((row) => row.length === numbers.length);
  return { nodes, distances: square ? rows : null, source: 'sysfs' };
}
