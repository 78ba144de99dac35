import os from 'node:os';
import { readFileSync, readdirSync, statSync } from 'node:fs';

/** What this host still has for connections; null = the system does not tell (it is not Linux). */
export interface HostLimits {
  fileHandlesLeft: number | null;
  fileHandlesLimit: number | null;
  portsLeft: number | null;
  portsLimit: number | null;
  /** Held in TCP buffers of this network namespace. */
  socketBuffersBytes: number | null;
}

const pageBytes = 4096;

/** Looks at the limits as they are now; each look is a few short reads of /proc, whatever the number of connections. */
export function hostLimits(): HostLimits {
  const fileHandlesLimit = handleLimit();
  const used = handlesUsed();
  const sockets = socketFacts();
  const range = portRange();
  return {
    fileHandlesLimit,
    fileHandlesLeft: fileHandlesLimit === null || used === null ? null : Math.max(0, fileHandlesLimit - used),
    portsLimit: range,
    portsLeft: range === null || sockets === null ? null : Math.max(0, range - sockets.held),
    socketBuffersBytes: sockets === null ? null : sockets.bufferPages * pageBytes,
  };
}

/** Memory of this process, bytes; null = not told, which is so when all file handles are used up. */
export function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}

/** CPU of the calling thread and the time it waited for a core, ms since it began; null = not told. */
export function threadCpu(): { runMs: number; waitMs: number } | null {
  const [run, wait] = textOf('/proc/thread-self/schedstat')?.split(' ').map(Number) ?? [];
  if (run === undefined || wait === undefined || !(run >= 0) || !(wait >= 0)) return null;
  return { runMs: run / 1e6, waitMs: wait / 1e6 };
}

/** Processor time of the whole host in ticks since it started, and of it what its hypervisor gave to others; null = not told. */
export function hostTicks(): { all: number; stolen: number } | null {
  const line = /^cpu +(.*)$/m.exec(textOf('/proc/stat') ?? '')?.[1];
  // user nice system idle iowait irq softirq steal: guests that follow are counted in user already.
  const ticks = line?.split(/\s+/).slice(0, 8).map(Number) ?? [];
  const stolen = ticks[7];
  if (stolen === undefined || !ticks.every((count) => count >= 0)) return null;
  return { all: ticks.reduce((sum, count) => sum + count, 0), stolen };
}

/** Tasks that run or are ready to, on the whole host; null = not told. */
export function readyTasks(): number | null {
  const count = /^(?:\S+ ){3}(\d+)\//.exec(textOf('/proc/loadavg') ?? '')?.[1];
  return count === undefined ? null : Number(count);
}

/**
 * Cores of this host, if a thread of this process may keep one busy. null = it may not, because the process has one core or a
 * quota of processor time, which a thread that never sleeps would use up; or the system does not tell what others need.
 */
export function coresToPoll(): number | null {
  if (os.availableParallelism() < 2 || hasQuota() || readyTasks() === null || threadCpu() === null) return null;
  return os.cpus().length;
}

/** A control group of this process (version 2, or version 1) has a limit of processor time. */
function hasQuota(): boolean {
  const own = /^0::(\/.*)$/m.exec(textOf('/proc/self/cgroup') ?? '')?.[1] ?? '';
  const files = ['cpu.max', `.${own}/cpu.max`, 'cpu/cpu.cfs_quota_us'];
  return files.some((file) => /^\d/.test(textOf(`/sys/fs/cgroup/${file}`) ?? ''));
}

/** The limits do not change while a process runs, and with all handles used up they could not be read again. */
let knownLimit: number | null = null;

function handleLimit(): number | null {
  knownLimit ??= readHandleLimit();
  return knownLimit;
}

function readHandleLimit(): number | null {
  const soft = /^Max open files\s+(\d+)/m.exec(textOf('/proc/self/limits') ?? '')?.[1];
  return soft === undefined ? null : Number(soft);
}

function handlesUsed(): number | null {
  try {
    // Linux 6.2 and later tell the count as the folder's size; before, the names have to be read.
    const { size } = statSync('/proc/self/fd');
    return size > 0 ? size : readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

/** Sockets that hold a port (open, or waiting out their last minute), and the pages their buffers take. */
function socketFacts(): { held: number; bufferPages: number } | null {
  const match = /^TCP: inuse (\d+) orphan (\d+) tw (\d+) alloc \d+ mem (\d+)/m.exec(textOf('/proc/net/sockstat') ?? '');
  if (match === null) return null;
  const [inUse, orphan, waiting, mem] = match.slice(1).map(Number) as [number, number, number, number];
  return { held: inUse + orphan + waiting, bufferPages: mem };
}

function portRange(): number | null {
  const [low, high] = textOf('/proc/sys/net/ipv4/ip_local_port_range')?.trim().split(/\s+/).map(Number) ?? [];
  return low === undefined || high === undefined ? null : high - low + 1;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
