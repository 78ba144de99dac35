import { randomStream } from '../../core/index.ts';
import type { RequestTransport, Taken } from './request-transport.ts';

/** Where a run's connections come from: one pool, or several servers in turn. */
export interface ConnectionSource {
  /** Asks of one session may be asked of one server; null = whichever is next. */
  take(session: string | null): Taken;
  warm(count: number): Promise<void>;
  /** Says that a request will need a connection in this many milliseconds. */
  expect?(inMs: number): void;
  /** In place of one that went away before its server had looked at the request. */
  replace(session: string | null): Taken;
  give(connection: RequestTransport): void;
  close(): void;
  readonly opened: number;
  readonly reused: number;
}

/** Several servers that do the same work, asked one after the other, or each session always at the same. */
export class Pools implements ConnectionSource {
  readonly #owner = new WeakMap<RequestTransport, ConnectionSource>();
  #next = 0;

  constructor(private readonly pools: readonly ConnectionSource[]) {}

  take(session: string | null): Taken {
    const pool = this.#turn(session);
    const taken = pool.take(session);
    this.#owner.set(taken.connection, pool);
    return taken;
  }

  async warm(count: number): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.warm(Math.ceil(count / this.pools.length))));
  }

  expect(inMs: number): void {
    for (const pool of this.pools) pool.expect?.(inMs);
  }

  replace(session: string | null): Taken {
    const pool = this.#turn(session);
    const taken = pool.replace(session);
    this.#owner.set(taken.connection, pool);
    return taken;
  }

  give(connection: RequestTransport): void {
    this.#owner.get(connection)?.give(connection);
  }

  close(): void {
    for (const pool of this.pools) pool.close();
  }

  get opened(): number {
    return this.pools.reduce((sum, pool) => sum + pool.opened, 0);
  }

  get reused(): number {
    return this.pools.reduce((sum, pool) => sum + pool.reused, 0);
  }

  /** The server of a session depends on its name alone, so that every thread and every run sends it to the same. */
  #turn(session: string | null): ConnectionSource {
    const at = session === null ? this.#next++ % this.pools.length : randomStream(0, session).below(this.pools.length);
    return this.pools[at]!;
  }
}
