import { KnownBytes } from '../protocol/index.ts';

/** What the head of a response says. Header names are lower case; repeated ones are joined by ", ". */
export interface ResponseHead {
  status: number;
  headers: ReadonlyMap<string, string>;
}

/** Told by HttpReader as it reads; `end` comes at most once. */
export interface ResponseHandler {
  head(head: ResponseHead): void;
  /** Bytes of the body; empty after a read of which `chunk` took all. */
  body(bytes: Uint8Array): void;
  /** A chunk, or the rest of one, lies whole in the buffer: says up to where it was taken there; the rest comes by `body`. */
  chunk(buffer: Uint8Array, from: number, to: number): number;
  /** The response is complete; reusable = the connection may carry another request. */
  end(reusable: boolean): void;
}

/** The peer does not speak HTTP/1.1 as it should. */
export class HttpSyntaxError extends Error {
  override name = 'HttpSyntaxError';
}

const maxHeadBytes = 64 * 1024;
const maxLineBytes = 8 * 1024;
const maxTrailerBytes = 16 * 1024;
/** Heads that only announce an answer (100 Continue, 103 Early Hints); more are no announcement any more. */
const maxInterim = 32;
const httpPrefix = 'HTTP/1.';
const nothing = new Uint8Array(0);
const LF = 10;
const CR = 13;
/** Value of a hexadecimal digit by its byte; 16 = not one. */
const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 16 : value;
});

/** Name and value; a value may hold tabs and bytes above ASCII, but no other control character. */
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\u0000-\u0008\u000a-\u001f\u007f]*?)[ \t]*$/;
/** A chunk's size, and extensions as the standard has them, which nobody reads. */
const chunkSize =
  /^([0-9a-fA-F]{1,12})(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*=[ \t]*(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[^"\\\u0000-\u0008\u000a-\u001f\u007f]|\\[^\u0000-\u0008\u000a-\u001f\u007f])*"))?)*$/;

type State = 'head' | 'length' | 'until-close' | 'size' | 'chunk' | 'chunk-end' | 'trailer' | 'done';

/**
 * Reads one HTTP/1.1 response at a time from bytes split anywhere. Strict: bare LF in the head, two lengths,
 * a length beside chunked coding, folded headers and sloppy chunk sizes are refused, because a reader that guesses
 * turns one answer into another's.
 */
export class HttpReader {
  #handler: ResponseHandler | null = null;
  #state: State = 'done';
  /** The line at hand, as far as it came. */
  #pending = '';
  /** The lines of the head before it, and their bytes. */
  #headLines: string[] = [];
  #headBytes = 0;
  #interim = 0;
  #trailerBytes = 0;
  #left = 0;
  #keepAlive = true;

  /** Starts reading the answer to a request. */
  expect(handler: ResponseHandler): void {
    this.#handler = handler;
    this.#state = 'head';
    this.#pending = '';
    if (this.#headLines.length > 0) this.#headLines = [];
    this.#headBytes = 0;
    this.#interim = 0;
    this.#trailerBytes = 0;
  }

  get idle(): boolean {
    return this.#state === 'done';
  }

  /**
   * Takes the next bytes; throws HttpSyntaxError. Bytes after the end of the response are an error too.
   * The body in them is handed on in one piece; for that the bytes are rearranged in place, so they are spoilt afterwards.
   */
  push(bytes: Uint8Array, length: number = bytes.length): void {
    let at = 0;
    // Body bytes found so far lie together from `begin` to `end`.
    let begin = 0;
    let end = 0;
    // `taken`: the handler's `chunk` took chunks of this read, so `body` has to be called behind them. `quick`: it may take the next.
    let taken = false;
    let quick = true;
    // Whether the chunk at hand begins in this read.
    let fresh = false;
    while (at < length) {
      switch (this.#state) {
        case 'length':
        case 'chunk': {
          if (fresh && quick && this.#left <= length - at) {
            if (end > begin) this.#body(bytes, begin, end, false);
            begin = end;
            const next = this.#handler!.chunk(bytes, at, at + this.#left);
            quick = next > at;
            taken ||= quick;
            this.#left -= next - at;
            at = next;
            if (this.#left === 0) {
              this.#state = 'chunk-end';
              break;
            }
          }
          const take = Math.min(this.#left, length - at);
          if (end === begin) begin = end = at;
          if (end !== at) bytes.copyWithin(end, at, at + take);
          end += take;
          at += take;
          this.#left -= take;
          if (this.#left > 0) break;
          if (this.#state === 'chunk') this.#state = 'chunk-end';
          else {
            this.#body(bytes, begin, end, false);
            begin = end;
            this.#finish(this.#keepAlive);
          }
          break;
        }
        case 'until-close':
          this.#handler!.body(bytes.subarray(at, length));
          return;
        case 'done':
          throw new HttpSyntaxError('bytes that belong to no request');
        case 'trailer':
          this.#body(bytes, begin, end, taken);
          begin = end;
          taken = false;
          at = this.#lastLine(bytes, at, length) ?? this.#line(bytes, at, length);
          break;
        case 'head':
          at = this.#sameHead(bytes, at, length) ?? this.#line(bytes, at, length);
          break;
        default:
          at = this.#chunkLine(bytes, at, length) ?? this.#line(bytes, at, length);
          fresh = true;
      }
    }
    this.#body(bytes, begin, end, taken);
  }

  #body(bytes: Uint8Array, begin: number, end: number, taken: boolean): void {
    if (end > begin) this.#handler!.body(bytes.subarray(begin, end));
    else if (taken) this.#handler!.body(nothing);
  }

  /** The CRLF after a chunk and the size of the next, where they lie whole in this read; null = take the long way. */
  #chunkLine(bytes: Uint8Array, from: number, length: number): number | null {
    if (this.#pending !== '') return null;
    let at = from;
    if (this.#state === 'chunk-end') {
      if (at + 1 >= length || bytes[at] !== CR || bytes[at + 1] !== LF) return null;
      this.#state = 'size';
      return at + 2;
    }
    if (this.#state !== 'size') return null;
    let size = 0;
    for (; at < length && at - from < 8; at++) {
      const digit = hexDigits[bytes[at]!]!;
      if (digit === 16) break;
      size = size * 16 + digit;
    }
    if (at === from || at + 1 >= length || bytes[at] !== CR || bytes[at + 1] !== LF) return null;
    this.#left = size;
    this.#state = size === 0 ? 'trailer' : 'chunk';
    return at + 2;
  }

  /** The empty line that ends the trailers, where it lies whole in this read; null = take the long way. */
  #lastLine(bytes: Uint8Array, at: number, length: number): number | null {
    if (this.#pending !== '' || at + 1 >= length || bytes[at] !== CR || bytes[at + 1] !== LF) return null;
    this.#finish(this.#keepAlive);
    return at + 2;
  }

  /** The peer closed its side. True when that is a proper end of the response under way. */
  close(): boolean {
    if (this.#state !== 'until-close') return this.#state === 'done';
    this.#finish(false);
    return true;
  }

  /** The line-shaped parts: head, chunk sizes and ends, trailers. Each ends in CRLF. */
  #line(bytes: Uint8Array, at: number, length: number): number {
    const found = bytes.indexOf(LF, at);
    // The buffer may hold bytes of an earlier read behind this one's.
    const lf = found < length ? found : -1;
    const end = lf === -1 ? length : lf + 1;
    const before = this.#pending.length;
    this.#pending += latin1(bytes, at, end);
    const limit = this.#state === 'head' ? maxHeadBytes : maxLineBytes;
    if (this.#headBytes + this.#pending.length > limit)
      throw new HttpSyntaxError(`a ${this.#state} of more than ${limit} bytes`);
    const isFirst = this.#state === 'head' && this.#headBytes === 0;
    if (isFirst && before < httpPrefix.length && !startsLikeHttp(this.#pending)) {
      throw new HttpSyntaxError(`status line "${this.#pending.slice(0, 60)}"`);
    }
    if (lf === -1) return end;
    if (!this.#pending.endsWith('\r\n')) throw new HttpSyntaxError('a line that does not end in CRLF');
    const line = this.#pending.slice(0, -2);
    this.#pending = '';
    if (this.#state === 'head') this.#headLine(line);
    else this.#framing(line);
    return end;
  }

  /** A head is put together from its lines when the last has come: it costs its length, however many lines it has. */
  #headLine(line: string): void {
    if (line !== '') {
      this.#headLines.push(line);
      this.#headBytes += line.length + 2;
      return;
    }
    if (this.#headBytes === 0) throw new HttpSyntaxError('an empty line where a response should begin');
    const lines = this.#headLines;
    this.#headLines = [];
    this.#headBytes = 0;
    this.#head(lines);
  }

  #framing(line: string): void {
    if (this.#state === 'size') {
      const size = chunkSize.exec(line)?.[1];
      if (size === undefined) throw new HttpSyntaxError(`chunk size "${line.slice(0, 40)}"`);
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    } else if (this.#state === 'chunk-end') {
      if (line !== '') throw new HttpSyntaxError('a chunk longer than its size');
      this.#state = 'size';
    } else {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > maxTrailerBytes) throw new HttpSyntaxError('trailers without end');
      if (line === '') this.#finish(this.#keepAlive);
      else if (!headerLine.test(line)) throw new HttpSyntaxError(`trailer line "${line.slice(0, 60)}"`);
    }
  }

  /** A head that is the last one again, byte for byte, and lies whole in this read; null = take the long way. */
  #sameHead(bytes: Uint8Array, from: number, length: number): number | null {
    const before = lastHead;
    if (before === null || this.#pending !== '' || this.#headBytes > 0) return null;
    const end = before.bytes.match(bytes, from, length);
    if (end === -1) return null;
    this.#enter(before);
    return end;
  }

  #head(lines: readonly string[]): void {
    const head = readHead(lines);
    // Answers of one server mostly have the same head, to the second in its Date.
    if (head.status >= 200) lastHead = head;
    this.#enter(head);
  }

  #enter(head: KnownHead): void {
    const { status, body } = head;
    // 100 Continue and its kind only announce; the answer proper follows.
    if (status < 200) {
      if (status === 101) throw new HttpSyntaxError('a protocol switch nobody asked for');
      if (++this.#interim > maxInterim) throw new HttpSyntaxError('announcements without end');
      return;
    }
    this.#keepAlive = head.keepAlive;
    this.#handler!.head(head);
    if (body === 'chunked') this.#state = 'size';
    else if (body === 'until-close') this.#state = 'until-close';
    else if (body === 0) this.#finish(this.#keepAlive);
    else {
      this.#left = body;
      this.#state = 'length';
    }
  }

  #finish(reusable: boolean): void {
    const handler = this.#handler!;
    this.#state = 'done';
    this.#handler = null;
    handler.end(reusable);
  }
}

/** A head that was read, with what follows from it. */
interface KnownHead extends ResponseHead {
  /** As it stood on the wire, with the empty line. */
  bytes: KnownBytes;
  keepAlive: boolean;
  body: number | 'chunked' | 'until-close';
}

/** The head that was read last. */
let lastHead: KnownHead | null = null;

function readHead(lines: readonly string[]): KnownHead {
  const start = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\u0000-\u0008\u000a-\u001f]*)?$/.exec(lines[0]!);
  if (start === null) throw new HttpSyntaxError(`status line "${lines[0]!.slice(0, 60)}"`);
  const status = Number(start[2]);
  const headers = readHeaders(lines.slice(1));
  const connection = headers.get('connection')?.toLowerCase() ?? '';
  return {
    status,
    headers,
    bytes: new KnownBytes(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')),
    // Chunks came with 1.1: from an older server they may have passed somebody who did not understand them.
    keepAlive:
      start[1] === '1'
        ? !/\bclose\b/.test(connection)
        : /\bkeep-alive\b/.test(connection) && !headers.has('transfer-encoding'),
    // A head that only announces has no body to be measured.
    body: status < 200 ? 0 : bodyLength(status, headers),
  };
}

/** Whether the beginning of a head, however short, can become one: what speaks another protocol is told at once. */
function startsLikeHttp(beginning: string): boolean {
  return (
    beginning.startsWith(httpPrefix) || httpPrefix.startsWith(beginning) || beginning === '\r' || beginning === '\r\n'
  );
}

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const match = headerLine.exec(line);
    if (match === null) throw new HttpSyntaxError(`header line "${line.slice(0, 60)}"`);
    const name = match[1]!.toLowerCase();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? match[2]! : `${earlier}, ${match[2]!}`);
  }
  return headers;
}

function bodyLength(status: number, headers: ReadonlyMap<string, string>): number | 'chunked' | 'until-close' {
  const coding = headers.get('transfer-encoding');
  const length = headers.get('content-length');
  // These have no body whatever else their head says.
  if (status === 204 || status === 304) return 0;
  if (coding !== undefined) {
    if (length !== undefined) throw new HttpSyntaxError('both Content-Length and Transfer-Encoding');
    if (coding.toLowerCase() !== 'chunked') throw new HttpSyntaxError(`transfer coding "${coding.slice(0, 40)}"`);
    return 'chunked';
  }
  if (length === undefined) return 'until-close';
  if (!/^\d{1,15}$/.test(length)) throw new HttpSyntaxError(`Content-Length "${length.slice(0, 40)}"`);
  return Number(length);
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
}
