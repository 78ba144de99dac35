import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { RunPlan } from '../../../src/core/index.ts';
import { smallPlan } from '../small-plan.ts';
import { reset } from './deed.ts';
import type { DeedFor, Fault } from './deed.ts';
import { answerFaults } from './answer-faults.ts';
import { http1Faults } from './http1-faults.ts';
import { http2Faults } from './http2-faults.ts';
import { Http1Server } from './http1-server.ts';
import type { FaultServer } from './http1-server.ts';
import { Http2Server } from './http2-server.ts';

/** A way for a request to reach a server. */
export interface Transport {
  name: string;
  http2: boolean;
  secure: boolean;
  proxied: boolean;
}

const both = [false, true];

/** All of them: HTTP/1.1 and HTTP/2, in the clear and over TLS, direct and through a proxy. */
export const transports: readonly Transport[] = both.flatMap((proxied) =>
  both.flatMap((http2) =>
    both.map((secure) => ({
      name: `HTTP/${http2 ? '2' : '1.1'} ${secure ? 'over TLS' : 'in the clear'}${proxied ? ' through a proxy' : ''}`,
      http2,
      secure,
      proxied,
    })),
  ),
);

/** The faults that a transport can play, by name. */
export const faultsOf = ({ http2 }: Pick<Transport, 'http2'>): Readonly<Record<string, Fault>> => ({
  ...answerFaults,
  ...(http2 ? http2Faults : http1Faults),
});

/** A server at the end of a transport, with the plan that leads there. */
export interface Reached {
  plan: RunPlan;
  /** Connections that are open now at the server; behind a proxy they are the proxy's, and none are counted. */
  open(): number;
  stop(): Promise<void>;
}

export async function reachedBy(transport: Transport, deed: DeedFor): Promise<Reached> {
  const { http2, secure, proxied } = transport;
  const server: FaultServer = await (http2 ? Http2Server : Http1Server).start(deed, secure);
  const proxy = proxied ? await startProxy() : null;
  const base = smallPlan(`${secure ? 'https' : 'http'}://127.0.0.1:${server.port}/v1/chat/completions`);
  const reach = {
    ca: null,
    cert: null,
    key: null,
    proxy: proxy === null ? null : `http://127.0.0.1:${proxy.port}`,
    also: [],
    ...(http2 && { http2: true as const }),
  };
  return {
    plan: { ...base, target: { ...base.target, insecure: true, reach } },
    open: () => (proxy === null ? server.open : 0),
    stop: async () => {
      await proxy?.stop();
      await server.stop();
    },
  };
}

/** A proxy that carries connections (CONNECT), and plain requests as they stand; ends and resets are carried, too. */
async function startProxy(): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const known = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    known(client);
    client.on('error', () => {});
    client.once('data', (first: Buffer) => {
      client.pause();
      const [, method, port] = /^(\w+) (?:http:\/\/)?127\.0\.0\.1:(\d+)/.exec(first.toString('latin1')) ?? [];
      const upstream = net.connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
      known(upstream);
      upstream.once('connect', () => {
        if (method === 'CONNECT') client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        else upstream.write(first);
        join(client, upstream);
        join(upstream, client);
        client.resume();
      });
      upstream.on('error', () => reset(client));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** What one says the other hears, and how it ends. */
function join(from: Socket, to: Socket): void {
  if (from.destroyed) return void to.destroy();
  // Whoever pauses hears of no reset.
  from.on('data', (bytes) => to.destroyed || to.write(bytes));
  from.on('end', () => to.end());
  from.on('error', () => reset(to));
  from.on('close', () => to.destroy());
}
