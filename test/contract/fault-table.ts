import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { ProblemCode, RunPlan } from '../../src/core/index.ts';
import type { Deed } from './faulty-server.ts';

const sse = (...data: string[]): string => data.map((each) => `data: ${each}\n\n`).join('');
const delta = (content: string): string => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
const finish = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const usage = JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } });
const wholeStream = sse(delta('a'), delta('b'), finish, usage, '[DONE]');
const wholeAnswer = JSON.stringify({
  choices: [{ message: { content: 'ab' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});
const typeOf = (stream: boolean): string => (stream ? 'text/event-stream' : 'application/json');
const chunked = (body: string): string => (body === '' ? '' : `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`);
const head = (stream: boolean, more = 'Transfer-Encoding: chunked\r\n', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${typeOf(stream)}\r\n${more}\r\n`;
export const body = (stream: boolean): string => (stream ? wholeStream : wholeAnswer);
const half = (stream: boolean): string => (stream ? sse(delta('a')) : wholeAnswer.slice(0, 30));
const withLength = (stream: boolean, text: string, length: number, status = '200 OK'): string =>
  head(stream, `Content-Length: ${length}\r\n`, status) + text;
export const answered = (stream: boolean, text: string, status = '200 OK'): string =>
  withLength(stream, text, Buffer.byteLength(text), status);

type Expected = ProblemCode | 'ok' | { stream: ProblemCode | 'ok'; whole: ProblemCode | 'ok' };
export interface Fault {
  deed(stream: boolean): Deed;
  cause: Expected;
  timeouts?: Partial<RunPlan['timeouts']>;
}

/** An answer that is packed, and says so. */
const packed = (coding: string, pack: (text: string) => Buffer): Fault => ({
  deed: (s) => {
    const bytes = pack(body(s));
    const said = Buffer.from(head(s, `Content-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n`));
    return { write: Buffer.concat([said, bytes]), after: 'keep' };
  },
  cause: 'ok',
});
/** A zstd frame (RFC 8878) of one raw block. */
function zstdStored(text: string): Buffer {
  const bytes = Buffer.from(text);
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
  frame.writeUInt32LE(bytes.length, 5);
  frame.writeUIntLE((bytes.length << 3) | 1, 9, 3);
  return Buffer.concat([frame, bytes]);
}
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

/** Every fault of a server or a network that a loopback can play, and the one bucket it belongs in. */
export const faults: Readonly<Record<string, Fault>> = {
  'closes before answering': { deed: () => ({ after: 'end' }), cause: 'reset' },
  'resets before answering': { deed: () => ({ after: 'reset' }), cause: 'reset' },
  'closes inside the head': {
    deed: () => ({ write: 'HTTP/1.1 200 OK\r\nContent-', after: 'end' }),
    cause: 'truncated-stream',
  },
  'resets inside the head': {
    deed: () => ({ write: 'HTTP/1.1 200 OK\r\nContent-', after: 'reset' }),
    cause: 'reset',
  },
  'closes inside a chunk': {
    deed: (s) => ({ write: `${head(s)}ff\r\n${half(s)}`, after: 'end' }),
    cause: 'truncated-stream',
  },
  'closes inside the body': {
    deed: (s) => ({ write: head(s) + chunked(half(s)), after: 'end' }),
    cause: 'truncated-stream',
  },
  'resets inside the body': { deed: (s) => ({ write: head(s) + chunked(half(s)), after: 'reset' }), cause: 'reset' },
  'is silent before the head': { deed: () => ({ after: 'keep' }), cause: 'timeout-read', timeouts: { readMs: 120 } },
  'is silent after the head': {
    deed: (s) => ({ write: head(s), after: 'keep' }),
    cause: { stream: 'timeout-ttft', whole: 'timeout-read' },
    timeouts: { ttftMs: 100, readMs: 300 },
  },
  'is silent in the middle': {
    deed: (s) => ({ write: head(s) + chunked(half(s)), after: 'keep' }),
    cause: 'timeout-read',
    timeouts: { readMs: 120 },
  },
  'ends the body without a finish': {
    deed: (s) => ({ write: head(s) + chunked(half(s)) + '0\r\n\r\n', after: 'keep' }),
    cause: { stream: 'truncated-stream', whole: 'malformed-stream' },
  },
  'promises more than it sends': {
    deed: (s) => ({ write: withLength(s, body(s), 9999), after: 'end' }),
    cause: 'truncated-stream',
  },
  'sends more than it promised': {
    deed: (s) => ({ write: withLength(s, body(s) + 'more', Buffer.byteLength(body(s))), after: 'keep' }),
    cause: 'ok',
  },
  'sends a second answer behind the first': {
    deed: (s) => ({ write: answered(s, body(s)) + answered(s, body(s)), after: 'keep' }),
    cause: 'ok',
  },
  'has a bad chunk size': { deed: (s) => ({ write: `${head(s)}zz\r\n`, after: 'keep' }), cause: 'malformed-http' },
  'has a chunk longer than its size': {
    deed: (s) => ({ write: `${head(s)}3\r\n${half(s)}\r\n`, after: 'keep' }),
    cause: 'malformed-http',
  },
  'has two lengths': {
    deed: (s) => ({ write: head(s, 'Content-Length: 5\r\nContent-Length: 6\r\n'), after: 'keep' }),
    cause: 'malformed-http',
  },
  'has giant headers': {
    deed: (s) => ({ write: head(s, `X: ${'y'.repeat(90_000)}\r\n`), after: 'keep' }),
    cause: 'malformed-http',
  },
  'has a giant event': {
    deed: (s) => ({ write: answered(s, s ? sse(delta('x'.repeat(1_000_000)), finish) : body(s)), after: 'keep' }),
    cause: 'ok',
  },
  'packs with gzip though told not to': packed('gzip', gzipSync),
  'packs with deflate though told not to': packed('deflate', deflateSync),
  'packs with bare deflate though told not to': packed('deflate', deflateRawSync),
  'packs with brotli though told not to': packed('br', brotliCompressSync),
  'packs with zstd though told not to': packed('zstd', zstdStored),
  'packs with what nobody unpacks': { ...packed('compress', (text) => Buffer.from(text)), cause: 'malformed-stream' },
  'says gzip and sends none': { ...packed('gzip', (text) => Buffer.from(text)), cause: 'malformed-stream' },
  'packs half of its answer': {
    ...packed('gzip', (text) => gzipSync(text).subarray(0, -12)),
    cause: 'truncated-stream',
  },
  'is complete, but does not end': {
    deed: (s) => ({ write: head(s) + chunked(s ? wholeStream : wholeAnswer), after: 'keep' }),
    cause: 'ok',
  },
  'finishes and tells its usage, but does not end': {
    deed: (s) => ({ write: head(s) + chunked(s ? sse(delta('a'), finish, usage) : wholeAnswer), after: 'keep' }),
    cause: 'ok',
  },
  'names an event error': {
    deed: (s) => ({
      write: answered(s, s ? 'event: error\ndata: out of memory\n\n' : '{"error":"out of memory"}'),
      after: 'keep',
    }),
    cause: 'in-stream-error',
  },
  'nests its JSON too deeply': {
    deed: (s) => ({ write: answered(s, s ? sse(deep) : deep), after: 'keep' }),
    cause: 'malformed-stream',
  },
  'has no content': {
    deed: () => ({ write: 'HTTP/1.1 204 No Content\r\n\r\n', after: 'keep' }),
    cause: 'empty-answer',
  },
  'has an empty body': { deed: (s) => ({ write: answered(s, ''), after: 'keep' }), cause: 'empty-answer' },
  'is a web page that says it is a stream': {
    deed: (s) => ({ write: answered(s, '<!DOCTYPE html><html><body>Sign in</body></html>'), after: 'keep' }),
    cause: 'not-an-api',
  },
  'says something else than events': {
    deed: (s) => ({ write: answered(s, 'upstream connect error'), after: 'keep' }),
    cause: 'malformed-stream',
  },
  'refuses without end': {
    deed: (s) => ({ write: head(s, undefined, '500 Internal Server Error'), after: 'keep', forever: chunked('no ') }),
    cause: 'http-5xx',
  },
  redirects: {
    deed: (s) => ({
      write: head(s, 'Location: http://elsewhere.invalid/\r\nContent-Length: 0\r\n', '302 Found'),
      after: 'keep',
    }),
    cause: 'http-redirect',
  },
  'says continue first': {
    deed: (s) => ({ write: `HTTP/1.1 100 Continue\r\n\r\n${answered(s, body(s))}`, after: 'keep' }),
    cause: 'ok',
  },
  'hints first': {
    deed: (s) => ({
      write: `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${answered(s, body(s))}`,
      after: 'keep',
    }),
    cause: 'ok',
  },
  'drips without end': {
    deed: (s) => ({ write: head(s), after: 'keep', forever: chunked(s ? ': still here\n\n' : ' ') }),
    cause: 'timeout-total',
    timeouts: { totalMs: 120 },
  },
  'drips, but ends': {
    deed: (s) => ({ write: head(s) + chunked(body(s)) + '0\r\n\r\n', after: 'keep', drip: true }),
    cause: 'ok',
  },
  'closes with the last byte': { deed: (s) => ({ write: answered(s, body(s)), after: 'end' }), cause: 'ok' },
  'has no length and closes': { deed: (s) => ({ write: head(s, '') + body(s), after: 'end' }), cause: 'ok' },
  'is not found': {
    deed: (s) => ({ write: answered(s, '{"error":"no"}', '404 Not Found'), after: 'keep' }),
    cause: 'http-4xx',
  },
  'is too busy': {
    deed: (s) => ({ write: answered(s, '{"error":"busy"}', '429 Too Many Requests'), after: 'keep' }),
    cause: 'http-429',
  },
  'is broken': {
    deed: (s) => ({ write: answered(s, 'oops', '503 Service Unavailable'), after: 'keep' }),
    cause: 'http-5xx',
  },
  'refuses and closes before its words end': {
    deed: (s) => ({ write: withLength(s, 'oops', 400, '500 Internal Server Error'), after: 'end' }),
    cause: 'http-5xx',
  },
  'is a web page': {
    deed: () => ({
      write: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>',
      after: 'keep',
    }),
    cause: 'not-an-api',
  },
  'is a proxy with an error page': {
    deed: () => ({
      write: 'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>',
      after: 'keep',
    }),
    cause: 'http-5xx',
  },
  'tells of an error inside a 200': {
    deed: (s) => ({
      write: answered(
        s,
        s ? sse(delta('a'), '{"error":{"message":"out of memory"}}') : '{"error":{"message":"out of memory"}}',
      ),
      after: 'keep',
    }),
    cause: 'in-stream-error',
  },
  'answers nothing': {
    deed: (s) => ({
      write: answered(
        s,
        s ? sse(finish, '[DONE]') : JSON.stringify({ choices: [{ message: { content: '' }, finish_reason: 'stop' }] }),
      ),
      after: 'keep',
    }),
    cause: 'empty-answer',
  },
  'sends broken JSON': {
    deed: (s) => ({ write: answered(s, s ? sse('{"choices":[{') : '{"choices":[{'), after: 'keep' }),
    cause: 'malformed-stream',
  },
  'speaks no HTTP': { deed: () => ({ write: 'SSH-2.0-OpenSSH_9.2\r\n', after: 'keep' }), cause: 'malformed-http' },
};

/** The one bucket of a fault, for an answer that was asked for as a stream or in one piece. */
export const causeOf = ({ cause }: Pick<Fault, 'cause'>, stream: boolean): ProblemCode | 'ok' =>
  typeof cause === 'string' ? cause : cause[stream ? 'stream' : 'whole'];
