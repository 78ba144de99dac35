import type { Taken } from '../request-transport.ts';
import { ConnectionTally } from '../connection-tally.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ConnectionSource } from '../pools.ts';
import type { RunClock } from '../run-clock.ts';
import { Http2Carrier } from './http2-carrier.ts';
import { Http2Connection } from './connection.ts';
import { requestReader } from './request-parts.ts';

const streamsOfOne = 100;
const warmTimeoutMs = 2000;

/** HTTP/2 connections to one endpoint, each filled with streams before the next is opened. */
export class Http2Pool implements ConnectionSource {
  readonly #parts: ReturnType<typeof requestReader>;
  readonly #lines = new Set<Http2Connection>();
  opened = 0;
  reused = 0;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly clock: RunClock,
    private readonly tally: ConnectionTally = new ConnectionTally(),
  ) {
    this.#parts = requestReader(endpoint.secure ? 'https' : 'http');
  }

  take(): Taken {
    let line: Http2Connection | null = null;
    for (const known of this.#lines) {
      if (known.usable) {
        line = known;
        break;
      }
    }
    if (line?.open === true) this.reused++;
    line ??= this.#open();
    const fresh = !line.open;
    return { connection: new Http2Carrier(line, this.endpoint.hostHeader, this.#parts), fresh };
  }

  async warm(count: number): Promise<void> {
    const missing = Math.max(0, Math.ceil(count / streamsOfOne) - this.#lines.size);
    const lines = Array.from({ length: missing }, () => this.#open());
    await Promise.all(
      lines.map(
        (line) =>
          new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, warmTimeoutMs);
            line.ready(() => {
              clearTimeout(timer);
              resolve();
            });
          }),
      ),
    );
  }

  replace(): Taken {
    return this.take();
  }

  /** A stream is over when its answer is. */
  give(): void {}

  close(): void {
    for (const line of this.#lines) line.destroy();
    this.#lines.clear();
  }

  #open(): Http2Connection {
    this.opened++;
    const line = new Http2Connection(this.endpoint, this.clock, this.tally);
    this.#lines.add(line);
    line.onGone = () => this.#lines.delete(line);
    return line;
  }
}
