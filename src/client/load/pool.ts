import { Connection } from './connection.ts';
import { ConnectionTally } from './connection-tally.ts';
import type { Endpoint } from './endpoint.ts';
import type { RunClock } from './run-clock.ts';

/** Servers close idle connections after 5 s (uvicorn, node) or more; ours are given up well before. */
const maxIdleMs = 3000;
/** From this many stale connections, if they are a tenth of all reuses, the server is taken to close idle connections. */
const staleLimit = 8;
/** Connections opened at a time ahead of a run, and how long one may take. */
const warmTogether = 64;
const warmTimeoutMs = 2000;
const readBufferBytes = 64 * 1024;
/** A spare connection is made this long after a request was sent, because the server may need this processor to read the request. */
const spareAfterMs = 1;
/** And so long before one is sent it is looked whether a connection idles that is not too old by then. */
const lookAheadMs = 20;

/** Open connections to one endpoint, the most recently used first. */
export class Pool {
  readonly #idle: Connection[] = [];
  // One read buffer for all sockets: a read is looked at to its end before the next one happens.
  readonly #buffer = new Uint8Array(readBufferBytes);
  #spare: 'wanted' | 'opening' | 'refused' = 'wanted';
  /** Being opened ahead of what will need them. */
  readonly #making = new Set<Connection>();
  #looking: NodeJS.Timeout | null = null;
  #closed = false;
  opened = 0;
  reused = 0;
  #stale = 0;

  /**
   * hasSpare: a request that takes the last idle connection has another one opened behind it. Where nobody knows how many will be
   * in flight, connecting would otherwise be part of the next request's latency.
   */
  constructor(
    private readonly endpoint: Endpoint,
    private readonly clock: RunClock,
    private readonly tally = new ConnectionTally(),
    private readonly hasSpare = false,
  ) {}

  /** A connection to send on, and whether it was open already. */
  take(): { connection: Connection; fresh: boolean } {
    const oldest = this.clock.nowMs() - maxIdleMs;
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) break;
      if (connection.usable && connection.idleSinceMs >= oldest) {
        connection.onGone = null;
        connection.wake();
        this.reused++;
        this.#openSpare();
        return { connection, fresh: false };
      }
      connection.destroy();
    }
    this.#openSpare();
    return { connection: this.#open(), fresh: true };
  }

  /** Opens a spare after the request at hand was sent. After a failure none is tried until a request has been answered, because none depends on it. */
  #openSpare(): void {
    if (!this.hasSpare || this.#spare !== 'wanted' || this.#idle.length > 0 || !this.#trusted) return;
    this.#spare = 'opening';
    setTimeout(() => {
      if (this.#closed) return;
      void this.#warmOne().then((made) => (this.#spare = made ? 'wanted' : 'refused'));
    }, spareAfterMs);
  }

  /** A request will need a connection in `inMs`: replaces a spare that would be too old by then. */
  expect(inMs: number): void {
    if (!this.hasSpare || inMs <= lookAheadMs || this.#closed) return;
    if (this.#looking !== null) clearTimeout(this.#looking);
    this.#looking = setTimeout(() => {
      this.#dropOld(maxIdleMs - 2 * lookAheadMs);
      this.#openSpare();
    }, inMs - lookAheadMs);
  }

  /** Gives up what has idled for longer, or cannot be used any more. */
  #dropOld(idleMs: number): void {
    const oldest = this.clock.nowMs() - idleMs;
    for (const connection of this.#idle.filter(({ usable, idleSinceMs }) => !usable || idleSinceMs < oldest)) {
      this.#idle.splice(this.#idle.indexOf(connection), 1);
      connection.destroy();
    }
  }

  /**
   * Opens connections before they are needed, up to `count` that idle, so that a run does not begin with all of them being
   * made at once. One that cannot be made is left to the request that will need it, which then tells why.
   */
  async warm(count: number): Promise<void> {
    const fromMs = this.clock.nowMs();
    this.#dropOld(maxIdleMs / 2);
    while (this.#idle.length < count && this.clock.nowMs() - fromMs < maxIdleMs / 2) {
      const missing = Math.min(warmTogether, count - this.#idle.length);
      const batch = Array.from({ length: missing }, () => this.#warmOne());
      if ((await Promise.all(batch)).includes(false)) break;
    }
    // The first opened is taken first, so that servers see the first asks in their order.
    this.#idle.reverse();
  }

  /** Opens one connection into the pool; false = it could not be made in time. */
  #warmOne(): Promise<boolean> {
    const connection = this.#open();
    this.#making.add(connection);
    return new Promise((resolve) => {
      const done = (made: boolean): void => {
        clearTimeout(timer);
        this.#making.delete(connection);
        connection.onOpen = null;
        connection.onGone = null;
        if (made) this.give(connection);
        else connection.destroy();
        resolve(made);
      };
      const timer = setTimeout(() => done(false), warmTimeoutMs);
      connection.onOpen = () => done(true);
      connection.onGone = () => done(false);
    });
  }

  /** A new connection in place of one that the server had closed while it idled. */
  replace(): { connection: Connection; fresh: boolean } {
    this.#stale++;
    return { connection: this.#open(), fresh: true };
  }

  #open(): Connection {
    this.opened++;
    return new Connection(this.endpoint, this.clock, this.#buffer, this.tally);
  }

  /** A server that closes connections without saying so is not asked to keep them. */
  get #trusted(): boolean {
    return this.#stale < staleLimit || this.#stale * 10 < this.reused;
  }

  /** Takes back a connection whose response is complete. */
  give(connection: Connection): void {
    if (!this.#trusted || this.#closed) return connection.destroy();
    if (this.#spare === 'refused') this.#spare = 'wanted';
    connection.idleSinceMs = this.clock.nowMs();
    connection.onGone = () => {
      const at = this.#idle.indexOf(connection);
      if (at !== -1) this.#idle.splice(at, 1);
    };
    connection.rest();
    this.#idle.push(connection);
  }

  /** Closes what is idle, and what would be. */
  close(): void {
    this.#closed = true;
    if (this.#looking !== null) clearTimeout(this.#looking);
    for (const connection of this.#making) connection.destroy();
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }
}
