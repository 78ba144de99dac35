import type { Device, NumaLayout } from '../../inputs/hardware/index.ts';
import type { HostFiles } from '../../client/telemetry/index.ts';
import { cgroupCheck } from './cgroup-check.ts';
import { checkOf, fixBy, notGiven } from './check.ts';
import type { Check } from './check.ts';
import { jemallocCheck, numaCheck } from './numa-check.ts';
import { portsCheck, somaxconnCheck, timeWaitCheck } from './network-checks.ts';

/** What the host checks look at. */
export interface HostView {
  files: HostFiles;
  devices: readonly Device[];
  numa: NumaLayout | null;
  /** Everything was read from the outputs of another host, `files` too: nothing of this machine may be asked. */
  captured: boolean;
  concurrency: number;
}

/** Files by which the checks of another host would be answered, as `head -v` prints them. */
const asked: Readonly<Record<string, string>> = {
  'cpu-governor': '/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor',
  'transparent-huge-pages': '/sys/kernel/mm/transparent_hugepage/enabled',
  swap: '/proc/meminfo',
  'locked-memory': '/proc/self/limits',
  'ephemeral-ports': '/proc/sys/net/ipv4/ip_local_port_range',
  somaxconn: '/proc/sys/net/core/somaxconn',
  'time-wait': '/proc/net/sockstat',
  'cgroup-limits': '/sys/fs/cgroup/cpu.max /sys/fs/cgroup/memory.max',
  'clock-source': '/sys/devices/system/clocksource/clocksource0/current_clocksource',
};

/** Every check of the host, in the order they are shown. Of another host, what was not handed in is said to be missing. */
export function hostChecks(view: HostView): Check[] {
  const checks = allChecks(view);
  if (!view.captured) return checks;
  return checks.map((one) => {
    const paths = one.status === 'unknown' && Object.hasOwn(asked, one.code) ? asked[one.code]! : null;
    if (paths === null) return one;
    const command = `head -v ${paths} >> host.txt`;
    return { ...one, evidence: notGiven, fix: { en: `there: ${command}`, zh: `在该主机上执行：${command}` } };
  });
}

function allChecks(view: HostView): Check[] {
  return [
    governorCheck(view.files),
    hugePagesCheck(view),
    numaCheck(view),
    jemallocCheck(view),
    swapCheck(view.files),
    lockedMemoryCheck(view),
    portsCheck(view),
    somaxconnCheck(view),
    timeWaitCheck(view.files),
    cgroupCheck(view.files),
    clockSourceCheck(view.files),
  ];
}

function governorCheck(files: HostFiles): Check {
  const tell = checkOf('host', 'cpu-governor');
  const cpus = (files.list('/sys/devices/system/cpu') ?? []).filter((name) => /^cpu\d+$/.test(name));
  const counts = new Map<string, number>();
  for (const cpu of cpus) {
    const governor = files.read(`/sys/devices/system/cpu/${cpu}/cpufreq/scaling_governor`)?.trim();
    if (governor !== undefined && governor !== '') counts.set(governor, (counts.get(governor) ?? 0) + 1);
  }
  if (counts.size === 0) {
    return tell('unknown', {
      en: 'no cpufreq in /sys: a virtual machine or container does not see it; ask on the bare host',
      zh: '/sys 中没有 cpufreq：虚拟机或容器内看不到，请在物理机上检查',
    });
  }
  const seen = [...counts].map(([governor, count]) => `${governor} ×${count}`).join(', ');
  const slow = [...counts.keys()].filter((governor) => governor !== 'performance');
  if (slow.length === 0) return tell('ok', seen);
  return tell(
    'warn',
    { en: `${seen}; clocks that ramp up and down make latencies vary`, zh: `${seen}；频率升降会使时延波动` },
    fixBy('as root on the bare host', '在物理机上以 root 执行', 'cpupower -c all frequency-set -g performance'),
  );
}

function hugePagesCheck({ files, devices }: HostView): Check {
  const tell = checkOf('host', 'transparent-huge-pages');
  const text = files.read('/sys/kernel/mm/transparent_hugepage/enabled')?.trim();
  const mode = /\[(\w+)\]/.exec(text ?? '')?.[1];
  if (mode === undefined) {
    return tell('unknown', { en: 'cannot be read here', zh: '此处无法读取' });
  }
  const ascend = devices.some((device) => device.vendor === 'huawei');
  if (mode === 'always' || (mode === 'madvise' && !ascend)) return tell('ok', text!);
  return tell(
    'warn',
    {
      en: `${text}${ascend ? '; MindIE’s guide asks for always: throughput varies less from run to run' : ''}`,
      zh: `${text}${ascend ? '；MindIE 指南要求 always：多次测试的吞吐更稳定' : ''}`,
    },
    fixBy('as root', '以 root 执行', 'echo always > /sys/kernel/mm/transparent_hugepage/enabled'),
  );
}

function swapCheck(files: HostFiles): Check {
  const tell = checkOf('host', 'swap');
  const memory = files.read('/proc/meminfo') ?? '';
  const kib = (name: string): number | null => {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(memory);
    return match === null ? null : Number(match[1]);
  };
  const [total, free] = [kib('SwapTotal'), kib('SwapFree')];
  if (total === null || free === null)
    return tell('unknown', { en: '/proc/meminfo tells nothing', zh: '/proc/meminfo 无信息' });
  if (total === 0) return tell('ok', { en: 'no swap', zh: '未启用 swap' });
  const usedMib = Math.round((total - free) / 1024);
  const swappiness = files.read('/proc/sys/vm/swappiness')?.trim() ?? '?';
  const seen = `${usedMib} MiB / ${Math.round(total / 1024)} MiB, swappiness ${swappiness}`;
  if (usedMib < 64) return tell('ok', seen);
  return tell(
    'warn',
    {
      en: `${seen}; a page that comes back from disk stalls whoever waits for it`,
      zh: `${seen}；换出的内存页会造成停顿`,
    },
    fixBy('as root', '以 root 执行', 'sysctl vm.swappiness=1 && swapoff -a && swapon -a'),
  );
}

function lockedMemoryCheck({ files, devices }: HostView): Check {
  const tell = checkOf('host', 'locked-memory');
  const match = /^Max locked memory\s+(\S+)/m.exec(files.read('/proc/self/limits') ?? '');
  if (match === null)
    return tell('unknown', { en: '/proc/self/limits cannot be read', zh: '无法读取 /proc/self/limits' });
  const limit = match[1]!;
  const small = limit !== 'unlimited' && Number(limit) < 1024 ** 3;
  if (!small || devices.length === 0) return tell('ok', `memlock ${limit}`);
  return tell(
    'warn',
    {
      en: `memlock ${limit} bytes; drivers pin host memory for transfers`,
      zh: `memlock ${limit} 字节；驱动传输需要锁定主机内存`,
    },
    fixBy('start the server with', '启动服务时使用', 'ulimit -l unlimited (docker: --ulimit memlock=-1)'),
  );
}

function clockSourceCheck(files: HostFiles): Check {
  const tell = checkOf('host', 'clock-source');
  const source = files.read('/sys/devices/system/clocksource/clocksource0/current_clocksource')?.trim();
  if (source === undefined || source === '') {
    return tell('unknown', { en: 'cannot be read here', zh: '此处无法读取' });
  }
  if (!/^(?:hpet|acpi_pm|jiffies|refined-jiffies|pit)$/.test(source)) return tell('ok', source);
  return tell(
    'warn',
    {
      en: `${source}: reading the time is slow, which costs a client that stamps every read`,
      zh: `${source}：读取时间较慢，会拖累逐次打点的客户端`,
    },
    fixBy(
      'as root, if it is offered',
      '以 root 执行（若可用）',
      'echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource',
    ),
  );
}
