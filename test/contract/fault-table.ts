import { gzipSync } from 'node:zlib';
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
  'compresses though told not to': {
    deed: (s) => ({
      write: Buffer.concat([
        Buffer.from(head(s, `Content-Encoding: gzip\r\nContent-Length: ${gzipSync(body(s)).length}\r\n`)),
        gzipSync(body(s)),
      ]),
      after: 'keep',
    }),
    cause: 'malformed-stream',
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
        s
          ? sse(finish, usage, '[DONE]')
          : JSON.stringify({ choices: [{ message: { content: '' }, finish_reason: 'stop' }] }),
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
