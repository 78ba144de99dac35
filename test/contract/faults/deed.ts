import type { Socket } from 'node:net';
import type { ProblemCode, RunPlan } from '../../../src/core/index.ts';

/** An answer as any transport can carry it. */
export interface Answer {
  status?: number;
  /** absent = as the way of asking wants it. */
  type?: string;
  headers?: readonly (readonly [string, string])[];
  /** absent = the head alone. */
  body?: string | Buffer;
  /** The body has its proper end; absent = yes. */
  whole?: false;
  /** Heads of so many announcements before it. */
  announced?: readonly number[];
}

/** What a server does with one request, and how it goes on. */
export interface Deed {
  answer?: Answer;
  /** Said as it stands instead of an answer, by servers of that protocol. */
  http1?: string | Buffer;
  http2?: (request: Http2Request) => void;
  /** keep = leave the connection open; end = close properly; reset = RST. */
  after: 'keep' | 'end' | 'reset';
  /** Answers before it has read the request. */
  early?: boolean;
  /** Writes a few bytes at a time. */
  drip?: boolean;
  /** Does it only after so long. */
  waitMs?: number;
  /** Goes on with pieces of the body for ever, one every few milliseconds. */
  forever?: string;
}

/** One request on an HTTP/2 connection. */
export interface Http2Request {
  socket: Socket;
  /** Its stream. */
  id: number;
  body: string;
  /** How many requests this connection carried, this one included. */
  nth: number;
}

/** What a server does with a request: whether it asked for a stream, and its body. */
export type DeedFor = (stream: boolean, body: string) => Deed;

type Cause = ProblemCode | 'ok';

/** One fault of a server or a network, and the one bucket it belongs in. */
export interface Fault {
  deed(stream: boolean): Deed;
  cause: Cause | { stream: Cause; whole: Cause };
  /** A reset right behind the first bytes of an answer. */
  meetsBytes?: true;
  /** How requests that share the connection may end with it, over HTTP/2; absent = each by itself. */
  shared?: readonly Cause[];
  /** Absent = every transport can play it. */
  only?: 'http1' | 'http2';
  timeouts?: Partial<RunPlan['timeouts']>;
}

/** The buckets of a fault for an answer that was asked for as a stream or in one piece. */
export function causesOf(fault: Fault, stream: boolean, to: { http2: boolean; proxied: boolean }): Cause[] {
  const { cause, shared = [], meetsBytes } = fault;
  const own = typeof cause === 'string' ? cause : cause[stream ? 'stream' : 'whole'];
  // Node tells of a reset that arrives with data as of an end, and only HTTP/1.1 without a tunnel can find out by writing.
  const cut: Cause[] = meetsBytes === true && (to.http2 || to.proxied) ? ['truncated-stream'] : [];
  return [own, ...(to.http2 ? shared : []), ...cut];
}

/** Whether a server that does this may take other requests of its connection along. */
export const endsConnection = ({ after, http2 }: Deed): boolean => after !== 'keep' || http2 !== undefined;

/** Ends a connection by RST. */
export function reset(socket: Socket): void {
  // Under TLS that is the business of the socket beneath.
  const beneath = (socket as unknown as { [parent: string]: Socket | undefined })['_parent'];
  (beneath ?? socket).resetAndDestroy();
}

/** Hands on bytes a few at a time, as long as somebody is there. */
export function drip(bytes: Buffer, write: (piece: Buffer, last: boolean) => void, gone: () => boolean): void {
  let at = 0;
  const step = (): void => {
    if (gone() || at >= bytes.length) return;
    const piece = bytes.subarray(at, (at += 17));
    write(piece, at >= bytes.length);
    setImmediate(step);
  };
  step();
}

/** Writes a piece again and again. */
export function goOn(socket: Socket, piece: Buffer): void {
  const timer = setInterval(() => socket.write(piece), 5);
  socket.on('close', () => clearInterval(timer));
}
