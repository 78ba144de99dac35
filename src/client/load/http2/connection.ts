import http2 from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { problem } from '../../../core/index.ts';
import type { Problem } from '../../../core/index.ts';
import { socketProblem } from '../connect-problem.ts';
import type { Stage } from '../connect-problem.ts';
import type { ConnectionTally } from '../connection-tally.ts';
import { connectFor } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import type { RunClock } from '../run-clock.ts';
import { codeName } from './stream-problem.ts';

/** Streams on one connection until the server says how many it takes; nghttpd, hypercorn and nginx take 100 and more. */
const streamsUntold = 100;
/** Enough that no answer waits for us to say that we have read the last part of it. */
const windowBytes = 16 * 1024 * 1024;

/** A connection that says nothing for so long is asked whether it still sends, and then after twice the time each. */
const firstProbeMs = 1000;
const probeTickMs = 250;
/** A PING has left after flushMs, with all that waited before it; where no byte leaves for standstillMs, none will. */
const flushMs = 20;
const standstillMs = 250;

/**
 * Keeps a session until its streams are gone: Node ends the process (`current_nghttp2_memory_ == 0`, nodejs/node#39951) where it
 * collects a session before a stream of it whose headers were cut off, as a flood of CONTINUATION leaves them.
 */
const outlivesStreams = new FinalizationRegistry<ClientHttp2Session>(() => {});

/** One HTTP/2 connection: a socket, a session of node:http2 over it, and as many streams as the server takes. */
export class Http2Connection {
  #session: ClientHttp2Session | null = null;
  /** The session before the server has told its settings. */
  #unready: ClientHttp2Session | null = null;
  #socket: Socket;
  #stage: Stage = 'connecting';
  #waiting: (() => void)[] = [];
  #over: Problem | null = null;
  #error: NodeJS.ErrnoException | null = null;
  /** The server has closed its side. */
  #left = false;
  #isDistrusted = false;
  #probeAfterMs = firstProbeMs;
  #probeAtMs = Infinity;
  #prober: NodeJS.Timeout | null = null;
  /** Error code of the server's GOAWAY; null = it sent none. */
  goaway: number | null = null;
  /** The last stream that the server says it worked on. */
  lastStream = Infinity;
  streams = 0;
  served = 0;
  /** The last stream that was begun here. */
  begun = 0;
  /** Called once, when the connection is gone for whatever reason. */
  onGone: (() => void) | null = null;

  constructor(
    endpoint: Endpoint,
    private readonly clock: RunClock,
    tally: ConnectionTally,
  ) {
    const begunMs = clock.nowMs();
    let connectedMs = begunMs;
    const opened = (socket: Socket, stream: Duplex): void => {
      const tlsMs = socket instanceof TLSSocket ? clock.nowMs() - connectedMs : null;
      this.#open(socket, stream, endpoint, () => tally.add(clock.nowMs() - begunMs, tlsMs));
    };
    this.#socket = connectFor(endpoint, {
      connected: () => {
        connectedMs = clock.nowMs();
        this.#stage = 'handshaking';
      },
      opened,
      failed: (why) => this.#end(why),
    });
  }

  get usable(): boolean {
    return !this.#isDead && !this.#isDistrusted && this.goaway === null && this.streams < this.#most;
  }

  get open(): boolean {
    return this.#session !== null && !this.#isDead;
  }

  /** True from its first error on, because node:http2 reports the end a few rounds later and its session looks alive until then. */
  get #isDead(): boolean {
    const session = this.#session ?? this.#unready;
    return (
      this.#over !== null ||
      this.#error !== null ||
      this.#left ||
      session?.closed === true ||
      session?.destroyed === true
    );
  }

  get #most(): number {
    return this.#session?.remoteSettings.maxConcurrentStreams ?? streamsUntold;
  }

  /**
   * The server has answered a request on this connection, or names one that it works on in a GOAWAY without an error. Only then is a
   * request that it left undone sent again on another connection, because a server that never answers would be asked for ever.
   */
  get works(): boolean {
    return this.served > 0 || (this.goaway === 0 && this.lastStream > 0 && this.lastStream <= this.begun);
  }

  /** Calls back when the connection is open or cannot be made: at once where that is known. */
  ready(then: () => void): void {
    if (this.#session !== null || this.#over !== null) then();
    else this.#waiting.push(then);
  }

  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  /** Something came, or was sent; says when. */
  heard(): number {
    const nowMs = this.clock.nowMs();
    this.#probeAfterMs = firstProbeMs;
    this.#probeAtMs = nowMs + firstProbeMs;
    return nowMs;
  }

  /** A request was given up unanswered: where not a byte came meanwhile, nobody else is sent this way, as over HTTP/1.1. */
  distrust(bytesReadBefore: number): void {
    if (this.#socket.bytesRead === bytesReadBefore) this.#isDistrusted = true;
  }

  /** A stream of it ended because of the connection, which node:http2 tells the stream first. */
  failed(error: NodeJS.ErrnoException): void {
    this.#error ??= error;
  }

  /**
   * node:http2 does not tell of everything that a server must not say: it stops reading, would send no more than a GOAWAY, and even that
   * not before something else is sent. A PING makes it: a server then closes the connection, and one that does not is found out
   * by the next PING, which does not leave although nothing is in its way.
   */
  #probe(): void {
    const nowMs = this.clock.nowMs();
    if (this.#isDead || this.streams === 0 || nowMs < this.#probeAtMs) return;
    this.#probeAfterMs *= 2;
    this.#probeAtMs = nowMs + this.#probeAfterMs;
    this.#ping(flushMs, () => {
      const waitingBefore = this.#waitingFrames;
      const writtenBefore = this.#socket.bytesWritten;
      this.#ping(standstillMs, () => {
        if (this.#waitingFrames > waitingBefore && this.#socket.bytesWritten === writtenBefore) this.#lookWhy();
      });
    });
  }

  /** Frames do not leave: the cause, unless they only wait for the server to read. */
  #lookWhy(): void {
    // Node tells these nowhere else where HTTP/2 does the writing.
    interface Handle {
      writeQueueSize?: number;
      _parent?: Handle;
    }
    const { _handle: top } = this.#socket as unknown as { _handle?: Handle };
    const { _parent: socket = top } = top ?? {};
    if (socket?.writeQueueSize !== 0) return;
    // A reset that meets a write is lost between TLS and HTTP/2: what was to be encrypted is never asked for again.
    if (socket === top || top?.writeQueueSize === 0) return this.standStill();
    this.#error ??= Object.assign(new Error('the connection broke while a request was written'), {
      code: 'ECONNRESET',
    });
    this.#session?.destroy();
  }

  /** Sends a PING, and looks a while later, after everything that was ready to be written then. */
  #ping(waitMs: number, then: () => void): void {
    this.#session!.ping(() => {});
    const look = (): void => {
      if (!this.#isDead) then();
    };
    setTimeout(() => setImmediate(() => setImmediate(look)), waitMs).unref();
  }

  get #waitingFrames(): number {
    return this.#session!.state.outboundQueueSize ?? 0;
  }

  /** The connection takes no more frames and reports no error: the server has sent what HTTP/2 does not allow. */
  standStill(): void {
    if (this.goaway !== null) return;
    const words = 'it came to a standstill after something that HTTP/2 does not allow';
    this.#error ??= Object.assign(new Error(words), { code: 'ERR_HTTP2_ERROR' });
    this.#session?.destroy();
  }

  /** Begins a stream; null = the connection is gone, `why` says for what reason. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream | null {
    if (this.#session === null || this.#isDead) return null;
    try {
      const stream = this.#session.request(headers, { endStream: false });
      outlivesStreams.register(stream, this.#session);
      this.heard();
      return stream;
    } catch (error) {
      this.#error ??= error as NodeJS.ErrnoException;
      return null;
    }
  }

  get why(): Problem {
    return this.#over ?? this.blame ?? problem('reset', 'the connection was closed');
  }

  /** The failure of the connection that a broken stream reports as its cause; null = none. */
  get blame(): Problem | null {
    if (this.#error === null) return null;
    // The server's own GOAWAY with an error is told by node:http2 as an error of the session.
    if (this.goaway !== null && this.goaway !== 0)
      return problem('reset', `the server sent GOAWAY ${codeName(this.goaway)}`);
    if ((this.#error.code ?? '').startsWith('ERR_HTTP2_')) {
      return problem('malformed-http', `not HTTP/2 as it should be (${this.#error.message})`);
    }
    return socketProblem(this.#error, this.#stage);
  }

  destroy(): void {
    (this.#session ?? this.#unready)?.destroy();
    this.#socket.destroy();
  }

  #open(socket: Socket, stream: Duplex, endpoint: Endpoint, opened: () => void): void {
    this.#socket = socket;
    this.#stage = 'open';
    if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return this.#end(problem('tls', 'the server offers no HTTP/2 (ALPN): leave --http2 out'));
    }
    const session = http2.connect(`${endpoint.secure ? 'https' : 'http'}://${endpoint.hostHeader}`, {
      createConnection: () => stream,
      maxSessionMemory: 1000,
      settings: { enablePush: false, initialWindowSize: windowBytes },
    });
    session.on('goaway', (code: number, lastStream: number) => {
      this.goaway = code;
      this.lastStream = lastStream;
    });
    const failed = (error: NodeJS.ErrnoException): void => {
      this.#error ??= error;
    };
    session.on('error', (error: NodeJS.ErrnoException) => {
      failed(error);
      socket.destroy();
    });
    socket.on('error', failed);
    socket.on('end', () => (this.#left = true));
    session.on('close', () => this.#end(this.blame ?? problem('reset', 'the server closed the connection')));
    // Only now it is known how many streams the server takes; what is sent before may be refused.
    session.once('remoteSettings', () => {
      if (session.destroyed) return;
      session.setLocalWindowSize(windowBytes);
      this.#session = session;
      this.#prober = setInterval(() => this.#probe(), probeTickMs).unref();
      opened();
      this.#tell();
    });
    this.#unready = session;
  }

  #end(why: Problem): void {
    if (this.#over !== null) return;
    this.#over = why;
    // node:http2 ends a connection kindly, and waits for a server that may never end its side.
    this.#socket.destroy();
    if (this.#prober !== null) clearInterval(this.#prober);
    this.#tell();
    this.onGone?.();
  }

  #tell(): void {
    for (const then of this.#waiting.splice(0)) then();
  }

  get nowMs(): number {
    return this.clock.nowMs();
  }
}
