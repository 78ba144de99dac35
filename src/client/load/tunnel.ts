import net from 'node:net';
import { problem } from '../../core/index.ts';
import type { Problem } from '../../core/index.ts';
import { socketProblem } from './connect-problem.ts';

/** A proxy that carries connections to https servers. */
export interface Tunnel {
  host: string;
  port: number;
  /** Value of Proxy-Authorization; absent = the proxy is told no name. */
  authorization?: string;
}

const mostHeadBytes = 16 * 1024;

/**
 * Asks a proxy to carry a connection to host:port (CONNECT). Gives the bare socket once the proxy has agreed, or the cause;
 * what is returned may be destroyed while it waits.
 */
export function openTunnel(
  tunnel: Tunnel,
  to: { host: string; port: number; lookup: net.LookupFunction },
  opened: (socket: net.Socket) => void,
  failed: (why: Problem) => void,
): net.Socket {
  const socket = net.connect({ host: tunnel.host, port: tunnel.port, lookup: to.lookup });
  socket.setNoDelay(true);
  const target = `${net.isIPv6(to.host) ? `[${to.host}]` : to.host}:${to.port}`;
  let head = Buffer.alloc(0);
  let connected = false;
  const give = (why: Problem): void => {
    socket.removeAllListeners();
    socket.on('error', () => {});
    socket.destroy();
    failed(why);
  };
  socket.once('connect', () => {
    connected = true;
    const authorization = tunnel.authorization === undefined ? '' : `proxy-authorization: ${tunnel.authorization}\r\n`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization}\r\n`);
  });
  socket.on('error', (error) => give(atProxy(socketProblem(error, connected ? 'open' : 'connecting'))));
  socket.on('end', () => give(problem('connect-failed', 'the proxy closed the connection before it agreed')));
  socket.on('data', (bytes: Buffer) => {
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) {
      if (head.length > mostHeadBytes) give(problem('connect-failed', 'the proxy answers without end'));
      return;
    }
    const first = head.subarray(0, end).toString('latin1').split('\r\n')[0]!;
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1];
    if (status?.startsWith('2') !== true) return give(refused(first, status ?? ''));
    socket.removeAllListeners();
    socket.pause();
    // A TLS server speaks only when spoken to, so nothing is expected here; should it be, TLS will judge it.
    const rest = head.subarray(end + 4);
    if (rest.length > 0) socket.unshift(rest);
    opened(socket);
  });
  return socket;
}

function atProxy(why: Problem): Problem {
  return { ...why, words: `at the proxy: ${why.words ?? why.code}` };
}

function refused(line: string, status: string): Problem {
  if (status === '407')
    return problem(
      'connect-failed',
      'the proxy asks for a name and password: put them into HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT',
      407,
    );
  return problem('connect-failed', `the proxy said "${line.slice(0, 100)}"`, status === '' ? null : Number(status));
}
