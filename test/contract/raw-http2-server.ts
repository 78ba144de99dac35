import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import { reset, testCertificate } from './faulty-server.ts';
import { flag, frame, FrameReader, frameType, pingFrame, settingsFrame, windowFrame } from './http2-frames.ts';

/** One request of a raw HTTP/2 connection. */
export interface RawRequest {
  socket: Socket;
  /** Its stream. */
  id: number;
  body: string;
  /** How many requests this connection carried, this one included. */
  nth: number;
}

export interface RawHabits {
  /** As soon as the connection is there; false = the server then says nothing by itself, not even its settings. */
  accepted?(socket: Socket): boolean;
  settings?: readonly (readonly [number, number])[];
  request(request: RawRequest): void;
}

/** HTTP/2 over raw sockets. It keeps its side of the protocol, so that all that is wrong is what its habits say. */
export class RawHttp2Server {
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  accepted = 0;

  private constructor(habits: RawHabits, secure: boolean) {
    const serve = (socket: Socket): void => this.#serve(socket, habits);
    this.#server = secure
      ? tls.createServer({ ...testCertificate(), ALPNProtocols: ['h2'] }, serve)
      : net.createServer({ allowHalfOpen: true }, serve);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('tlsClientError', () => {});
  }

  static async start(habits: RawHabits, secure: boolean): Promise<RawHttp2Server> {
    const raw = new RawHttp2Server(habits, secure);
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

  #serve(socket: Socket, habits: RawHabits): void {
    this.accepted++;
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    if (habits.accepted?.(socket) === false) return void socket.resume();
    socket.write(settingsFrame(habits.settings));
    const reader = new FrameReader();
    const bodies = new Map<number, string>();
    let requests = 0;
    socket.on('data', (bytes: Buffer) => {
      for (const { type, flags, stream, payload } of reader.push(bytes)) {
        const acked = (flags & flag.ack) !== 0;
        if (type === frameType.settings && !acked) socket.write(frame(frameType.settings, flag.ack, 0));
        if (type === frameType.ping && !acked) socket.write(pingFrame(true, payload));
        if (type === frameType.headers) bodies.set(stream, '');
        if (type === frameType.data) {
          bodies.set(stream, (bodies.get(stream) ?? '') + payload.toString('latin1'));
          if (payload.length > 0) socket.write(windowFrame(0, payload.length));
        }
        const ends = (type === frameType.data || type === frameType.headers) && (flags & flag.endStream) !== 0;
        const body = bodies.get(stream);
        if (!ends || body === undefined) continue;
        bodies.delete(stream);
        habits.request({ socket, id: stream, body, nth: ++requests });
      }
    });
  }
}
