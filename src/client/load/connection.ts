import type { Socket } from 'node:net';

import { problem } from '../../core/index.ts';
import type { Problem } from '../../core/index.ts';
import type { RequestTransport } from './request-transport.ts';
import { socketProblem } from './connect-problem.ts';
import type { Stage } from './connect-problem.ts';
import { connect } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { HttpReader, HttpSyntaxError } from './http-reader.ts';
import type { ResponseHandler, ResponseHead } from './http-reader.ts';
import type { ConnectionTally } from './connection-tally.ts';
import { currentRead, readAt } from './current-read.ts';
import type { RunClock } from './run-clock.ts';
import { openTunnel } from './tunnel.ts';

/** Who is told about the one request that a connection carries at a time. Times are of the socket read. */
export interface ConnectionClient {
  connected(atMs: number): void;
  /** Any bytes of the answer, before they are looked at; `currentRead` tells when. */
  touched(): void;
  head(head: ResponseHead): void;
  /** Of the read that was touched last. */
  body(bytes: Uint8Array): void;
  /** As ResponseHandler's; absent = everything comes by `body`. */
  chunk?(buffer: Uint8Array, from: number, to: number): number;
  /** The response is complete. */
  end(reusable: boolean, atMs: number): void;
  /** The connection broke; it is destroyed already. */
  broke(why: Problem, atMs: number): void;
  /** A connection that had served before was closed by the server without a word to this request, which it cannot have taken. */
  stale(atMs: number): void;
}

/** One connection: a socket, a strict reader, and at most one request. */
export class Connection implements RequestTransport, ResponseHandler {
  readonly #reader = new HttpReader();
  #socket: Socket;
  /** Written as soon as the proxy has agreed to carry the connection; null = there is nothing to wait for. */
  #unsent: string | null = null;
  #carried = true;
  #client: ConnectionClient | null = null;
  #stage: Stage = 'connecting';
  #ended = false;
  #reusable = false;
  #answered = false;
  #requests = 0;
  #error: NodeJS.ErrnoException | null = null;
  /** When it became idle, for the pool. */
  idleSinceMs = 0;
  /** Called when the connection is made. */
  onOpen: (() => void) | null = null;
  /** Called when an idle connection goes away by itself. */
  onGone: (() => void) | null = null;

  /** The value of its Host header. */
  readonly hostHeader: string;

  constructor(
    endpoint: Endpoint,
    private readonly clock: RunClock,
    buffer: Uint8Array,
    private readonly tally: ConnectionTally,
  ) {
    this.hostHeader = endpoint.hostHeader;
    const begunMs = clock.nowMs();
    let connectedMs = begunMs;
    const read = (bytes: Uint8Array, length: number): void => this.#read(bytes, length);
    const open = (): void => {
      const nowMs = clock.nowMs();
      this.#stage = 'open';
      tally.add(nowMs - begunMs, endpoint.secure ? nowMs - connectedMs : null);
      this.#client?.connected(nowMs);
      this.onOpen?.();
    };
    const adopt = (socket: Socket): Socket => {
      socket.on('connect', () => {
        connectedMs = clock.nowMs();
        if (endpoint.secure) this.#stage = 'handshaking';
        else open();
      });
      if (endpoint.secure) socket.on('secureConnect', open);
      socket.on('end', () => this.#closedByPeer());
      socket.on('error', (error) => {
        this.#error = error;
      });
      socket.on('close', () => this.#gone());
      return socket;
    };
    if (endpoint.tunnel === undefined) {
      this.#socket = adopt(connect(endpoint, buffer, read));
      return;
    }
    this.#carried = false;
    const carried = (bare: Socket): void => {
      this.#carried = true;
      connectedMs = clock.nowMs();
      this.#stage = 'handshaking';
      this.#socket = adopt(connect(endpoint, buffer, read, bare));
      if (this.#unsent !== null) this.#socket.write(this.#unsent);
      this.#unsent = null;
    };
    this.#socket = openTunnel(endpoint.tunnel, endpoint, carried, (why) => {
      if (this.#client === null) this.onGone?.();
      else this.#break(why, clock.nowMs());
    });
  }

  /** Writes a request; `client` hears of everything that follows. */
  send(request: string, client: ConnectionClient): void {
    this.#client = client;
    this.#requests++;
    this.#answered = false;
    this.#ended = false;
    this.#reader.expect(this);
    if (!this.#carried) {
      this.#unsent = request;
      return;
    }
    this.#socket.write(request);
    if (this.#stage === 'open') this.tally.wrote(this.#socket.writableLength);
  }

  /** For the reader. */
  head(head: ResponseHead): void {
    this.#client!.head(head);
  }

  /** For the reader. */
  body(bytes: Uint8Array): void {
    // A client that has given up in the middle of a read hears no more of it.
    this.#client?.body(bytes);
  }

  /** For the reader. */
  chunk(buffer: Uint8Array, from: number, to: number): number {
    return this.#client?.chunk?.(buffer, from, to) ?? from;
  }

  /** For the reader: told on to the client only when the reader is done with the bytes at hand. */
  end(reusable: boolean): void {
    this.#ended = true;
    this.#reusable = reusable;
  }

  /** Gives the connection up; its client hears nothing more. */
  destroy(): void {
    this.#client = null;
    this.#socket.destroy();
  }

  get usable(): boolean {
    return this.#stage === 'open' && this.#reader.idle && !this.#socket.destroyed && this.#socket.writable;
  }

  /** Lets the process end while this connection idles. */
  rest(): void {
    this.#socket.unref();
  }

  /** The opposite of rest. */
  wake(): void {
    this.#socket.ref();
  }

  #read(buffer: Uint8Array, length: number): void {
    // The stamp comes before any look at the bytes: what we do with them must not count as the server's time.
    currentRead[readAt] = this.clock.nowMs();
    const client = this.#client;
    if (client === null) {
      // An idle connection that talks is not one to send a request on.
      this.destroy();
      return;
    }
    this.#answered = true;
    client.touched();
    try {
      this.#reader.push(buffer, length);
    } catch (error) {
      if (!(error instanceof HttpSyntaxError)) throw error;
      // After the end of the response stray bytes only cost the connection, not the answer.
      if (this.#ended) this.#reusable = false;
      else return this.#break(problem('malformed-http', error.message), currentRead[readAt]!);
    }
    this.#settle();
  }

  /** Tells the client of a complete response, once the reader is done with the bytes at hand. */
  #settle(): void {
    const client = this.#client;
    if (!this.#ended || client === null) return;
    this.#client = null;
    this.#ended = false;
    if (!this.#reusable) this.#socket.destroy();
    client.end(this.#reusable, currentRead[readAt]!);
  }

  #closedByPeer(): void {
    const atMs = this.clock.nowMs();
    if (this.#client === null) return void this.#socket.destroy();
    // A TLS alert (no client certificate) is an error and then an end, without a close.
    if (this.#error !== null) return this.#break(socketProblem(this.#error, this.#stage), atMs);
    if (this.#answered && this.#reader.close()) {
      currentRead[readAt] = atMs;
      return this.#settle();
    }
    if (!this.#answered && this.#requests > 1) return this.#goneStale(atMs);
    // Node reports a reset that arrives together with data as a plain end. Only writing tells the two apart: after a
    // reset it fails, after a proper end it does not. An empty line is what HTTP lets a server ignore.
    this.#socket.write('\r\n', (error) => {
      this.#break(error == null ? this.#cutOff() : socketProblem(error, this.#stage), atMs);
    });
  }

  /** The server closed an idle connection while the next request was on its way: the request is for a new one. */
  #goneStale(atMs: number): void {
    const client = this.#client!;
    this.#client = null;
    this.#socket.destroy();
    client.stale(atMs);
  }

  #gone(): void {
    const client = this.#client;
    if (client === null) {
      this.onGone?.();
      return;
    }
    this.#break(this.#error === null ? this.#cutOff() : socketProblem(this.#error, this.#stage), this.clock.nowMs());
  }

  #cutOff(): Problem {
    if (this.#stage === 'handshaking')
      return problem('tls', 'the server closed the connection during the TLS handshake');
    return this.#answered
      ? problem('truncated-stream', 'the server closed the connection in the middle of its answer')
      : problem('reset', 'the server closed the connection before answering');
  }

  #break(why: Problem, atMs: number): void {
    const client = this.#client;
    this.#client = null;
    this.#socket.destroy();
    client?.broke(why, atMs);
  }
}
