import dns from 'node:dns';
import net from 'node:net';
import tls from 'node:tls';

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
}

/** The endpoint that a plan's target names. */
export function endpointOf(target: Pick<RunPlan['target'], 'url' | 'insecure'>): Endpoint {
  const url = new URL(target.url);
  const secure = url.protocol === 'https:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    secure,
    insecure: target.insecure,
    path: url.pathname + url.search,
    hostHeader: url.host,
    lookup: cachedLookup(),
  };
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
      } as tls.ConnectionOptions)
    : net.connect({ host, port, lookup, onread, allowHalfOpen: true });
  socket.setNoDelay(true);
  return socket;
}
