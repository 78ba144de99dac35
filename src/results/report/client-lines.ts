import { say } from '../../core/index.ts';
import type { ClientHealth, Lang, Summary } from '../../core/index.ts';
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

/** Less than this is the ordinary wait of any process. */
const noticeableWait = 0.02;
/** So much of the host is worth a word. */
const noticeableStolen = 0.01;
/** Less than this lies in the buffers of any host. */
const noticeableBytes = 1024 * 1024;

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${fixed(bytes / 1024, 0)} KiB` : `${fixed(bytes / (1024 * 1024), 1)} MiB`;
}

function healthLine(client: ClientHealth, lang: Lang): string {
  const word = (en: string, zh: string): string => say({ en, zh }, lang);
  const ms = (value: number | null): string => (value === null ? '–' : `${fixed(value, 1)} ms`);
  const { gc, connecting, cpuPerThread } = client;
  const opened = client.connectionsOpened;
  const parts = [
    `${word('loop delay p50 / p99 / max', '循环延迟 p50 / p99 / max')} ${[client.loopDelayP50Ms ?? null, client.loopDelayP99Ms, client.loopDelayMaxMs ?? null].map((value) => (value === null ? '–' : fixed(value, 1))).join(' / ')} ms`,
    client.cpuRatio === null
      ? null
      : `CPU ${percent(client.cpuRatio)}${cpuPerThread !== undefined && cpuPerThread.length > 1 ? ` (${cpuPerThread.map((share) => percent(share)).join(' ')})` : ''}`,
    (client.cpuWaitRatio ?? 0) < noticeableWait
      ? null
      : `${word('waited for a core', '等待 CPU')} ${percent(client.cpuWaitRatio!)}`,
    (client.stolenRatio ?? 0) < noticeableStolen
      ? null
      : `${word('stolen by the hypervisor', '被虚拟化平台收走')} ${percent(client.stolenRatio!)}`,
    readWords(client, word),
    gc === undefined ? null : `GC ${gc.pauses} × ≤ ${ms(gc.maxMs)}`,
    opened === null
      ? null
      : `${word('connections', '连接')} ${opened} ${word('new', '新建')}, ${client.connectionsReused ?? '–'} ${word('reused', '复用')}`,
    connecting === undefined
      ? null
      : `${word('connecting', '建连')} ${ms(connecting.meanMs)}${connecting.tlsMeanMs === null ? '' : ` (TLS ${ms(connecting.tlsMeanMs)})`}`,
    // What the system has not taken from us yet, and what it holds that we have not taken: either grows when one side is slow.
    (client.sendBacklogMaxBytes ?? 0) === 0
      ? null
      : `${word('unsent', '待发送')} ≤ ${sizeText(client.sendBacklogMaxBytes!)}`,
    (client.socketBuffersMaxBytes ?? 0) < noticeableBytes
      ? null
      : `${word('in socket buffers', '套接字缓冲')} ≤ ${sizeText(client.socketBuffersMaxBytes!)}`,
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

/** How the threads that read waited for bytes. */
function readWords({ pollRatio, napRatio }: ClientHealth, word: (en: string, zh: string) => string): string | null {
  if (pollRatio === undefined || napRatio === undefined) return null;
  const polled = pollRatio > 0 ? `${word('polled', '轮询')} ${percent(pollRatio)}` : null;
  const napped = napRatio > 0 ? `${word('napped', '小睡')} ${percent(napRatio)}` : null;
  const ways = [polled, napped].filter((way) => way !== null);
  return `${word('reads', '读取')}: ${ways.length === 0 ? word('slept', '休眠等待') : ways.join(' ')}`;
}
