import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';

import { UserError } from '../core/index.ts';
import type { RunPlan } from '../core/index.ts';

/** Where connections go and how they are made. */
export interface Endpoint {
  host: string;
  port: number;
  secure: boolean;
  insecure: boolean;
  /** Path and query of the request line. */
  path: string;
  /** Value of the Host header. */
  hostHeader: string;
  lookup: net.LookupFunction;
  /** PEM texts; absent = what Node trusts, and no certificate of our own. */
  ca?: string;
  cert?: string;
  key?: string;
}

/** The endpoint that a plan's target names. */
export function endpointOf(target: Pick<RunPlan['target'], 'url' | 'insecure' | 'reach'>): Endpoint {
  const url = new URL(target.url);
  const secure = url.protocol === 'https:';
  const { reach } = target;
  if (reach != null && reach.proxy !== null) return throughProxy(url, reach.proxy);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    ...(reach != null && {
      ...(reach.ca !== null && { ca: pemText(reach.ca, '--ca') }),
      ...(reach.cert !== null && { cert: pemText(reach.cert, '--cert') }),
      ...(reach.key !== null && { key: pemText(reach.key, '--cert-key') }),
    }),
    secure,
    insecure: target.insecure,
    path: url.pathname + url.search,
    hostHeader: url.host,
    lookup: cachedLookup(),
  };
}

/** Every endpoint of a target, the first one first. */
export function endpointsOf(target: RunPlan['target']): Endpoint[] {
  return [target.url, ...(target.reach?.also ?? [])].map((url) => endpointOf({ ...target, url }));
}

/** A request through a proxy goes to the proxy, with the whole address in its first line. */
function throughProxy(url: URL, proxy: string): Endpoint {
  const at = new URL(proxy);
  if (url.protocol !== 'http:' || at.protocol !== 'http:') {
    throw new UserError({
      code: 'proxy-https',
      message: { en: 'only http:// is carried through a proxy', zh: '仅支持通过代理访问 http:// 地址' },
      hint: {
        en: 'Reach the https server directly, or let the proxy terminate TLS.',
        zh: '请直接访问 https 服务器，或由代理终止 TLS。',
      },
      place: { flag: '--proxy' },
    });
  }
  return {
    host: at.hostname.replace(/^\[|\]$/g, ''),
    port: at.port === '' ? 80 : Number(at.port),
    secure: false,
    insecure: false,
    path: url.href,
    hostHeader: url.host,
    lookup: cachedLookup(),
  };
}

function pemText(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new UserError({
      code: 'cannot-read-pem',
      message: { en: `cannot read ${file} (${why})`, zh: `无法读取 ${file}（${why}）` },
      hint: { en: 'Give a PEM file.', zh: '请给出 PEM 文件。' },
      place: { flag },
    });
  }
}

const lookupTtlMs = 30_000;

/** Name lookup asked once in a while, not once per connection: ten thousand connections are one question. */
function cachedLookup(): net.LookupFunction {
  const answers = new Map<string, { until: number; answer: Promise<dns.LookupAddress[]> }>();
  return (hostname, options, callback) => {
    const now = performance.now();
    let known = answers.get(hostname);
    if (known === undefined || known.until < now) {
      known = { until: now + lookupTtlMs, answer: dns.promises.lookup(hostname, { all: true, order: 'ipv4first' }) };
      answers.set(hostname, known);
      // A failed lookup is not remembered: the next connection asks again.
      known.answer.catch(() => answers.delete(hostname));
    }
    known.answer.then(
      (addresses) => {
        if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/** Opens a connection; bytes are handed to `read` straight from the socket's read buffer, only borrowed for the call. */
export function connect(
  endpoint: Endpoint,
  buffer: Uint8Array,
  read: (buffer: Uint8Array, length: number) => void,
): net.Socket {
  const onread = {
    buffer,
    callback: (count: number, bytes: Uint8Array): boolean => {
      read(bytes, count);
      return true;
    },
  };
  const { host, port, lookup } = endpoint;
  const socket = endpoint.secure
    ? tls.connect({
        host,
        port,
        lookup,
        onread,
        allowHalfOpen: true,
        ...(net.isIP(host) === 0 && { servername: host }),
        ALPNProtocols: ['http/1.1'],
        rejectUnauthorized: !endpoint.insecure,
        ...(endpoint.ca !== undefined && { ca: endpoint.ca }),
        ...(endpoint.cert !== undefined && { cert: endpoint.cert }),
        ...(endpoint.key !== undefined && { key: endpoint.key }),
      } as tls.ConnectionOptions)
    : net.connect({ host, port, lookup, onread, allowHalfOpen: true });
  socket.setNoDelay(true);
  return socket;
}
