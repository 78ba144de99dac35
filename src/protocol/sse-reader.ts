/** Largest event taken; a larger one is the sign of a server gone wrong, not of an answer. */
const maxEventBytes = 32 * 1024 * 1024;

const LF = 10;
const CR = 13;

/**
 * Cuts a server-sent-event stream into the `data` of its events, whatever the reads it came in.
 * Takes LF, CRLF and CR line ends, comments, a byte order mark, several data lines per event;
 * an event without a final blank line is given by `end`.
 */
export class SseReader {
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Bytes of a line that is not finished yet. */
  #partial: Uint8Array[] = [];
  #partialBytes = 0;
  #afterCr = false;
  #first = true;
  #data: string[] = [];

  /** The data of every event that these bytes complete. */
  push(bytes: Uint8Array): string[] {
    const events: string[] = [];
    let start = 0;
    if (this.#afterCr && bytes.length > 0) {
      // The CR that ended the last read may be half of a CRLF.
      this.#afterCr = false;
      if (bytes[0] === LF) start = 1;
    }
    const hasCr = bytes.includes(CR);
    for (;;) {
      const end = lineEnd(bytes, start, hasCr);
      if (end === -1) break;
      this.#line(this.#take(bytes.subarray(start, end)), events);
      start = end + 1;
      if (bytes[end] === CR) {
        if (start === bytes.length) this.#afterCr = true;
        else if (bytes[start] === LF) start++;
      }
    }
    if (start < bytes.length) {
      this.#partial.push(bytes.slice(start));
      this.#partialBytes += bytes.length - start;
      if (this.#partialBytes > maxEventBytes) throw new RangeError(`an event of more than ${maxEventBytes} bytes`);
    }
    return events;
  }

  /** The event that was under way when the stream ended, if any. */
  end(): string[] {
    const events: string[] = [];
    if (this.#partialBytes > 0) this.#line(this.#take(new Uint8Array(0)), events);
    this.#line('', events);
    return events;
  }

  #take(tail: Uint8Array): string {
    if (this.#partialBytes === 0) return this.#decoder.decode(tail);
    const whole = new Uint8Array(this.#partialBytes + tail.length);
    let at = 0;
    for (const piece of this.#partial) {
      whole.set(piece, at);
      at += piece.length;
    }
    whole.set(tail, at);
    this.#partial = [];
    this.#partialBytes = 0;
    return this.#decoder.decode(whole);
  }

  #line(raw: string, events: string[]): void {
    let line = raw;
    if (this.#first) {
      this.#first = false;
      if (line.charCodeAt(0) === 0xfeff) line = line.slice(1);
    }
    if (line === '') {
      if (this.#data.length > 0) events.push(this.#data.length === 1 ? this.#data[0]! : this.#data.join('\n'));
      this.#data = [];
    } else if (line.startsWith('data:')) {
      this.#data.push(line.charCodeAt(5) === 32 ? line.slice(6) : line.slice(5));
    } else if (line === 'data') {
      this.#data.push('');
    }
    // Comments (":…") and other fields (event, id, retry) carry nothing that we measure.
  }
}

/** Where the next line ends. Streams without a CR, nearly all of them, take the fast search. */
function lineEnd(bytes: Uint8Array, from: number, hasCr: boolean): number {
  if (!hasCr) return bytes.indexOf(LF, from);
  for (let at = from; at < bytes.length; at++) if (bytes[at] === LF || bytes[at] === CR) return at;
  return -1;
}
