import { parseCpuList } from '../../inputs/hardware/index.ts';
import type { HostFiles } from './host-files.ts';
import { numaOfHost } from './numa-of-host.ts';
import type { NodeCpu } from './telemetry-line.ts';

interface Ticks {
  busy: number;
  all: number;
}

/** Reads /proc/stat again and again: how busy the CPUs of each NUMA node were since the reading before. */
export function hostCpuReader(files: HostFiles): () => NodeCpu[] | null {
  const layout = numaOfHost(files);
  const everyCpu = parseCpuList((files.read('/sys/devices/system/cpu/online') ?? '').trim()) ?? [];
  const nodes = layout?.nodes.filter((node) => node.cpus.length > 0) ?? [{ node: 0, cpus: everyCpu }];
  let before = ticksOf(files);
  return () => {
    const now = ticksOf(files);
    if (now === null) return null;
    const last = before;
    before = now;
    return nodes.map(({ node, cpus }) => {
      const mine = cpus.length > 0 ? cpus : [...now.keys()];
      let busy = 0;
      let all = 0;
      for (const cpu of mine) {
        const [a, b] = [last?.get(cpu), now.get(cpu)];
        if (a === undefined || b === undefined) continue;
        busy += b.busy - a.busy;
        all += b.all - a.all;
      }
      return { node, cpuRatio: all > 0 ? Math.min(1, Math.max(0, busy / all)) : null };
    });
  };
}

function ticksOf(files: HostFiles): Map<number, Ticks> | null {
  const text = files.read('/proc/stat');
  if (text === null) return null;
  const ticks = new Map<number, Ticks>();
  for (const line of text.split('\n')) {
    const match = /^cpu(\d+)\s+(.*)$/.exec(line);
    if (match === null) continue;
    const values = match[2]!.split(/\s+/).slice(0, 8).map(Number);
    const all = values.reduce((sum, value) => sum + value, 0);
    // user nice system idle iowait …: waiting for a disk is not being busy.
    ticks.set(Number(match[1]), { busy: all - (values[3] ?? 0) - (values[4] ?? 0), all });
  }
  return ticks;
}

/** Memory that programs could still take; null = not told. */
export function memoryAvailableBytes(files: HostFiles): number | null {
  const match = /^MemAvailable:\s+(\d+) kB/m.exec(files.read('/proc/meminfo') ?? '');
  return match === null ? null : Number(match[1]) * 1024;
}
