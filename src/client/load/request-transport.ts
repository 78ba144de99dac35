import type { ConnectionClient } from './connection.ts';

/** What carries a request: a connection of its own, or a stream of one that is shared. */
export interface RequestTransport {
  /** The value of its Host header. */
  readonly hostHeader: string;
  /**
   * Writes a request, as HTTP/1.1 text; `client` hears of everything that follows, never before this has returned: a client that
   * was told inside the call would ask again inside it, and without end.
   */
  send(request: string, client: ConnectionClient): void;
  /** Gives the request up; its client hears nothing more. */
  destroy(): void;
}

/** A carrier to send on, and whether its connection is still to be made. */
export interface Taken {
  connection: RequestTransport;
  fresh: boolean;
}
