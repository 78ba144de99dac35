import { readFileSync } from 'node:fs';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';

/** What a faulty server does with one request: bytes to write, then how to go on. */
export interface Deed {
  /** Written as soon as the request is read (or before, for `early`). */
  write?: string | Buffer;
  /** keep = leave the connection open; end = close properly; reset = RST; the rest is silence. */
  after: 'keep' | 'end' | 'reset';
  /** Answers before it has read the request. */
  early?: boolean;
  /** Writes byte by byte, a few at a time. */
  drip?: boolean;
  /** Does it only after so long. */
  waitMs?: number;
  /** Goes on with this for ever, a piece every few milliseconds. */
  forever?: string;
}

/** What a server does with a request: whether it asked for a stream, and its body. */
export type DeedFor = (stream: boolean, body: string) => Deed;

/** The certificate of every test's server. */
export const testCertificate = (): { cert: Buffer; key: Buffer } => {
  const folder = join(import.meta.dirname, '../fixtures/tls');
  return { cert: readFileSync(join(folder, 'cert.pem')), key: readFileSync(join(folder, 'key.pem')) };
};

/** A server made of raw sockets, so that it can do what no HTTP library would. */
export class FaultyServer {
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  accepted = 0;

  private constructor(deed: DeedFor, secure: boolean) {
    const serve = (socket: Socket): void => this.#serve(socket, deed);
    // A server that has ended its side stays until the client goes: whoever waits for it to vanish waits for ever. (Under
    // TLS a client that goes during the handshake would leave it half open for ever.)
    this.#server = secure
      ? tls.createServer(testCertificate(), serve)
      : net.createServer({ allowHalfOpen: true }, serve);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(deed: DeedFor, secure: boolean): Promise<FaultyServer> {
    const faulty = new FaultyServer(deed, secure);
    faulty.#server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => faulty.#server.listen(0, '127.0.0.1', resolve));
    return faulty;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket, deedFor: DeedFor): void {
    this.accepted++;
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    let text = '';
    let early = false;
    const act = ({ waitMs, ...deed }: Deed): void => {
      if (waitMs !== undefined) return void setTimeout(() => socket.destroyed || act(deed), waitMs);
      if (deed.drip === true) return drip(socket, Buffer.from(deed.write ?? ''), deed);
      if (deed.write !== undefined) socket.write(deed.write);
      if (deed.forever !== undefined) return goOn(socket, deed.forever);
      finish(socket, deed);
    };
    if (deedFor(true, '').early === true) {
      early = true;
      act(deedFor(true, ''));
    }
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (;;) {
        const head = text.indexOf('\r\n\r\n');
        if (head === -1) return;
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
        if (text.length < head + 4 + length) return;
        const body = text.slice(head + 4, head + 4 + length);
        text = text.slice(head + 4 + length);
        if (!early) act(deedFor(body.includes('"stream":true'), body));
      }
    });
  }
}

function finish(socket: Socket, deed: Deed): void {
  if (deed.after === 'end') socket.end();
  if (deed.after === 'reset') reset(socket);
}

/** Ends a connection by RST. */
export function reset(socket: Socket): void {
  // Under TLS that is the business of the socket beneath.
  const beneath = (socket as unknown as { [parent: string]: Socket | undefined })['_parent'];
  (beneath ?? socket).resetAndDestroy();
}

function goOn(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 5);
  socket.on('close', () => clearInterval(timer));
}

function drip(socket: Socket, bytes: Buffer, deed: Deed): void {
  let at = 0;
  const step = (): void => {
    if (socket.destroyed) return;
    if (at >= bytes.length) return finish(socket, deed);
    socket.write(bytes.subarray(at, (at += 17)));
    setImmediate(step);
  };
  step();
}
