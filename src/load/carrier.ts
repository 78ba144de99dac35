import type { ConnectionClient } from './connection.ts';

/** What carries a request: a connection of its own, or a stream of one that is shared. */
export interface Carrier {
  /** What its Host header has to be. */
  readonly hostHeader: string;
  /** Writes a request, as HTTP/1.1 text; `client` hears of everything that follows. */
  send(request: string, client: ConnectionClient): void;
  /** Gives the request up; its client hears nothing more. */
  destroy(): void;
}
