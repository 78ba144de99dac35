import type { HostFiles } from '../../client/telemetry/index.ts';
import { checkOf } from './check.ts';
import type { Check } from './check.ts';

/** What is known of this client before it is loaded. */
export interface ClientFacts {
  files: HostFiles;
  /** Requests in flight that will be asked for. */
  concurrency: number;
  cores: number;
  /** How late the event loop ran while it had nothing to do; null = not measured. */
  loopDelayP99Ms: number | null;
}

/** Whether this machine can carry the load asked for. */
export function clientChecks(facts: ClientFacts): Check[] {
  return [fileHandles(facts), coresCheck(facts), loopDelay(facts), busyHost(facts), freeMemory(facts)];
}

/** Each request in flight is a socket; logs, the store and libraries need some more. */
const otherHandles = 256;

function fileHandles({ files, concurrency }: ClientFacts): Check {
  const tell = checkOf('client', 'file-handles');
  const match = /^Max open files\s+(\S+)\s+(\S+)/m.exec(files.read('/proc/self/limits') ?? '');
  if (match === null)
    return tell('unknown', {
      en: '/proc/self/limits cannot be read',
      zh: '无法读取 /proc/self/limits',
    });
  const soft = match[1] === 'unlimited' ? Infinity : Number(match[1]);
  const needed = concurrency + otherHandles;
  const seen = {
    en: `${match[1]} (hard ${match[2]}); ${needed} needed`,
    zh: `${match[1]}（硬限制 ${match[2]}）；需要 ${needed}`,
  };
  const fix = {
    en: `before dyno: ulimit -n ${Math.max(65_536, needed * 2)}`,
    zh: `运行 dyno 前执行：ulimit -n ${Math.max(65_536, needed * 2)}`,
  };
  if (soft < needed) return tell('bad', seen, fix);
  return soft < needed * 1.5 ? tell('warn', seen, fix) : tell('ok', seen);
}

function coresCheck({ cores, concurrency }: ClientFacts): Check {
  const tell = checkOf('client', 'cores');
  const seen = { en: `${cores} for ${concurrency} streams`, zh: `${cores} 个核，${concurrency} 个流` };
  const fix = {
    en: 'run the client on a machine of its own, or dyno selftest --concurrency to see what it can carry',
    zh: '将客户端放在独立机器上，或用 dyno selftest --concurrency 查看其承载能力',
  };
  if (cores < 2) return tell('warn', seen, fix);
  return concurrency / cores > 2000 ? tell('warn', seen, fix) : tell('ok', seen);
}

function loopDelay({ loopDelayP99Ms: delay }: ClientFacts): Check {
  const tell = checkOf('client', 'event-loop');
  if (delay === null) return tell('unknown', { en: 'not measured', zh: '未测量' });
  const seen = {
    en: `idle event loop late by ${delay.toFixed(1)} ms (p99)`,
    zh: `空闲时事件循环延迟 p99 ${delay.toFixed(1)} ms`,
  };
  const fix = {
    en: 'something else takes this machine’s CPUs: end it, or measure from another machine',
    zh: '本机 CPU 被其他进程占用：请结束它，或换一台机器测量',
  };
  if (delay > 50) return tell('bad', seen, fix);
  return delay > 5 ? tell('warn', seen, fix) : tell('ok', seen);
}

function busyHost({ files, cores }: ClientFacts): Check {
  const tell = checkOf('client', 'host-load');
  const match = /^(\d+\.\d+)/.exec(files.read('/proc/loadavg') ?? '');
  if (match === null)
    return tell('unknown', {
      en: '/proc/loadavg cannot be read',
      zh: '无法读取 /proc/loadavg',
    });
  const load = Number(match[1]);
  const seen = { en: `load ${load} on ${cores} cores`, zh: `负载 ${load}，${cores} 个核` };
  if (load <= cores * 0.7) return tell('ok', seen);
  return tell('warn', seen, {
    en: 'wait until other work is over; a busy client reports its own delays as the server’s',
    zh: '请等其他任务结束；繁忙的客户端会把自身延迟算到服务器上',
  });
}

/** A stream in flight keeps its buffers and its answer's text. */
const bytesPerStream = 512 * 1024;

function freeMemory({ files, concurrency }: ClientFacts): Check {
  const tell = checkOf('client', 'memory');
  const match = /^MemAvailable:\s+(\d+) kB/m.exec(files.read('/proc/meminfo') ?? '');
  if (match === null) return tell('unknown', { en: '/proc/meminfo cannot be read', zh: '无法读取 /proc/meminfo' });
  const bytes = Number(match[1]) * 1024;
  const needed = 256 * 1024 ** 2 + concurrency * bytesPerStream;
  const seen = {
    en: `${(bytes / 1024 ** 3).toFixed(1)} GiB available`,
    zh: `可用 ${(bytes / 1024 ** 3).toFixed(1)} GiB`,
  };
  if (bytes >= needed) return tell('ok', seen);
  return tell('warn', seen, {
    en: 'free memory, or measure from another machine',
    zh: '请释放内存，或换一台机器测量',
  });
}
