import { readFileSync } from 'node:fs';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { drip, goOn, reset } from './deed.ts';
import type { Answer, Deed, DeedFor } from './deed.ts';

/** The certificate of every test's server. */
export const testCertificate = (): { cert: Buffer; key: Buffer } => {
  const folder = join(import.meta.dirname, '../../fixtures/tls');
  return { cert: readFileSync(join(folder, 'cert.pem')), key: readFileSync(join(folder, 'key.pem')) };
};

/** A server that plays faults. */
export interface FaultServer {
  readonly port: number;
  /** Connections that are open now. */
  readonly open: number;
  stop(): Promise<void>;
}

/** HTTP/1.1 over raw sockets, so that it can do what no HTTP library would. */
export class Http1Server implements FaultServer {
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();

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

  static async start(deed: DeedFor, secure: boolean): Promise<Http1Server> {
    const faulty = new Http1Server(deed, secure);
    faulty.#server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => faulty.#server.listen(0, '127.0.0.1', resolve));
    return faulty;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.#sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket, deedFor: DeedFor): void {
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    let text = '';
    let early = false;
    const act = (deed: Deed, stream: boolean): void => {
      const { waitMs, ...now } = deed;
      if (waitMs !== undefined) return void setTimeout(() => socket.destroyed || act(now, stream), waitMs);
      const bytes = Buffer.from(deed.http1 ?? (deed.answer === undefined ? '' : answerBytes(deed, stream)));
      const finish = (): void => {
        if (deed.after === 'end') socket.end();
        if (deed.after === 'reset') reset(socket);
      };
      if (deed.drip === true)
        return drip(
          bytes,
          (piece) => socket.write(piece),
          () => socket.destroyed,
        );
      if (bytes.length > 0) socket.write(bytes);
      if (deed.forever === undefined) finish();
      else goOn(socket, chunked(deed.forever));
    };
    const first = deedFor(true, '');
    if (first.early === true) {
      early = true;
      act(first, true);
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
        const stream = body.includes('"stream":true');
        if (!early) act(deedFor(stream, body), stream);
      }
    });
  }
}

/** What an answer is without its own word about it. */
export const typeOf = (stream: boolean): string => (stream ? 'text/event-stream' : 'application/json');

function answerBytes({ answer = {}, drip: drips, forever }: Deed, stream: boolean): Buffer {
  const { status = 200, type = typeOf(stream), headers = [], body, announced = [] }: Answer = answer;
  const bytes = Buffer.from(body ?? '');
  // In pieces wherever its length cannot be known beforehand, or would not be kept.
  const isChunked = drips === true || forever !== undefined || answer.whole === false;
  const isBare = status === 204;
  const framing = isBare
    ? []
    : [isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(bytes.length)]];
  const fields = [...(isBare ? [] : [['Content-Type', type]]), ...headers, ...framing];
  const head = `HTTP/1.1 ${status} Said\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  const rest = isChunked
    ? Buffer.concat([chunked(bytes), Buffer.from(answer.whole === false || forever !== undefined ? '' : '0\r\n\r\n')])
    : bytes;
  return Buffer.concat([Buffer.from(announced.map((code) => `HTTP/1.1 ${code} Soon\r\n\r\n`).join('') + head), rest]);
}

function chunked(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  if (bytes.length === 0) return bytes;
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}
