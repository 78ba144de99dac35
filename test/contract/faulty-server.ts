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
}

const certificate = (): { cert: Buffer; key: Buffer } => {
  const folder = join(import.meta.dirname, '../fixtures/tls');
  return { cert: readFileSync(join(folder, 'cert.pem')), key: readFileSync(join(folder, 'key.pem')) };
};

/** A server made of raw sockets, so that it can do what no HTTP library would. */
export class FaultyServer {
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  accepted = 0;

  private constructor(deed: (stream: boolean) => Deed, secure: boolean) {
    const serve = (socket: Socket): void => this.#serve(socket, deed);
    this.#server = secure ? tls.createServer(certificate(), serve) : net.createServer(serve);
  }

  static async start(deed: (stream: boolean) => Deed, secure: boolean): Promise<FaultyServer> {
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

  #serve(socket: Socket, deedFor: (stream: boolean) => Deed): void {
    this.accepted++;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    let text = '';
    let early = false;
    const act = (deed: Deed): void => {
      if (deed.drip === true) return drip(socket, Buffer.from(deed.write ?? ''), deed);
      if (deed.write !== undefined) socket.write(deed.write);
      finish(socket, deed);
    };
    if (deedFor(true).early === true) {
      early = true;
      act(deedFor(true));
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
        if (!early) act(deedFor(body.includes('"stream":true')));
      }
    });
  }
}

function finish(socket: Socket, deed: Deed): void {
  if (deed.after === 'end') socket.end();
  if (deed.after !== 'reset') return;
  // Under TLS the reset is the business of the socket beneath.
  const beneath = (socket as unknown as { [parent: string]: Socket | undefined })['_parent'];
  (beneath ?? socket).resetAndDestroy();
}

function drip(socket: Socket, bytes: Buffer, deed: Deed): void {
  let at = 0;
  const step = (): void => {
    if (socket.destroyed) return;
    if (at >= bytes.length) return finish(socket, deed);
    socket.write(bytes.subarray(at, (at += 7)));
    setImmediate(step);
  };
  step();
}
