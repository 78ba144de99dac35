import { say } from '../core/index.ts';
import type { ClientHealth, Lang, Summary } from '../core/index.ts';
import { fixed, percent } from './figure-text.ts';

/** How the client itself fared, and what was asked twice: one line each, none where nothing is known. */
export function clientLines(summary: Summary, lang: Lang): string[] {
  const { client, retries } = summary;
  const lines: string[] = [];
  if (retries !== undefined) {
    const longest = retries.longestWaitMs === null ? '' : ` (≤ ${fixed(retries.longestWaitMs / 1000, 0)} s)`;
    const en = `asked again: ${retries.requests} requests, ${retries.attempts} further attempts; told to wait: ${retries.askedToWait}${longest}`;
    const zh = `重试：${retries.requests} 个请求，共 ${retries.attempts} 次；被要求等待：${retries.askedToWait}${longest}`;
    lines.push(say({ en, zh }, lang));
  }
  if (client !== null) lines.push(healthLine(client, lang));
  return lines;
}

function healthLine(client: ClientHealth, lang: Lang): string {
  const word = (en: string, zh: string): string => say({ en, zh }, lang);
  const ms = (value: number | null): string => (value === null ? '–' : `${fixed(value, 1)} ms`);
  const { gc, connecting, cpuPerThread } = client;
  const opened = client.connectionsOpened;
  const parts = [
    `${word('loop delay p99', '循环延迟 p99')} ${ms(client.loopDelayP99Ms)}`,
    client.cpuRatio === null
      ? null
      : `CPU ${percent(client.cpuRatio)}${cpuPerThread !== undefined && cpuPerThread.length > 1 ? ` (${cpuPerThread.map((share) => percent(share)).join(' ')})` : ''}`,
    gc === undefined ? null : `GC ≤ ${ms(gc.maxMs)}`,
    opened === null
      ? null
      : `${word('connections', '连接')} ${opened} ${word('new', '新建')}, ${client.connectionsReused ?? '–'} ${word('reused', '复用')}`,
    connecting === undefined
      ? null
      : `${word('connecting', '建连')} ${ms(connecting.meanMs)}${connecting.tlsMeanMs === null ? '' : ` (TLS ${ms(connecting.tlsMeanMs)})`}`,
    client.fileHandlesLeft === null || client.fileHandlesLeft === undefined
      ? null
      : `${word('handles left', '剩余句柄')} ${client.fileHandlesLeft}`,
    client.portsLeft === null || client.portsLeft === undefined
      ? null
      : `${word('ports left', '剩余端口')} ${client.portsLeft}`,
    client.serverClockSkewMs === undefined || Math.abs(client.serverClockSkewMs) < 1000
      ? null
      : `${word("server's clock", '服务器时钟')} ${client.serverClockSkewMs > 0 ? '+' : ''}${fixed(client.serverClockSkewMs / 1000, 1)} s`,
  ];
  return `${word('client', '客户端')}: ${parts.filter((part) => part !== null).join(', ')}`;
}
