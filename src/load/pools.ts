import type { Connection } from './connection.ts';
import type { ConnectionTally } from './connection-tally.ts';
import type { Endpoint } from './endpoint.ts';
import { Pool } from './pool.ts';
import type { RunClock } from './run-clock.ts';

/** Where a run's connections come from: one pool, or several servers in turn. */
export interface ConnectionSource {
  take(): { connection: Connection; fresh: boolean };
  warm(count: number): Promise<void>;
  replace(): Connection;
  give(connection: Connection): void;
  close(): void;
  readonly opened: number;
  readonly reused: number;
}

/** Several servers that do the same work, asked one after the other. */
export class Pools implements ConnectionSource {
  readonly #pools: readonly Pool[];
  readonly #owner = new WeakMap<Connection, Pool>();
  #next = 0;

  constructor(endpoints: readonly Endpoint[], clock: RunClock, tally: ConnectionTally) {
    this.#pools = endpoints.map((endpoint) => new Pool(endpoint, clock, tally));
  }

  take(): { connection: Connection; fresh: boolean } {
    const pool = this.#turn();
    const taken = pool.take();
    this.#owner.set(taken.connection, pool);
    return taken;
  }

  async warm(count: number): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.warm(Math.ceil(count / this.#pools.length))));
  }

  replace(): Connection {
    const pool = this.#turn();
    const connection = pool.replace();
    this.#owner.set(connection, pool);
    return connection;
  }

  give(connection: Connection): void {
    this.#owner.get(connection)?.give(connection);
  }

  close(): void {
    for (const pool of this.#pools) pool.close();
  }

  get opened(): number {
    return this.#pools.reduce((sum, pool) => sum + pool.opened, 0);
  }

  get reused(): number {
    return this.#pools.reduce((sum, pool) => sum + pool.reused, 0);
  }

  #turn(): Pool {
    const pool = this.#pools[this.#next % this.#pools.length]!;
    this.#next++;
    return pool;
  }
}
