import { TooLarge } from './too-large.ts';

/** Largest event taken; a larger one is the sign of a server gone wrong, not of an answer. */
const maxEventBytes = 32 * 1024 * 1024;

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const nothing = new Uint8Array(0);
const latin1 = new TextDecoder('latin1');
const BOM = [0xef, 0xbb, 0xbf] as const;

/** Who is told of events. Buffers are only borrowed for the call. */
export interface EventHandler {
  /** The data of one event: bytes `from` to `to`; its line begins at `line` (-1 where it was put together from several). */
  event(buffer: Uint8Array, from: number, to: number, line: number): void;
  /**
   * A whole event may begin at `at`, of `length` bytes in all: the handler may take it itself, line ends included,
   * and say where the next one begins; -1 = read it for me.
   */
  whole(buffer: Uint8Array, at: number, length: number): number;
  /** The data of an event that is called `error`; what follows tells nothing more. */
  failed(words: string): void;
}

/**
 * Cuts a server-sent-event stream into the `data` of its events, whatever the reads it came in.
 * Takes LF, CRLF and CR line ends, comments, a byte order mark, several data lines per event;
 * an event without a final blank line is given by `end`.
 *
 * An event that lies whole in one read, as nearly all do, is handed on where it stands: nothing is copied or decoded.
 */
export class SseReader {
  /** Bytes of an event that is not finished yet: the first `#kept` of the buffer. */
  #carry = nothing;
  #kept = 0;
  /** Where the next line begins within the kept bytes; lines before it have been looked at. */
  #at = 0;
  /** The kept bytes, or the read, from here on belong to the event under way. */
  #begin = 0;
  /** Data of the event under way: a range, or joined bytes once it has several lines. */
  #from = -1;
  #to = -1;
  #lineFrom = -1;
  #joined: JoinedLines | null = null;
  /** The event under way is called `error`. */
  #isError = false;
  #afterCr = false;
  #first = true;

  constructor(private readonly handler: EventHandler) {}

  /** Whether an event begins with the next byte. */
  get between(): boolean {
    return this.#kept === 0 && !this.#afterCr && this.#from === -1 && this.#joined === null;
  }

  /** Bytes held of the event under way, and room for them. */
  get heldBytes(): number {
    return this.#carry.length + (this.#joined?.bytes.length ?? 0);
  }

  /** Whole events were taken before the reader saw them. */
  passed(): void {
    this.#first = false;
  }

  /** Takes the next bytes, only borrowed for the call; throws TooLarge for an event without end. */
  push(bytes: Uint8Array): void {
    if (this.#kept === 0) {
      this.#scan(bytes, bytes.length);
      this.#keep(bytes, bytes.length);
      return;
    }
    this.#append(bytes);
    // More of a line that was looked at already: looking at all of it again with every read takes its length squared.
    if (!this.#afterCr && !this.#first && !bytes.includes(LF) && !bytes.includes(CR)) return checkLength(this.#kept);
    this.#scan(this.#carry, this.#kept);
    this.#keep(this.#carry, this.#kept);
  }

  /** The stream ended: an event under way counts. */
  end(): void {
    const buffer = this.#carry;
    if (this.#at < this.#kept) this.#line(buffer, this.#at, this.#kept);
    this.#dispatch(buffer);
    this.#kept = 0;
  }

  /** Looks at every whole line. */
  #scan(buffer: Uint8Array, length: number): void {
    let at = this.#at;
    if (this.#first && !this.#skipBom(buffer, length)) return;
    if (this.#afterCr && at < length) {
      // The CR that ended the last read may be half of a CRLF.
      this.#afterCr = false;
      if (buffer[at] === LF) at++;
    }
    at = Math.max(at, this.#at);
    // Behind the carried bytes lie those of earlier events.
    const filled = length === buffer.length ? buffer : buffer.subarray(0, length);
    let lf = filled.indexOf(LF, at);
    let cr = filled.indexOf(CR, at);
    for (;;) {
      if (this.#from === -1 && this.#joined === null) {
        const next = this.handler.whole(buffer, at, length);
        if (next !== -1) {
          at = next;
          this.#begin = at;
          continue;
        }
      }
      // Each is looked for once and kept until it is passed: a stream may have lines of one kind only.
      if (lf !== -1 && lf < at) lf = filled.indexOf(LF, at);
      if (cr !== -1 && cr < at) cr = filled.indexOf(CR, at);
      if (lf === -1 && cr === -1) break;
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      if (end === at) this.#dispatch(buffer);
      else this.#line(buffer, at, end);
      at = end + 1;
      if (buffer[end] === CR) {
        if (at === length) this.#afterCr = true;
        else if (buffer[at] === LF) at++;
      }
      if (this.#from === -1 && this.#joined === null) this.#begin = at;
    }
    this.#at = at;
  }

  /** Passes over a byte order mark at the very beginning; false = not enough bytes to tell. */
  #skipBom(buffer: Uint8Array, length: number): boolean {
    let matched = 0;
    while (matched < 3 && matched < length && buffer[matched] === BOM[matched]) matched++;
    if (matched === length && length < 3) return length === 0;
    this.#first = false;
    if (matched === 3) {
      this.#at = 3;
      this.#begin = 3;
    }
    return true;
  }

  #line(buffer: Uint8Array, from: number, to: number): void {
    if (!isData(buffer, from, to)) {
      this.#isError ||= isErrorName(buffer, from, to);
      return;
    }
    // "data" alone is an empty line of data; one blank after the colon is not part of it.
    let start = Math.min(to, from + 5);
    if (buffer[start] === SPACE && start < to) start++;
    if (this.#joined !== null) this.#joined.add(buffer, start, to);
    else if (this.#from === -1) {
      this.#from = start;
      this.#to = to;
      this.#lineFrom = from;
    } else {
      this.#joined = new JoinedLines(buffer, this.#from, this.#to);
      this.#joined.add(buffer, start, to);
    }
  }

  #dispatch(buffer: Uint8Array): void {
    const joined = this.#joined;
    if (this.#isError) this.#fail(buffer);
    else if (joined !== null) this.handler.event(joined.bytes, 0, joined.length, -1);
    else if (this.#from !== -1) this.handler.event(buffer, this.#from, this.#to, this.#lineFrom);
    this.#joined = null;
    this.#from = -1;
    this.#to = -1;
    this.#isError = false;
  }

  #fail(buffer: Uint8Array): void {
    const joined = this.#joined;
    const data = joined === null ? buffer.subarray(this.#from, this.#to) : joined.bytes.subarray(0, joined.length);
    // An event without data is none, whatever its name.
    if (joined !== null || this.#from !== -1) this.handler.failed(new TextDecoder().decode(data));
  }

  /** Moves what is not finished to the front of the carry buffer. */
  #keep(buffer: Uint8Array, length: number): void {
    const begin = this.#begin;
    const left = length - begin;
    checkLength(left);
    if (left > 0) {
      if (buffer !== this.#carry) {
        this.#room(left);
        this.#carry.set(buffer.subarray(begin, length));
      } else if (begin > 0) buffer.copyWithin(0, begin, length);
    }
    this.#kept = left;
    this.#at -= begin;
    if (this.#from !== -1) {
      this.#from -= begin;
      this.#to -= begin;
      this.#lineFrom -= begin;
    }
    this.#begin = 0;
  }

  #append(bytes: Uint8Array): void {
    this.#room(this.#kept + bytes.length);
    this.#carry.set(bytes, this.#kept);
    this.#kept += bytes.length;
  }

  #room(bytes: number): void {
    if (this.#carry.length >= bytes) return;
    const larger = new Uint8Array(Math.max(bytes, this.#carry.length * 2, 1024));
    larger.set(this.#carry.subarray(0, this.#kept));
    this.#carry = larger;
  }
}

function checkLength(bytes: number): void {
  if (bytes > maxEventBytes) throw new TooLarge('an event', maxEventBytes);
}

/** Whether a line is `data`, or begins with `data:`; comments and other fields carry nothing that we measure. */
function isData(buffer: Uint8Array, from: number, to: number): boolean {
  return (
    buffer[from] === 100 &&
    buffer[from + 1] === 97 &&
    buffer[from + 2] === 116 &&
    buffer[from + 3] === 97 &&
    (to === from + 4 || (to > from + 4 && buffer[from + 4] === COLON))
  );
}

/** Whether a line names its event `error`. */
function isErrorName(buffer: Uint8Array, from: number, to: number): boolean {
  return to - from < 16 && buffer[from] === 101 && /^event: ?error$/.test(latin1.decode(buffer.subarray(from, to)));
}

/** The data lines of one event, joined by LF. */
class JoinedLines {
  bytes: Uint8Array;
  length = 0;

  constructor(buffer: Uint8Array, from: number, to: number) {
    this.bytes = buffer.slice(from, to);
    this.length = to - from;
  }

  add(buffer: Uint8Array, from: number, to: number): void {
    const length = this.length + 1 + to - from;
    if (length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.bytes.length * 2));
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.length] = LF;
    this.bytes.set(buffer.subarray(from, to), this.length + 1);
    this.length = length;
  }
}
