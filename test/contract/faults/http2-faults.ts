import type { Socket } from 'node:net';
import { bodies } from './answers.ts';
import { reset } from './deed.ts';
import type { Fault, Http2Request } from './deed.ts';
import {
  dataFrames,
  flag,
  frame,
  frameType,
  goawayFrame,
  headersFrames,
  pingFrame,
  rstFrame,
  settingsFrame,
  windowFrame,
} from './http2-frames.ts';
import { answerFrames } from './http2-server.ts';

/** A server that does this with every request. */
const does = (
  http2: (request: Http2Request) => void,
  cause: Fault['cause'] = 'malformed-http',
  shared: Fault['shared'] = [],
): Fault => ({ deed: () => ({ http2, after: 'keep' }), cause, shared, only: 'http2' });

const refused = 7;
const internalError = 2;
const calm = 11;
const field = Buffer.from([0, 1, 97, 1, 98]);
const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));
const said = (id: number): Buffer => answerFrames(id, { answer: { body: bodies.whole(true) } }, true);
const begun = (id: number): Buffer => answerFrames(id, { answer: { body: bodies.half(true), whole: false } }, true);
const okHead = [
  [':status', '200'],
  ['content-type', 'text/event-stream'],
] as const;

/** Writes the same again and again, as fast as it is taken. */
function flood(socket: Socket, bytes: Buffer): void {
  const more = (): void => {
    for (let i = 0; i < 64; i++) {
      if (socket.destroyed) return;
      if (!socket.write(bytes)) return void socket.once('drain', more);
    }
    setImmediate(more);
  };
  more();
}

/** Faults of streams, frames and connections that many requests share; all are asked as streams. */
export const http2Faults: Readonly<Record<string, Fault>> = {
  'refuses every stream': does(({ socket, id }) => void socket.write(rstFrame(id, refused)), 'stream-refused'),
  'resets the stream before answering': does(
    ({ socket, id }) => void socket.write(rstFrame(id, internalError)),
    'reset',
  ),
  'resets the stream in the middle': does(
    ({ socket, id }) => void socket.write(Buffer.concat([begun(id), rstFrame(id, internalError)])),
    'reset',
  ),
  'says GOAWAY to every request and closes': does(
    ({ socket }) => void socket.end(goawayFrame(0, 0)),
    'stream-refused',
    ['reset'],
  ),
  'says GOAWAY to every request and stays': does(
    ({ socket }) => void socket.write(goawayFrame(0, 0)),
    'stream-refused',
  ),
  'says GOAWAY because of an error and goes': does(
    ({ socket, id }) => void socket.end(Buffer.concat([begun(id), goawayFrame(id, calm)])),
    'reset',
  ),
  'serves one request of each connection and closes': does(
    ({ socket, id, nth }) => void (nth === 1 ? socket.write(said(id)) : socket.end()),
    'ok',
    ['reset'],
  ),
  'serves one request of each connection and gives the others back': does(
    // Who is overtaken again and again is given up in the end.
    ({ socket, id, nth }) => void (nth === 1 ? socket.write(said(id)) : socket.end(goawayFrame(1, 0))),
    'ok',
    ['reset'],
  ),
  'resets the connection on a request': does(({ socket }) => reset(socket), 'reset'),
  'floods with CONTINUATION': does(({ socket, id }) => {
    socket.write(frame(frameType.headers, 0, id, field));
    flood(socket, times(100, frame(frameType.continuation, 0, id, field)));
  }),
  'floods with PING': does(({ socket }) => flood(socket, times(200, pingFrame()))),
  'floods with SETTINGS': does(({ socket }) => flood(socket, times(200, settingsFrame([[4, 70_000]])))),
  'says garbage': does(({ socket }) => void socket.write(Buffer.alloc(4000, 0xa7))),
  'sends DATA on a stream that nobody opened': does(({ socket }) => void socket.write(dataFrames(9999, 'x', false))),
  'sends DATA on stream 0': does(({ socket }) => void socket.write(frame(frameType.data, 0, 0, 'x'))),
  'sends DATA before a head': does(({ socket, id }) => void socket.write(dataFrames(id, 'x', false))),
  'overflows the window of the connection': does(
    ({ socket }) => void socket.write(times(2, windowFrame(0, 0x7fffffff))),
  ),
  'overflows the window of the stream': does(
    ({ socket, id }) => void socket.write(times(2, windowFrame(id, 0x7fffffff))),
  ),
  'widens a window by nothing': does(({ socket }) => void socket.write(windowFrame(0, 0))),
  'sends a frame that is too long': does(
    ({ socket, id }) => void socket.write(frame(frameType.data, 0, id, Buffer.alloc(70_000))),
  ),
  'sends a head that cannot be read': does(
    ({ socket, id }) => void socket.write(frame(frameType.headers, flag.endHeaders, id, Buffer.alloc(5, 0xff))),
  ),
  'sends a head of 2 MB': does(
    ({ socket, id }) => void socket.write(headersFrames(id, [...okHead, ['x', 'y'.repeat(2_000_000)]])),
  ),
  'sends a head without a status': does(
    ({ socket, id }) => void socket.write(headersFrames(id, [['content-type', 'text/event-stream']])),
  ),
  'promises another length than it sends': does(({ socket, id }) => {
    const head = headersFrames(id, [...okHead, ['content-length', '9999']]);
    // Of a complete answer the end would not be waited for.
    socket.write(Buffer.concat([head, dataFrames(id, bodies.half(true), true)]));
  }),
  'pushes what nobody asked for': does(
    ({ socket, id }) => void socket.write(frame(frameType.push, flag.endHeaders, id, Buffer.from([0, 0, 0, 2, 0x82]))),
  ),
};
