import net from 'node:net';
import tls from 'node:tls';
import dns from 'node:dns';
import { Duplex } from 'node:stream';
import type { Problem, RunPlan } from '../../core/index.ts';
import { socketProblem } from './connect-problem.ts';
import type { Stage } from './connect-problem.ts';
import { proxyAuthorization } from './request-text.ts';
import type { Secrets } from './request-text.ts';
import { pemFiles } from './pem-files.ts';
import { openTunnel } from './tunnel.ts';
import type { Tunnel } from './tunnel.ts';

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
  /** The proxy that carries the connection; absent = it is made directly. */
  tunnel?: Tunnel;
  /** The request itself goes to a proxy, which may want a name. */
  viaProxy?: true;
  http2?: true;
  /** PEM texts; absent = what Node trusts, and no certificate of our own. */
  ca?: string;
  cert?: string;
  key?: string;
}

/** The endpoint that a plan's target names. */
export function endpointOf(
  target: Pick<RunPlan['target'], 'url' | 'insecure' | 'reach'>,
  secrets: Secrets = {},
): Endpoint {
  const url = new URL(target.url);
  const secure = url.protocol === 'https:';
  const { reach } = target;
  const proxy = reach?.proxy ?? null;
  if (proxy !== null && !secure && reach?.http2 !== true) return throughProxy(url, proxy);
  return {
    ...placeOf(url),
    ...(reach != null && {
      ...pemFiles(reach),
      ...(reach.http2 === true && { http2: true as const }),
    }),
    ...(proxy !== null && { tunnel: tunnelOf(new URL(proxy), secrets) }),
    secure,
    insecure: target.insecure,
    path: url.pathname + url.search,
    hostHeader: url.host,
    lookup: cachedLookup(),
  };
}

/** Every endpoint of a target, the first one first. */
export function endpointsOf(target: RunPlan['target'], secrets: Secrets): Endpoint[] {
  return [target.url, ...(target.reach?.also ?? [])].map((url) => endpointOf({ ...target, url }, secrets));
}

function placeOf(url: URL): { host: string; port: number } {
  const usual = url.protocol === 'https:' ? 443 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? usual : Number(url.port) };
}

/** An http request through a proxy goes to the proxy, with the whole address in its first line. */
function throughProxy(url: URL, proxy: string): Endpoint {
  return {
    ...placeOf(new URL(proxy)),
    viaProxy: true,
    secure: false,
    insecure: false,
    path: url.href,
    hostHeader: url.host,
    lookup: cachedLookup(),
  };
}

function tunnelOf(proxy: URL, secrets: Secrets): Tunnel {
  const authorization = secrets[proxyAuthorization];
  return { ...placeOf(proxy), ...(authorization !== undefined && { authorization }) };
}

/** Opens a connection; bytes are handed to `read` straight from the socket's read buffer, only borrowed for the call. */
export function connect(
  endpoint: Endpoint,
  buffer: Uint8Array,
  read: (buffer: Uint8Array, length: number) => void,
  carrier: net.Socket | null = null,
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
        ...tlsOptions(endpoint, 'http/1.1'),
        ...reachOptions(endpoint, carrier),
        onread,
        allowHalfOpen: true,
      } as tls.ConnectionOptions)
    : net.connect({ host, port, lookup, onread, allowHalfOpen: true });
  // Node leaves `onread` out where TLS goes over a socket that is there already.
  if (carrier !== null) socket.on('data', (bytes) => read(bytes, bytes.length));
  socket.setNoDelay(true);
  return socket;
}

/** Opens a connection for a library that reads it itself, HTTP/2's, by `stream`; through the proxy where there is one. */
export function connectFor(
  endpoint: Endpoint,
  hear: { connected(): void; opened(socket: net.Socket, stream: Duplex): void; failed(why: Problem): void },
): net.Socket {
  const { host, port, lookup, tunnel, secure } = endpoint;
  const watch = (socket: net.Socket, stage: Stage): net.Socket => {
    let now = stage;
    const broke = (error: NodeJS.ErrnoException): void => hear.failed(socketProblem(error, now));
    socket.setNoDelay(true);
    socket.once('error', broke);
    socket.once('connect', () => {
      hear.connected();
      now = 'handshaking';
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.removeListener('error', broke);
      hear.opened(socket, socket);
    });
    return socket;
  };
  const secured = (carrier: net.Socket | null): net.Socket =>
    tls.connect({ ...tlsOptions(endpoint, 'h2'), ...reachOptions(endpoint, carrier) });
  if (tunnel === undefined) return watch(secure ? secured(null) : net.connect({ host, port, lookup }), 'connecting');
  return openTunnel(
    tunnel,
    endpoint,
    (bare) => {
      hear.connected();
      if (secure) watch(secured(bare), 'handshaking');
      else hear.opened(bare, bare.readableLength === 0 ? bare : readAhead(bare));
    },
    (why) => hear.failed(why),
  );
}

/**
 * A connection of which something was read already: an HTTP/2 server speaks first, and may do so in the same breath as the proxy.
 * node:http2 takes sockets over where they stand, and what was read before makes a "Protocol error" of it.
 */
function readAhead(socket: net.Socket): Duplex {
  const stream: Duplex = new Duplex({
    read: () => void socket.resume(),
    write: (bytes: Buffer, _encoding, done) => void socket.write(bytes, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (bytes) => stream.push(bytes) || socket.pause());
  socket.on('end', () => stream.push(null));
  socket.on('error', (error) => stream.destroy(error));
  socket.on('close', () => stream.destroy());
  return stream;
}

/** To the server itself, or over a connection that a proxy carries there. */
function reachOptions({ host, port, lookup }: Endpoint, carrier: net.Socket | null): tls.ConnectionOptions {
  return carrier === null ? { host, port, lookup } : { socket: carrier };
}

function tlsOptions(endpoint: Endpoint, protocol: 'h2' | 'http/1.1'): tls.ConnectionOptions {
  const { host, ca, cert, key } = endpoint;
  return {
    // Over a carried connection there is no host to take the name to be checked from.
    host,
    ...(net.isIP(host) === 0 && { servername: host }),
    ALPNProtocols: [protocol],
    rejectUnauthorized: !endpoint.insecure,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

const lookupTtlMs = 30_000;

/** Name lookup asked once in a while, not once per connection: ten thousand connections are one question. */
export function cachedLookup(
  resolve: (hostname: string) => Promise<dns.LookupAddress[]> = (hostname) =>
    dns.promises.lookup(hostname, { all: true, order: 'ipv4first' }),
  nowMs: () => number = () => performance.now(),
): net.LookupFunction {
  const answers = new Map<string, { until: number; answer: Promise<dns.LookupAddress[]> }>();
  return (hostname, options, callback) => {
    const now = nowMs();
    let known = answers.get(hostname);
    if (known === undefined || known.until < now) {
      known = { until: now + lookupTtlMs, answer: resolve(hostname) };
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
