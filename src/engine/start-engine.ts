import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineCounters, EngineProfile } from '../sim/index.ts';
import { invariant, UserError } from '../core/index.ts';
import type { Fault, FaultName } from './fault.ts';
import { checkFaults } from './fault.ts';
import type { FinishedReason } from './meters.ts';
import { Service } from './service.ts';

/** How a simulated engine is to be. */
export interface EngineOptions {
  profile: EngineProfile;
  /** 0 = any free one (default). */
  port?: number;
  /** Default 127.0.0.1: a test server has no business on the network unless told so. */
  host?: string;
  /** 10 = ten times faster than real; default 1. */
  speed?: number;
  faults?: readonly Fault[];
  /** Puts emit_ns, the monotonic clock just before the write, into every streamed object. */
  stamp?: boolean;
  seed?: number;
  /** Names it answers to; default the profile's model. */
  models?: readonly string[];
  /** Every chat answer starts with so many tokens of reasoning. */
  reasoningTokens?: number;
  tls?: { cert: string; key: string };
}

/** What an engine has done so far. */
export interface EngineStats {
  /** Calls of the two generation endpoints whose body was in order, faulty ones included. */
  requests: number;
  /** Faults handed out, each to one request. */
  byFault: Record<FaultName, number>;
  finished: Record<FinishedReason, number>;
  /** Connections accepted. */
  connections: number;
  /** The most that tokens came out after their time, wall-clock ms: above a step's length the machine could not keep up. */
  worstLagMs: number;
  counters: EngineCounters;
}

/** A simulated engine that is up. */
export interface RunningEngine {
  /** Without a path and without a slash at the end. */
  url: string;
  port: number;
  stats(): EngineStats;
  /** Cuts every connection and stops. */
  close(): Promise<void>;
}

/** Idle connections stay open for longer than a client would keep them. */
const keepAliveMs = 75_000;

/** Starts a simulated engine and resolves once it listens. */
export async function startEngine(options: EngineOptions): Promise<RunningEngine> {
  invariant((options.speed ?? 1) > 0, 'an engine runs forward in time');
  checkFaults(options.faults ?? []);
  const service = new Service(options);
  const handle = (req: IncomingMessage, res: ServerResponse): void => service.handle(req, res);
  const settings = { keepAliveTimeout: keepAliveMs };
  const server: Server = options.tls
    ? createTlsServer({ ...settings, cert: options.tls.cert, key: options.tls.key }, handle)
    : createServer(settings, handle);
  let connections = 0;
  server.on(options.tls ? 'secureConnection' : 'connection', () => connections++);
  const host = options.host ?? '127.0.0.1';
  await listen(server, host, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    stats: () => ({ ...service.stats(), connections }),
    close: () =>
      new Promise((resolve) => {
        service.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen({ host, port, backlog: 4096 }, resolve);
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): UserError {
  const why = error.code ?? error.message;
  return new UserError({
    code: 'cannot-listen',
    message: { en: `cannot listen on ${host}:${port} (${why})`, zh: `无法监听 ${host}:${port}（${why}）` },
    hint: {
      en: 'Choose another port with --port, or 0 for any free one.',
      zh: '用 --port 换一个端口，0 表示任选空闲端口。',
    },
    place: { flag: '--port' },
  });
}
