import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDevices, readNuma } from '../../inputs/hardware/index.ts';
import type { HostFiles } from '../../client/telemetry/index.ts';
import { capturedFiles } from './captured-files.ts';
import { clientChecks } from './client-checks.ts';
import { hostChecks } from './host-checks.ts';
import type { HostView } from './host-checks.ts';

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/hardware-devices', name), 'utf8');

/** A host made of the files given; everything else is not there. */
function host(files: Record<string, string>): HostFiles {
  return {
    read: (path) => files[path] ?? null,
    list: (path) => {
      const names = Object.keys(files)
        .filter((name) => name.startsWith(`${path}/`))
        .map((name) => name.slice(path.length + 1).split('/')[0]!);
      return names.length === 0 ? null : [...new Set(names)];
    },
  };
}

const view = (files: Record<string, string>, more: Partial<HostView> = {}): HostView => ({
  files: host(files),
  devices: [],
  numa: null,
  captured: false,
  concurrency: 100,
  ...more,
});
const statusOf = (seen: HostView, code: string) => hostChecks(seen).find((one) => one.code === code)!;
const cpu = '/sys/devices/system/cpu';

describe('host checks', () => {
  test('a container without /sys and /proc: every check answers unknown, none crashes', () => {
    const checks = hostChecks(view({}));
    expect(checks.map((one) => one.status)).toEqual(checks.map(() => 'unknown'));
    for (const one of checks) expect(one.evidence.en.length).toBeGreaterThan(3);
  });

  test('garbage in every file is unknown or harmless, never a crash', () => {
    const files: HostFiles = {
      read: () => '\u0000garbage \u001b[31m 99999999999999999999',
      list: () => ['cpu0', 'node0', '..', ''],
    };
    for (const one of hostChecks(view({}, { files }))) expect(['ok', 'warn', 'bad', 'unknown']).toContain(one.status);
  });

  test('the governor: all on performance is well, one that is not is named with the command that mends it', () => {
    const all = {
      [`${cpu}/cpu0/cpufreq/scaling_governor`]: 'performance\n',
      [`${cpu}/cpu1/cpufreq/scaling_governor`]: 'performance\n',
    };
    expect(statusOf(view(all), 'cpu-governor').status).toBe('ok');
    const some = statusOf(view({ ...all, [`${cpu}/cpu1/cpufreq/scaling_governor`]: 'powersave\n' }), 'cpu-governor');
    expect(some).toMatchObject({ status: 'warn' });
    expect(some.evidence.en).toContain('powersave ×1');
    expect(some.fix!.en).toContain('cpupower -c all frequency-set -g performance');
  });

  test('huge pages: madvise is well, except for Ascend cards, whose guide asks for always', () => {
    const files = { '/sys/kernel/mm/transparent_hugepage/enabled': 'always [madvise] never\n' };
    expect(statusOf(view(files), 'transparent-huge-pages').status).toBe('ok');
    const { devices } = readDevices(fixture('npu-smi-910b3.txt'));
    expect(statusOf(view(files, { devices }), 'transparent-huge-pages').status).toBe('warn');
  });

  test('the published eight-node host with four MXC500: node 0, distances as evidence', () => {
    const numa = readNuma(fixture('numactl-8-nodes.txt'));
    const { devices } = readDevices(fixture('mx-smi-topo.txt'));
    const found = statusOf(view({}, { numa, devices, captured: true }), 'numa-binding');
    expect(found.status).toBe('warn');
    expect(found.fix!.en).toContain('numactl -N0 -m0');
    expect(found.evidence.en).toContain('4 of 4 cards are attached to node 0');
    expect(found.evidence.en).toContain('node4 28');
  });

  test('a server that already runs on the right node is well', () => {
    const numa = readNuma(fixture('numactl-8-nodes.txt'));
    const { devices } = readDevices(fixture('mx-smi-2.1.6.txt') + fixture('mx-smi-topo.txt'));
    const bound = Object.fromEntries(
      [15652, 22854, 22945, 23034].map((pid) => [`/proc/${pid}/status`, 'Name:\tpython\nCpus_allowed_list:\t0-15\n']),
    );
    expect(statusOf(view(bound, { numa, devices }), 'numa-binding').status).toBe('ok');
    const astray = { ...bound, '/proc/22945/status': 'Cpus_allowed_list:\t0-127\n' };
    expect(statusOf(view(astray, { numa, devices }), 'numa-binding').status).toBe('warn');
  });

  test('swap in use, few ports, a short queue, a tight container and a slow clock are said', () => {
    const files = {
      '/proc/meminfo': 'MemTotal: 100 kB\nSwapTotal:  2097152 kB\nSwapFree:  1048576 kB\n',
      '/proc/sys/vm/swappiness': '60\n',
      '/proc/sys/net/ipv4/ip_local_port_range': '32768\t33000\n',
      '/proc/sys/net/core/somaxconn': '128\n',
      '/proc/net/sockstat': 'sockets: used 5\nTCP: inuse 4 orphan 0 tw 200 alloc 9 mem 1\n',
      '/sys/fs/cgroup/cpu.max': '100000 100000\n',
      '/proc/stat': 'cpu  1 2\ncpu0 1 2\ncpu1 1 2\n',
      '/sys/devices/system/clocksource/clocksource0/current_clocksource': 'hpet\n',
    };
    const checks = new Map(hostChecks(view(files, { concurrency: 500 })).map((one) => [one.code, one]));
    expect(checks.get('swap')!.evidence.en).toContain('1024 MiB / 2048 MiB');
    expect(checks.get('ephemeral-ports')!.status).toBe('bad');
    for (const code of ['swap', 'somaxconn', 'time-wait', 'cgroup-limits', 'clock-source'])
      expect([code, checks.get(code)!.status]).toEqual([code, 'warn']);
    for (const one of checks.values())
      if (one.status === 'warn' || one.status === 'bad') expect(one.fix!.zh.length).toBeGreaterThan(3);
  });

  test('version one of cgroups has another word for no limit', () => {
    const files = {
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    };
    expect(statusOf(view(files), 'cgroup-limits')).toMatchObject({
      status: 'ok',
      evidence: { en: 'cpu max, memory max' },
    });
  });
});

describe('another host, by what was captured there', () => {
  const captured = (text: string): HostView => ({
    files: capturedFiles(text),
    devices: readDevices(text).devices,
    numa: readNuma(text),
    captured: true,
    concurrency: 100,
  });

  test("the inputs of MindIE's guide, lscpu and npu-smi, give the binding of the guide and nothing else", () => {
    const checks = hostChecks(captured(`${fixture('lscpu-full-width.txt')}\n${fixture('npu-smi-910b3.txt')}`));
    const numa = checks.find(({ code }) => code === 'numa-binding')!;
    expect(numa.fix!.en).toContain('taskset -c 24-47 ./bin/mindieservice_daemon');
    expect(numa.fix!.zh).toContain('taskset -c 24-47 ./bin/mindieservice_daemon');
    for (const one of checks.filter(({ code }) => code !== 'numa-binding'))
      expect([one.code, one.status, one.evidence.en]).toEqual([one.code, 'unknown', 'not in what you gave']);
  });

  test('cards of another vendor get no advice for a daemon of MindIE', () => {
    const seen = captured(`${fixture('lscpu-full-width.txt')}\n${fixture('mx-smi-2.1.6.txt')}`);
    expect(JSON.stringify(statusOf(seen, 'numa-binding'))).not.toContain('taskset');
  });

  test('files that were captured with the cards are judged, and end where the next output begins', () => {
    const text = [
      '==> /proc/meminfo <==',
      'MemTotal: 100 kB',
      'SwapTotal:  2097152 kB',
      'SwapFree:  1048576 kB',
      '',
      '[root@npu ~]# cat /sys/kernel/mm/transparent_hugepage/enabled',
      'always [madvise] never',
      fixture('npu-smi-910b3.txt'),
    ].join('\n');
    const seen = captured(text);
    expect(statusOf(seen, 'swap').evidence.en).toContain('1024 MiB / 2048 MiB');
    expect(statusOf(seen, 'transparent-huge-pages').evidence.en).toMatch(/^always \[madvise\] never; MindIE/);
    expect(statusOf(seen, 'locked-memory').status).toBe('unknown');
  });
});

describe('client checks', () => {
  test('file handles against the concurrency asked for', () => {
    const files = host({
      '/proc/self/limits':
        'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 4096                 files\n',
    });
    const handles = (concurrency: number) =>
      clientChecks({ files, concurrency, cores: 8, loopDelayP99Ms: 1 }).find((one) => one.code === 'file-handles')!;
    expect(handles(100).status).toBe('ok');
    expect(handles(600).status).toBe('warn');
    expect(handles(1000).status).toBe('bad');
    expect(handles(1000).fix!.en).toContain('ulimit -n 65536');
  });

  test('nothing readable: unknown, with words', () => {
    const checks = clientChecks({ files: host({}), concurrency: 10, cores: 4, loopDelayP99Ms: null });
    expect(Object.fromEntries(checks.map((one) => [one.code, one.status]))).toEqual({
      'file-handles': 'unknown',
      cores: 'ok',
      'event-loop': 'unknown',
      'host-load': 'unknown',
      memory: 'unknown',
    });
  });
});
