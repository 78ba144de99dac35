import { bodies } from './answers.ts';
import type { Fault } from './deed.ts';
import { typeOf } from './http1-server.ts';

const head = (stream: boolean, more = 'Transfer-Encoding: chunked\r\n', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${typeOf(stream)}\r\n${more}\r\n`;
const withLength = (stream: boolean, text: string, length = Buffer.byteLength(text), status = '200 OK'): string =>
  head(stream, `Content-Length: ${length}\r\n`, status) + text;
/** A server that says these bytes. */
const bytes = (
  http1: (stream: boolean) => string,
  cause: Fault['cause'],
  after: 'keep' | 'end' | 'reset' = 'keep',
): Fault => ({ deed: (s) => ({ http1: http1(s), after }), cause, only: 'http1' });

/** Faults of heads, lengths and chunks. */
export const http1Faults: Readonly<Record<string, Fault>> = {
  'closes inside the head': bytes(() => 'HTTP/1.1 200 OK\r\nContent-', 'truncated-stream', 'end'),
  'resets inside the head': { ...bytes(() => 'HTTP/1.1 200 OK\r\nContent-', 'reset', 'reset'), meetsBytes: true },
  'closes inside a chunk': bytes((s) => `${head(s)}ff\r\n${bodies.half(s)}`, 'truncated-stream', 'end'),
  'promises more than it sends': bytes((s) => withLength(s, bodies.half(s), 9999), 'truncated-stream', 'end'),
  'sends more than it promised': bytes(
    (s) => withLength(s, `${bodies.whole(s)}more`, Buffer.byteLength(bodies.whole(s))),
    'ok',
  ),
  'sends a second answer behind the first': bytes((s) => withLength(s, bodies.whole(s)).repeat(2), 'ok'),
  'has a bad chunk size': bytes((s) => `${head(s)}zz\r\n`, 'malformed-http'),
  'has a chunk longer than its size': bytes((s) => `${head(s)}3\r\n${bodies.half(s)}\r\n`, 'malformed-http'),
  'has two lengths': bytes((s) => head(s, 'Content-Length: 5\r\nContent-Length: 6\r\n'), 'malformed-http'),
  'has giant headers': bytes((s) => head(s, `X: ${'y'.repeat(90_000)}\r\n`), 'malformed-http'),
  'closes with the last byte': bytes((s) => withLength(s, bodies.whole(s)), 'ok', 'end'),
  'has no length and closes': bytes((s) => head(s, '') + bodies.whole(s), 'ok', 'end'),
  'refuses and closes before its words end': bytes(
    (s) => withLength(s, 'oops', 400, '500 Internal Server Error'),
    'http-5xx',
    'end',
  ),
  'speaks no HTTP': bytes(() => 'SSH-2.0-OpenSSH_9.2\r\n', 'malformed-http'),
};
