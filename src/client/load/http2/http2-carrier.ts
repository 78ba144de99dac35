import { constants } from 'node:http2';
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { problem } from '../../../core/index.ts';
import type { RequestTransport } from '../request-transport.ts';
import type { ConnectionClient } from '../connection.ts';
import type { Http2Connection } from './connection.ts';
import type { RequestParts } from './request-parts.ts';
import { streamProblem } from './stream-problem.ts';
import { currentRead, readAt } from '../current-read.ts';

/** One request as a stream of a shared connection. Every DATA frame is stamped as node:http2 hands it on. */
export class Http2Carrier implements RequestTransport {
  readonly hostHeader: string;
  #stream: ClientHttp2Stream | null = null;
  #client: ConnectionClient | null = null;
  #answered = false;
  /** The server has said all of the answer. */
  #ended = false;
  #endMs: number | null = null;
  #id = 0;
  #bytesReadBefore = 0;
  /** Data that came in one read with the head: node:http2 tells of the head a moment after it. */
  readonly #early: { bytes: Buffer; atMs: number }[] = [];

  constructor(
    private readonly line: Http2Connection,
    hostHeader: string,
    private readonly parts: (request: string) => RequestParts,
  ) {
    this.hostHeader = hostHeader;
    line.streams++;
  }

  send(request: string, client: ConnectionClient): void {
    this.#client = client;
    if (this.line.open) return this.#begin(request);
    this.line.ready(() => {
      if (this.#client === null) return;
      if (this.line.open) client.connected(this.line.nowMs);
      this.#begin(request);
    });
  }

  destroy(): void {
    if (this.#client !== null && !this.#answered) this.line.distrust(this.#bytesReadBefore);
    this.#leave();
    this.#client = null;
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }

  #isWhole(rstCode: number): boolean {
    return this.#answered && this.#ended && rstCode === constants.NGHTTP2_NO_ERROR && this.line.blame === null;
  }

  #hear(bytes: Uint8Array, atMs: number): void {
    currentRead[readAt] = atMs;
    this.#client?.touched();
    this.#client?.body(bytes);
  }

  #begin(request: string): void {
    const { headers, body } = this.parts(request);
    const stream = this.line.request(headers);
    if (stream === null) return this.#gone();
    this.#stream = stream;
    this.#bytesReadBefore = this.line.bytesRead;
    // On an open connection the stream has its id at once, and no `ready` follows.
    this.#number(stream);
    stream.on('ready', () => this.#number(stream));
    stream.on('response', (incoming) => {
      const head = headOf(incoming);
      // As over HTTP/1.1, where such a line is no status line.
      if (head.status > 599) return this.#refuse(`status ${head.status}`);
      this.#answered = true;
      currentRead[readAt] = this.#early[0]?.atMs ?? this.line.heard();
      this.#client?.touched();
      this.#client?.head(head);
      for (const { bytes, atMs } of this.#early.splice(0)) this.#hear(bytes, atMs);
    });
    stream.on('data', (bytes: Buffer) => {
      const atMs = this.line.heard();
      if (!this.#answered) {
        this.#early.push({ bytes, atMs });
        return;
      }
      this.#hear(bytes, atMs);
    });
    stream.on('end', () => {
      this.#ended = true;
      this.#endMs = this.line.nowMs;
    });
    // The close event, which always follows, says what the error means.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_HTTP2_STREAM_ERROR') this.line.failed(error);
    });
    stream.on('frameError', () => setImmediate(() => this.line.standStill()));
    stream.on('close', () => {
      if (this.#isWhole(stream.rstCode)) return this.#close(stream.rstCode);
      // What became of the connection, an error or a GOAWAY, is told after it has closed the streams.
      this.#endMs ??= this.line.nowMs;
      setImmediate(() => this.#close(stream.rstCode));
    });
    stream.end(body);
  }

  /** The answer is none: nothing more of it is heard. */
  #refuse(words: string): void {
    const client = this.#client;
    this.#client = null;
    this.#leave();
    this.#stream?.close(constants.NGHTTP2_CANCEL);
    client?.broke(problem('malformed-http', words), this.line.heard());
  }

  #number(stream: ClientHttp2Stream): void {
    this.#id = stream.id ?? 0;
    this.line.begun = Math.max(this.line.begun, this.#id);
  }

  #close(rstCode: number): void {
    this.#leave();
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    const atMs = this.#endMs ?? this.line.nowMs;
    if (this.#isWhole(rstCode)) {
      this.line.served++;
      return client.end(true, atMs);
    }
    // After a GOAWAY without an error the server has not looked at a stream that was not begun, is beyond the last one, or was refused.
    const { goaway, lastStream, served, works } = this.line;
    const beyond = this.#id === 0 || this.#id > lastStream;
    const isRefused = beyond ? works : rstCode === constants.NGHTTP2_REFUSED_STREAM && served > 0;
    if (!this.#answered && goaway === constants.NGHTTP2_NO_ERROR && isRefused) return client.stale(atMs);
    client.broke(this.line.blame ?? streamProblem(rstCode, this.#answered, this.line.goaway), atMs);
  }

  /** The connection went away before the request could be written: told later, because whoever sends may be waiting for `send` to return. */
  #gone(): void {
    this.#leave();
    setImmediate(() => {
      const client = this.#client;
      this.#client = null;
      if (this.line.works) client?.stale(this.line.nowMs);
      else client?.broke(this.line.why, this.line.nowMs);
    });
  }

  #left = false;

  #leave(): void {
    if (!this.#left) this.line.streams--;
    this.#left = true;
  }
}

function headOf(incoming: IncomingHttpHeaders): { status: number; headers: Map<string, string> } {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(incoming)) {
    if (!name.startsWith(':') && value !== undefined)
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return { status: Number(incoming[':status']), headers };
}
