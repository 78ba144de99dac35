import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { bodies } from './answers.ts';
import type { Fault } from './deed.ts';

const page = { type: 'text/html', body: '<html>' };
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

/** An answer that is packed, and says so. */
const packed = (coding: string, pack: (text: string) => Buffer): Fault => ({
  deed: (s) => ({ answer: { headers: [['Content-Encoding', coding]], body: pack(bodies.whole(s)) }, after: 'keep' }),
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

/** A server that answers so and keeps its connection. */
const says = (
  body: (stream: boolean) => string | undefined,
  cause: Fault['cause'],
  more: { status?: number; type?: string; headers?: readonly (readonly [string, string])[] } = {},
): Fault => ({
  deed: (s) => {
    const said = body(s);
    return { answer: { ...more, ...(said !== undefined && { body: said }) }, after: 'keep' };
  },
  cause,
});

/** Every fault of a server or a network that every transport can play on a loopback. */
export const answerFaults: Readonly<Record<string, Fault>> = {
  'closes before answering': { deed: () => ({ after: 'end' }), cause: 'reset' },
  'resets before answering': { deed: () => ({ after: 'reset' }), cause: 'reset' },
  'closes inside the body': {
    deed: (s) => ({ answer: { body: bodies.half(s), whole: false }, after: 'end' }),
    cause: 'truncated-stream',
    shared: ['reset'],
  },
  'resets inside the body': {
    deed: (s) => ({ answer: { body: bodies.half(s), whole: false }, after: 'reset' }),
    cause: 'reset',
    meetsBytes: true,
  },
  'is silent before the head': { deed: () => ({ after: 'keep' }), cause: 'timeout-read', timeouts: { readMs: 300 } },
  'is silent after the head': {
    deed: () => ({ answer: { whole: false }, after: 'keep' }),
    cause: { stream: 'timeout-ttft', whole: 'timeout-read' },
    timeouts: { ttftMs: 200, readMs: 500 },
  },
  'is silent in the middle': {
    deed: (s) => ({ answer: { body: bodies.half(s), whole: false }, after: 'keep' }),
    cause: 'timeout-read',
    timeouts: { readMs: 300 },
  },
  'ends the body without a finish': says((s) => bodies.half(s), {
    stream: 'truncated-stream',
    whole: 'malformed-stream',
  }),
  'is complete, but does not end': {
    deed: (s) => ({ answer: { body: bodies.whole(s), whole: false }, after: 'keep' }),
    cause: 'ok',
  },
  'finishes and tells its usage, but does not end': {
    deed: (s) => ({ answer: { body: bodies.finished(s), whole: false }, after: 'keep' }),
    cause: 'ok',
  },
  'has a giant event': says((s) => bodies.giant(s), 'ok'),
  'packs with gzip though told not to': packed('gzip', gzipSync),
  'packs with deflate though told not to': packed('deflate', deflateSync),
  'packs with bare deflate though told not to': packed('deflate', deflateRawSync),
  'packs with brotli though told not to': packed('br', brotliCompressSync),
  'packs with zstd though told not to': packed('zstd', zstdStored),
  'packs with what nobody unpacks': { ...packed('compress', (text) => Buffer.from(text)), cause: 'malformed-stream' },
  'packs with what every object has': {
    ...packed('constructor', (text) => Buffer.from(text)),
    cause: 'malformed-stream',
  },
  'says gzip and sends none': { ...packed('gzip', (text) => Buffer.from(text)), cause: 'malformed-stream' },
  'packs half of its answer': {
    ...packed('gzip', (text) => gzipSync(text).subarray(0, -12)),
    cause: 'truncated-stream',
  },
  redirects: says(() => undefined, 'http-redirect', {
    status: 302,
    headers: [['Location', 'http://elsewhere.invalid/']],
  }),
  'hints first': {
    deed: (s) => ({ answer: { announced: [103, 103], body: bodies.whole(s) }, after: 'keep' }),
    cause: 'ok',
  },
  'says continue first': {
    deed: (s) => ({ answer: { announced: [100], body: bodies.whole(s) }, after: 'keep' }),
    cause: 'ok',
  },
  'drips without end': {
    deed: (s) => ({ answer: { whole: false }, after: 'keep', forever: s ? ': still here\n\n' : ' ' }),
    cause: 'timeout-total',
    timeouts: { totalMs: 300 },
  },
  'drips, but ends': {
    deed: (s) => ({ answer: { body: bodies.whole(s) }, after: 'keep', drip: true }),
    cause: 'ok',
  },
  'is not found': says(() => '{"error":"no"}', 'http-4xx', { status: 404 }),
  'is too busy': says(() => '{"error":"busy"}', 'http-429', { status: 429 }),
  'is broken': says(() => 'oops', 'http-5xx', { status: 503 }),
  'refuses without end': {
    deed: () => ({ answer: { status: 500, whole: false }, after: 'keep', forever: 'no ' }),
    cause: 'http-5xx',
  },
  'refuses with more words than anybody reads': says(() => 'no '.repeat(100_000), 'http-5xx', { status: 500 }),
  'has a status that there is not': says((s) => bodies.whole(s), 'malformed-http', { status: 600 }),
  'has no content': says(() => undefined, 'empty-answer', { status: 204 }),
  'has an empty body': says(() => '', 'empty-answer'),
  'is a web page': { deed: () => ({ answer: page, after: 'keep' }), cause: 'not-an-api' },
  'is a web page that says it is a stream': says(
    () => '<!DOCTYPE html><html><body>Sign in</body></html>',
    'not-an-api',
  ),
  'says something else than events': says(() => 'upstream connect error', 'malformed-stream'),
  'is a proxy with an error page': {
    deed: () => ({ answer: { ...page, status: 502 }, after: 'keep' }),
    cause: 'http-5xx',
  },
  'tells of an error inside a 200': says((s) => bodies.error(s), 'in-stream-error'),
  'names an event error': says((s) => bodies.errorEvent(s), 'in-stream-error'),
  'answers nothing': says((s) => bodies.silent(s), 'empty-answer'),
  'sends broken JSON': says((s) => bodies.of(s, '{"choices":[{'), 'malformed-stream'),
  'nests its JSON too deeply': says((s) => bodies.of(s, deep), 'malformed-stream'),
};
