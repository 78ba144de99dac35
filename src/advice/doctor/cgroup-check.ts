import type { HostFiles } from '../../client/telemetry/index.ts';
import { checkOf } from './check.ts';
import type { Check } from './check.ts';

interface Limits {
  cores: number | null;
  memoryBytes: number | null;
  /** Times that the CPU limit held this group back. */
  throttled: number | null;
}

/** What the container around this process may use. */
export function cgroupCheck(files: HostFiles): Check {
  const tell = checkOf('host', 'cgroup-limits');
  const limits = versionTwo(files) ?? versionOne(files);
  if (limits === null) {
    return tell('unknown', {
      en: 'no cgroup limits can be read',
      zh: '无法读取 cgroup 限制',
    });
  }
  const { cores, memoryBytes, throttled } = limits;
  const online = (files.read('/proc/stat') ?? '').match(/^cpu\d+ /gm)?.length ?? null;
  const parts = [
    cores === null ? 'cpu max' : `cpu ${cores} / ${online ?? '?'}`,
    memoryBytes === null ? 'memory max' : `memory ${(memoryBytes / 1024 ** 3).toFixed(1)} GiB`,
    ...(throttled === null ? [] : [`throttled ×${throttled}`]),
  ];
  const tight = (cores !== null && online !== null && cores < online && cores < 4) || (throttled ?? 0) > 1000;
  if (!tight) return tell('ok', parts.join(', '));
  return tell('warn', parts.join(', '), {
    en: 'give the container more CPU (docker: --cpus, kubernetes: resources.limits.cpu); a throttled client or server stops for up to 100 ms at a time',
    zh: '为容器分配更多 CPU（docker：--cpus，kubernetes：resources.limits.cpu）；被限流时每次会停顿最多 100 ms',
  });
}

function versionTwo(files: HostFiles): Limits | null {
  const cpu = /^(max|\d+) (\d+)/.exec(files.read('/sys/fs/cgroup/cpu.max') ?? '');
  const memory = files.read('/sys/fs/cgroup/memory.max')?.trim() ?? '';
  const stat = /^nr_throttled (\d+)/m.exec(files.read('/sys/fs/cgroup/cpu.stat') ?? '');
  if (cpu === null && memory === '' && stat === null && files.read('/sys/fs/cgroup/cgroup.controllers') === null)
    return null;
  return {
    cores: cpu === null || cpu[1] === 'max' ? null : Number(cpu[1]) / Number(cpu[2]),
    memoryBytes: /^\d+$/.test(memory) ? Number(memory) : null,
    throttled: stat === null ? null : Number(stat[1]),
  };
}

function versionOne(files: HostFiles): Limits | null {
  const quota = Number(files.read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us') ?? Number.NaN);
  const period = Number(files.read('/sys/fs/cgroup/cpu/cpu.cfs_period_us') ?? Number.NaN);
  const memory = Number(files.read('/sys/fs/cgroup/memory/memory.limit_in_bytes') ?? Number.NaN);
  if (Number.isNaN(quota) && Number.isNaN(memory)) return null;
  const stat = /^nr_throttled (\d+)/m.exec(files.read('/sys/fs/cgroup/cpu/cpu.stat') ?? '');
  return {
    cores: quota > 0 && period > 0 ? quota / period : null,
    // Version one writes a number near 2^63 for "no limit".
    memoryBytes: memory > 0 && memory < 2 ** 60 ? memory : null,
    throttled: stat === null ? null : Number(stat[1]),
  };
}
