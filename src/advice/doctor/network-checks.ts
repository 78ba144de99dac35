import type { HostFiles } from '../../client/telemetry/index.ts';
import { checkOf, fixBy } from './check.ts';
import type { Check } from './check.ts';
import type { HostView } from './host-checks.ts';

function portRange(files: HostFiles): { from: number; to: number; count: number } | null {
  const match = /^(\d+)\s+(\d+)/.exec(files.read('/proc/sys/net/ipv4/ip_local_port_range') ?? '');
  if (match === null) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return { from, to, count: to - from + 1 };
}

/** Ports for outgoing connections: each request in flight holds one, and each closed one rests for a minute. */
export function portsCheck({ files, concurrency }: HostView): Check {
  const tell = checkOf('host', 'ephemeral-ports');
  const range = portRange(files);
  if (range === null) return tell('unknown', { en: 'cannot be read here', zh: '此处无法读取' });
  const seen = {
    en: `${range.count} ports (${range.from}–${range.to}) for ${concurrency} in flight`,
    zh: `${range.count} 个端口（${range.from}–${range.to}），并发 ${concurrency}`,
  };
  const fix = fixBy('as root', '以 root 执行', 'sysctl -w net.ipv4.ip_local_port_range="1024 65535"');
  if (range.count < concurrency * 1.2) return tell('bad', seen, fix);
  return range.count < 10_000 || range.count < concurrency * 4 ? tell('warn', seen, fix) : tell('ok', seen);
}

/** Connections that may wait to be accepted: a server on this host drops the rest of a burst. */
export function somaxconnCheck({ files, concurrency }: HostView): Check {
  const tell = checkOf('host', 'somaxconn');
  const text = files.read('/proc/sys/net/core/somaxconn')?.trim() ?? '';
  if (!/^\d+$/.test(text)) return tell('unknown', { en: 'cannot be read here', zh: '此处无法读取' });
  const limit = Number(text);
  const seen = {
    en: `${limit} connections may wait for a server on this host; ${concurrency} are opened at once`,
    zh: `本机服务最多可有 ${limit} 个等待中的连接；同时打开 ${concurrency} 个`,
  };
  if (limit >= concurrency && limit >= 1024) return tell('ok', seen);
  const needed = Math.max(4096, 2 ** Math.ceil(Math.log2(concurrency)));
  const fix = fixBy(
    'as root on the server’s host',
    '在服务器主机上以 root 执行',
    `sysctl -w net.core.somaxconn=${needed} net.ipv4.tcp_max_syn_backlog=${needed}`,
  );
  return tell('warn', seen, fix);
}

/** Sockets that rest after closing: when they fill the ports, new connections fail. */
export function timeWaitCheck(files: HostFiles): Check {
  const tell = checkOf('host', 'time-wait');
  const match = /^TCP:.*\btw (\d+)/m.exec(files.read('/proc/net/sockstat') ?? '');
  const range = portRange(files);
  if (match === null)
    return tell('unknown', {
      en: '/proc/net/sockstat cannot be read',
      zh: '无法读取 /proc/net/sockstat',
    });
  const reuse = files.read('/proc/sys/net/ipv4/tcp_tw_reuse')?.trim() ?? '?';
  const seen = `${match[1]} TIME-WAIT, tcp_tw_reuse=${reuse}`;
  if (range === null || Number(match[1]) < range.count / 2) return tell('ok', seen);
  return tell('warn', seen, fixBy('as root', '以 root 执行', 'sysctl -w net.ipv4.tcp_tw_reuse=1'));
}
