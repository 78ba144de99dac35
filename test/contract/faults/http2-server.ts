import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import { drip, goOn, reset } from './deed.ts';
import type { Deed, DeedFor, Http2Request } from './deed.ts';
import { testCertificate, typeOf } from './http1-server.ts';
import type { FaultServer } from './http1-server.ts';
import {
  dataFrames,
  flag,
  frame,
  FrameReader,
  frameType,
  headersFrames,
  pingFrame,
  settingsFrame,
  windowFrame,
} from './http2-frames.ts';

/** HTTP/2 over raw sockets. It keeps its side of the protocol, so that all that is wrong is what its deeds say. */
export class Http2Server implements FaultServer {
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  readonly #deedFor: DeedFor;

  private constructor(deedFor: DeedFor, secure: boolean) {
    this.#deedFor = deedFor;
    const serve = (socket: Socket): void => this.#serve(socket);
    this.#server = secure
      ? tls.createServer({ ...testCertificate(), ALPNProtocols: ['h2'] }, serve)
      : net.createServer({ allowHalfOpen: true }, serve);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('tlsClientError', () => {});
  }

  static async start(deedFor: DeedFor, secure: boolean): Promise<Http2Server> {
    const raw = new Http2Server(deedFor, secure);
    await new Promise<void>((resolve) => raw.#server.listen(0, '127.0.0.1', resolve));
    return raw;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** As if it had been killed: nobody listens any more, and what was open is reset. */
  kill(): void {
    this.#server.close();
    for (const socket of this.#sockets) reset(socket);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    socket.on('error', () => {});
    // Each of its streams listens for its end.
    socket.setMaxListeners(0);
    socket.on('end', () => socket.end());
    socket.write(settingsFrame());
    const reader = new FrameReader();
    const bodies = new Map<number, string>();
    let nth = 0;
    socket.on('data', (bytes: Buffer) => {
      for (const { type, flags, stream: id, payload } of reader.push(bytes)) {
        const acked = (flags & flag.ack) !== 0;
        if (type === frameType.settings && !acked) socket.write(frame(frameType.settings, flag.ack, 0));
        if (type === frameType.ping && !acked) socket.write(pingFrame(true, payload));
        if (type === frameType.headers) bodies.set(id, '');
        if (type === frameType.data) {
          bodies.set(id, (bodies.get(id) ?? '') + payload.toString('latin1'));
          if (payload.length > 0) socket.write(windowFrame(0, payload.length));
        }
        const ends = (type === frameType.data || type === frameType.headers) && (flags & flag.endStream) !== 0;
        const body = bodies.get(id);
        if (!ends || body === undefined) continue;
        bodies.delete(id);
        const stream = body.includes('"stream":true');
        act({ socket, id, body, nth: ++nth }, this.#deedFor(stream, body), stream);
      }
    });
  }
}

function act(request: Http2Request, deed: Deed, stream: boolean): void {
  const { socket, id } = request;
  if (socket.destroyed || !socket.writable) return;
  const { waitMs, ...now } = deed;
  if (waitMs !== undefined) return void setTimeout(() => act(request, now, stream), waitMs);
  if (deed.http2 !== undefined) return deed.http2(request);
  const bytes = deed.answer === undefined ? Buffer.alloc(0) : answerFrames(id, deed, stream);
  const finish = (): void => {
    if (deed.after === 'end') socket.end();
    if (deed.after === 'reset') reset(socket);
  };
  if (deed.drip === true) {
    // Frame by frame: those of several streams take turns on one connection.
    const { body = '', ...answer } = deed.answer ?? {};
    socket.write(answerFrames(id, { answer: { ...answer, body: '', whole: false } }, stream));
    return drip(
      Buffer.from(body),
      (piece, last) => socket.write(dataFrames(id, piece, last)),
      () => socket.destroyed,
    );
  }
  if (bytes.length > 0) socket.write(bytes);
  if (deed.forever === undefined) finish();
  else goOn(socket, dataFrames(id, deed.forever, false));
}

/** A whole answer of one stream. */
export function answerFrames(
  id: number,
  { answer = {}, forever }: Pick<Deed, 'answer' | 'forever'>,
  stream: boolean,
): Buffer {
  const { status = 200, type = typeOf(stream), headers = [], body, announced = [] } = answer;
  const ends = answer.whole !== false && forever === undefined;
  const fields = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const head = headersFrames(
    id,
    [[':status', String(status)], ...(status === 204 ? [] : [['content-type', type] as const]), ...fields],
    body === undefined && ends,
  );
  return Buffer.concat([
    ...announced.map((code) => headersFrames(id, [[':status', String(code)]])),
    head,
    ...(body === undefined ? [] : [dataFrames(id, body, ends)]),
  ]);
}
