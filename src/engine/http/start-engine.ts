import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineCounters, EngineProfile, SimFault } from '../sim/index.ts';
import { invariant, userError, UserError } from '../../core/index.ts';
import type { Fault, FaultName } from './fault.ts';
import { checkFaults } from './fault.ts';
import type { FinishedReason } from './engine-metrics.ts';
import { EngineServer } from './engine-server.ts';

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
  /** What went wrong in published benchmarks; that of the client is not the engine's to make. */
  simFaults?: readonly SimFault[];
  /** Puts emit_ns, the monotonic clock just before the write, into every streamed object. */
  stamp?: boolean;
  seed?: number;
  /** Names it answers to; default the profile's model. */
  models?: readonly string[];
  /** Every chat answer starts with so many tokens of reasoning. */
  reasoningTokens?: number;
  /** clientCa: clients must show a certificate that it signed. */
  tls?: { cert: string; key: string; clientCa?: string };
  /** Habits of MindIE that clients have to live with. */
  quirks?: readonly QuirkName[];
  /** MindIE's second and third port; 0 = any free one. Left out = everything on the first. */
  managementPort?: number;
  metricsPort?: number;
}

/**
 * nul-padding: NUL bytes behind chunks; bare: no `data:`; full-text: each chunk holds all text so far; step-facts: MindIE's batch
 * sizes and waits; request-metrics: vLLM's times.
 */
export const quirkNames = ['nul-padding', 'bare', 'full-text', 'step-facts', 'request-metrics'] as const;
export type QuirkName = (typeof quirkNames)[number];

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
  /** Addresses of the further ports; null = there is none. */
  managementUrl: string | null;
  metricsUrl: string | null;
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
  const service = new EngineServer(options);
  const server = serverFor(options, (req, res) => service.handle(req, res));
  let connections = 0;
  server.on(options.tls ? 'secureConnection' : 'connection', () => {
    connections++;
  });
  const host = options.host ?? '127.0.0.1';
  await listen(server, host, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const others: Server[] = [];
  const urlOf = (of: number): string =>
    `${options.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${of}`;
  const further = async (name: 'management' | 'metrics', wanted: number | undefined): Promise<string | null> => {
    if (wanted === undefined) return null;
    const other = serverFor(options, (req, res) => service.handle(req, res, name));
    others.push(other);
    await listen(other, host, wanted);
    return urlOf((other.address() as AddressInfo).port);
  };
  const managementUrl = await further('management', options.managementPort);
  const metricsUrl = await further('metrics', options.metricsPort);
  return {
    url: urlOf(port),
    port,
    managementUrl,
    metricsUrl,
    stats: () => ({ ...service.stats(), connections }),
    close: () =>
      new Promise((resolve) => {
        service.stop();
        for (const other of others) {
          other.close();
          other.closeAllConnections();
        }
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serverFor(options: EngineOptions, handle: (req: IncomingMessage, res: ServerResponse) => void): Server {
  const settings = { keepAliveTimeout: keepAliveMs };
  const { tls } = options;
  if (tls === undefined) return createServer(settings, handle);
  const clients = tls.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true };
  return createTlsServer({ ...settings, cert: tls.cert, key: tls.key, ...clients }, handle);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen({ host, port, backlog: 4096 }, resolve);
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): UserError {
  const why = error.code ?? error.message;
  return userError(
    'cannot-listen',
    `cannot listen on ${host}:${port} (${why})`,
    `无法监听 ${host}:${port}（${why}）`,
    'Choose another port with --port, or 0 for any free one.',
    '用 --port 换一个端口，0 表示任选空闲端口。',
    '--port',
  );
}
