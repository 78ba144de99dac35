import { bindingAdvice, formatCpuList, parseCpuList } from '../../inputs/hardware/index.ts';
import type { HostFiles } from '../../client/telemetry/index.ts';
import { checkOf, notGiven } from './check.ts';
import type { Check } from './check.ts';
import type { HostView } from './host-checks.ts';

/** Whether the server runs on the node that its cards are attached to, and how to bind it there. */
export function numaCheck(view: HostView): Check {
  const { numa, devices, files, captured } = view;
  const tell = checkOf('host', 'numa-binding');
  if (numa === null && captured) {
    return tell('unknown', notGiven, {
      en: 'there: lscpu >> host.txt, or numactl --hardware >> host.txt',
      zh: '在该主机上执行：lscpu >> host.txt，或 numactl --hardware >> host.txt',
    });
  }
  if (numa === null) return tell('unknown', { en: 'no NUMA layout can be read here', zh: '此处无法读取 NUMA 布局' });
  const withCpus = numa.nodes.filter((node) => node.cpus.length > 0);
  if (withCpus.length === 1) return tell('ok', { en: 'one node: nothing to bind', zh: '只有一个节点，无需绑定' });
  const advice = bindingAdvice(numa, devices);
  if (advice === null) {
    return tell('unknown', {
      en: `${withCpus.length} nodes (${numa.source}), but no card tells which one it is near`,
      zh: `${withCpus.length} 个节点（${numa.source}），但没有卡的归属信息`,
    });
  }
  const near = numa.nodes.find((node) => node.node === advice.node)!.cpus;
  const servers = captured ? [] : servingProcesses(view);
  const bound = servers.map((pid) => allowedCpus(files, pid)).filter((cpus) => cpus !== null);
  const where = bound.map((cpus) => formatCpuList(cpus)).slice(0, 4);
  const seen = {
    en: `${advice.evidence.en}${where.length > 0 ? `; serving processes may run on CPUs ${where.join(' | ')}` : ''}`,
    zh: `${advice.evidence.zh}${where.length > 0 ? `；服务进程可运行的 CPU：${where.join(' | ')}` : ''}`,
  };
  if (bound.length > 0 && bound.every((cpus) => cpus.every((cpu) => near.includes(cpu)))) return tell('ok', seen);
  return tell('warn', seen, {
    en: `try: ${advice.command} <server command>; measure it against no binding, wide bindings can be slower than none${advice.also === null ? '' : `. ${advice.also.en}`}`,
    zh: `可尝试：${advice.command} <服务启动命令>；并与不绑定对比测量，跨多个节点的绑定可能比不绑定更慢${advice.also === null ? '' : `。${advice.also.zh}`}`,
  });
}

/** Whether the server's allocator is jemalloc or tcmalloc: many-threaded servers gain from either. */
export function jemallocCheck(view: HostView): Check {
  const tell = checkOf('host', 'jemalloc');
  const fix = {
    en: 'start the server with LD_PRELOAD=/path/to/libjemalloc.so (Debian: apt install libjemalloc2)',
    zh: '启动服务时设置 LD_PRELOAD=/path/to/libjemalloc.so（Debian：apt install libjemalloc2）',
  };
  if (view.captured) return tell('unknown', notGiven);
  const servers = servingProcesses(view);
  const maps = servers
    .map((pid) => view.files.read(`/proc/${pid}/maps`))
    .filter((text) => text !== null && text !== '');
  if (maps.length === 0) {
    return tell('unknown', {
      en:
        servers.length === 0
          ? 'no serving process is seen on the cards'
          : `the serving processes (${servers.join(', ')}) cannot be looked into`,
      zh: servers.length === 0 ? '卡上没有看到服务进程' : `无法查看服务进程（${servers.join(', ')}）`,
    });
  }
  const loaded = maps.filter((text) => /lib(?:je|tc)malloc/.test(text!)).length;
  const seen = {
    en: `loaded by ${loaded} of ${maps.length} serving processes`,
    zh: `${maps.length} 个服务进程中有 ${loaded} 个已加载`,
  };
  return loaded === maps.length ? tell('ok', seen) : tell('warn', seen, fix);
}

function servingProcesses({ devices }: HostView): number[] {
  const pids = devices.flatMap((device) => device.processes.map((process) => process.pid));
  return [...new Set(pids.filter((pid) => pid !== null))].slice(0, 64);
}

function allowedCpus(files: HostFiles, pid: number): number[] | null {
  const match = /^Cpus_allowed_list:\s*(\S+)/m.exec(files.read(`/proc/${pid}/status`) ?? '');
  return match === null ? null : parseCpuList(match[1]!);
}
