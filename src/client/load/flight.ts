import { problem } from '../../core/index.ts';
import type { Ask, Ended, Outcome, Problem, Scrub, Timeouts } from '../../core/index.ts';
import type { Listener, Protocol } from '../protocol/index.ts';
import type { RequestTransport, Taken } from './request-transport.ts';
import type { ConnectionClient } from './connection.ts';
import { contentDecoder } from './content-decoder.ts';
import type { ContentDecoder, DecodedClient } from './content-decoder.ts';
import type { LazyRecord } from './lazy-record.ts';
import { HeardAnswer } from './heard-answer.ts';
import type { StampPlace } from './heard-answer.ts';
import type { HeldBytes, Holder } from './held-bytes.ts';
import type { ResponseHead } from './http-reader.ts';
import type { Placed } from './swap-remove-list.ts';
import { openingOf, strangeAnswer } from './opening.ts';
import { contentCoding, refusal, refusalMs, RefusalWords } from './refusal.ts';
import type { ServerClock } from './server-clock.ts';
import { currentRead, readAt, stampAt } from './current-read.ts';

/** What a flight needs to know that is the same for the whole run. */
export interface FlightSettings extends StampPlace {
  protocol: Protocol;
  timeouts: Timeouts;
  keepText: boolean;
  /** Takes secrets of this side out of what the server says. */
  scrub: Scrub;
  serverClock: ServerClock;
  /** What all answers of this thread hold together. */
  held: HeldBytes;
  /** Bytes came, or a stream was opened. */
  touched(): void;
}

/** A server that closes so many connections on one request will not take it; the connect timeout may say so earlier. */
const mostRedials = 32;

/** A complete answer whose body has not ended waits so long for that end, which frees its connection for the next request. */
const lingerMs = 100;
/** No model writes so much text in one answer: what is beyond it counts as held bytes. */
const plainBytes = 1024 * 1024;

/** One ask on its way: hears its connection, watches its timeouts, and ends in exactly one record. */
export class Flight implements ConnectionClient, DecodedClient, LazyRecord, Holder, Placed {
  readonly #ask: Ask;
  readonly #settings: FlightSettings;
  #connection: RequestTransport;
  /** Kept until the answer begins: after that nobody asks again. */
  #request: string;
  readonly #redial: () => Taken;
  readonly #hurry: (atMs: number) => void;
  readonly #ended: (reusable: boolean) => void;
  readonly #dueMs: number;
  readonly #sentMs: number;
  readonly warmup: boolean;
  /** Where it stands in the list of its phase. */
  place = -1;
  readonly #inputChars: number;
  /** A conversation goes on with what was said, so its answers are kept whatever the plan says. */
  readonly #keepsText: boolean;
  #connecting: boolean;
  #connectMs: number | null = null;
  #firstByteMs: number | null = null;
  /** NaN and not null at first, because V8 keeps a field that was null once as a reference and would make an object of each time. */
  #lastReadMs = NaN;
  #status: number | null = null;
  #listener: Listener | null = null;
  /** The answer is a refusal, and this is what it says; null = it may be an answer. */
  #refused: RefusalWords | null = null;
  /** Until then a refusal or a complete answer may still end by itself; Infinity = there is none. */
  #patientUntilMs = Infinity;
  /** How the answer is packed; null = it is not. */
  #coding: string | null = null;
  #decoder: ContentDecoder | null = null;
  /** The body has ended, and is still being unpacked. */
  #hasEnded = false;
  /** Beginning of a body in which no event was found yet; null = no byte has come, '' = it begins like an answer. */
  #opening: string | null = null;
  readonly #heard: HeardAnswer;
  #over = false;
  /** How it ended, once it is over. */
  outcome: Outcome = 'cancelled';
  #why: Problem | null = null;
  #endMs = 0;
  #record: Ended | null = null;
  #attempts = 1;

  constructor(parts: {
    ask: Ask;
    request: string;
    settings: FlightSettings;
    connection: RequestTransport;
    fresh: boolean;
    dueMs: number;
    nowMs: number;
    warmup: boolean;
    inputChars: number;
    /** A new connection in place of one that went stale. */
    redial: () => Taken;
    /** Its timeouts must be checked at that time, which is earlier than `safeUntilMs` said. */
    hurry: (atMs: number) => void;
    ended: (reusable: boolean) => void;
  }) {
    this.#ask = parts.ask;
    this.#settings = parts.settings;
    this.#connection = parts.connection;
    this.#request = parts.request;
    this.#redial = parts.redial;
    this.#hurry = parts.hurry;
    this.#ended = parts.ended;
    this.#dueMs = parts.dueMs;
    this.#sentMs = parts.nowMs;
    this.#lastReadMs = parts.nowMs;
    this.warmup = parts.warmup;
    this.#inputChars = parts.inputChars;
    this.#keepsText = parts.settings.keepText || parts.ask.prompt.follow !== undefined;
    this.#heard = new HeardAnswer(parts.settings, this.#keepsText);
    this.#connecting = parts.fresh;
  }

  /** Writes the request; to be called once its owner can take its end. */
  depart(): void {
    this.#connection.send(this.#request, this);
    this.#settings.touched();
  }

  get connection(): RequestTransport {
    return this.#connection;
  }

  connected(atMs: number): void {
    this.#connecting = false;
    this.#connectMs = atMs - this.#sentMs;
    this.#lastReadMs = atMs;
  }

  touched(): void {
    this.#settings.touched();
    this.#firstByteMs ??= currentRead[readAt]!;
    this.#lastReadMs = currentRead[readAt]!;
  }

  head(head: ResponseHead): void {
    this.#status = head.status;
    this.#settings.serverClock.saw(head.headers.get('date'));
    this.#request = '';
    const contentType = head.headers.get('content-type') ?? '';
    const coding = (this.#coding = contentCoding(head));
    if (coding !== null) this.#decoder = contentDecoder(coding, this);
    const refused =
      refusal(head) ??
      (coding !== null && this.#decoder === null
        ? problem('malformed-stream', `Content-Encoding: ${coding}, though identity was asked for`, head.status)
        : null);
    if (refused !== null) {
      this.#refused = new RefusalWords(refused);
      return this.#expectEnd(this.#lastReadMs + refusalMs);
    }
    const { stamp } = this.#settings;
    const { generation, prompt } = this.#ask;
    const choices = Number(prompt.body?.['n'] ?? generation.body['n'] ?? 1);
    const asked = { stream: generation.stream, contentType, promptText: prompt.text, choices };
    const shape = stamp === undefined ? asked : { ...asked, stamp };
    this.#heard.streamed = this.#settings.protocol.streams(shape);
    this.#listener = this.#settings.protocol.listen(shape);
  }

  body(bytes: Uint8Array): void {
    if (this.#over) return;
    if (this.#decoder === null) return this.#hear(bytes);
    this.#decoder.push(bytes, this.#lastReadMs);
    this.#settings.held.tell(this);
  }

  /** For the decoder. */
  decoded(bytes: Uint8Array, atMs: number): void {
    if (this.#over) return;
    this.#lastReadMs = atMs;
    this.#hear(bytes);
  }

  /** For the decoder. */
  undecodable(words: string): void {
    const code = /unexpected end/i.test(words) ? 'truncated-stream' : 'malformed-stream';
    this.#abandon(problem(code, `Content-Encoding ${this.#coding}: ${words}`, this.#status), this.#lastReadMs);
  }

  #hear(bytes: Uint8Array): void {
    if (this.#refused !== null) {
      if (!this.#refused.hear(bytes)) this.#abandon(this.#refused.problem, this.#lastReadMs);
      return;
    }
    const heard = this.#heard;
    const atMs = this.#lastReadMs;
    heard.enterPieces(atMs);
    if (this.#opening !== '' && !this.#heard.hasOutput) this.#opening = openingOf(this.#opening ?? '', bytes);
    // An HTML page is no answer; its end is not awaited, because it may have none.
    if (this.#opening?.startsWith('<') === true) return this.#abandon(strangeAnswer(this.#opening, this.#status), atMs);
    const listener = this.#listener!;
    // An event without a stamp must not get that of the event before it.
    currentRead[stampAt] = NaN;
    heard.take(listener.hear(bytes), atMs, this.#status);
    // Nothing that follows an error can mend the answer; the connection is in an unknown state.
    if (heard.problem !== null) return this.#abandon(heard.problem, atMs);
    this.#settings.held.tell(this);
    if (listener.complete === true) this.#expectEnd(this.#lastReadMs + lingerMs);
  }

  get heldBytes(): number {
    const said = Math.max(0, this.#heard.bytes - plainBytes);
    return (this.#listener?.heldBytes ?? 0) + (this.#decoder?.heldBytes ?? 0) + said;
  }

  overburdened(mostBytes: number): void {
    const words = `all answers together held more than ${mostBytes / 1024 / 1024} MiB, this one most`;
    this.#heard.forgetText();
    this.#abandon(problem('answer-too-large', words, this.#status), this.#lastReadMs);
  }

  /** The body should end by itself; where it has not by then, it is ended here. */
  #expectEnd(atMs: number): void {
    if (this.#hasEnded) return;
    this.#patientUntilMs = atMs;
    this.#hurry(atMs);
  }

  chunk(buffer: Uint8Array, from: number, to: number): number {
    if (this.#over || this.#refused !== null || this.#decoder !== null) return from;
    const at = this.#listener!.parseFast?.(buffer, from, to, this.#heard) ?? from;
    if (this.#heard.bytes > plainBytes) this.#settings.held.tell(this);
    return at;
  }

  end(reusable: boolean, atMs: number): void {
    if (this.#over) return;
    if (this.#decoder === null) return this.#bodyEnded(reusable, atMs);
    this.#hasEnded = true;
    this.#patientUntilMs = Infinity;
    this.#decoder.end(() => this.#bodyEnded(reusable, atMs));
  }

  #bodyEnded(reusable: boolean, atMs: number): void {
    if (this.#over) return;
    const why = this.#refused?.problem ?? this.#closed(atMs);
    this.#finishWith(why === null ? 'ok' : 'failed', why, atMs, reusable);
  }

  /** What is wrong with an answer whose body has ended; null = nothing. */
  #closed(atMs: number): Problem | null {
    const heard = this.#heard;
    this.#lastReadMs = atMs;
    heard.take(this.#listener!.close(), atMs, this.#status);
    // Of a body that holds nothing of an answer, its first words explain more than its missing end does.
    if (heard.problem !== null && heard.isEmpty && this.#opening !== '')
      return strangeAnswer(this.#opening ?? '', this.#status);
    heard.checkOutput();
    return heard.problem;
  }

  broke(why: Problem, atMs: number): void {
    if (this.#over) return;
    this.#finishWith('failed', this.#refused?.problem ?? why, atMs, false);
  }

  /** Asks again on another connection; the time lost stays in the latency, and the attempt is counted. */
  stale(atMs: number): void {
    if (this.#over) return;
    const { connectMs } = this.#settings.timeouts;
    if (this.#attempts > mostRedials || atMs - this.#sentMs >= (connectMs ?? Infinity)) {
      const why = `the server closed ${this.#attempts} connections one after the other without taking the request`;
      return this.#finishWith('failed', problem('reset', why), atMs, false);
    }
    this.#attempts++;
    const { connection, fresh } = this.#redial();
    this.#connecting = fresh;
    this.#lastReadMs = atMs;
    this.#connection = connection;
    this.depart();
  }

  /** Ends the flight if one of its timeouts has passed; the earliest one is the cause. */
  checkTimeouts(nowMs: number): void {
    // Makes no objects, because it may run fifty times a second for every flight.
    if (nowMs >= this.#patientUntilMs) return this.#endUnended(nowMs);
    const { connectMs, ttftMs, readMs, totalMs } = this.#settings.timeouts;
    let code: 'connect-timeout' | 'timeout-ttft' | 'timeout-read' | 'timeout-total' | null = null;
    let earliest = nowMs;
    const openMs = this.#connecting ? connectMs : readMs;
    const openFrom = this.#connecting ? this.#sentMs : this.#lastReadMs;
    if (openMs !== null && openFrom + openMs <= earliest) {
      earliest = openFrom + openMs;
      code = this.#connecting ? 'connect-timeout' : 'timeout-read';
    }
    const waitsForOutput = this.#ask.generation.stream && !this.#heard.hasOutput;
    if (waitsForOutput && ttftMs !== null && this.#sentMs + ttftMs <= earliest) {
      earliest = this.#sentMs + ttftMs;
      code = 'timeout-ttft';
    }
    if (totalMs !== null && this.#sentMs + totalMs <= earliest) code = 'timeout-total';
    if (code === null) return;
    const given = problem(code, `given up after ${Math.round(nowMs - this.#sentMs)} ms`, this.#status);
    this.#abandon(this.#refused?.problem ?? given, nowMs);
  }

  /** Ends a flight whose refusal or answer is complete, though the server has not ended the body. */
  #endUnended(nowMs: number): void {
    if (this.#refused !== null) return this.#abandon(this.#refused.problem, nowMs);
    const heard = this.#heard;
    // The listener of a complete stream is not closed, because it would call half an event behind the end malformed.
    if (heard.streamed) heard.checkOutput();
    const why = heard.streamed ? heard.problem : this.#closed(this.#lastReadMs);
    this.#connection.destroy();
    this.#finishWith(why === null ? 'ok' : 'failed', why, this.#lastReadMs, false);
  }

  /** Before this none of its timeouts can pass, whatever comes meanwhile. */
  get safeUntilMs(): number {
    const { connectMs, ttftMs, readMs, totalMs } = this.#settings.timeouts;
    const sentMs = this.#sentMs;
    // Before the first byte it may have to connect again, and the connect timeout counts from the send.
    const begun = this.#firstByteMs !== null;
    let safeMs = begun
      ? this.#lastReadMs + (readMs ?? Infinity)
      : sentMs + Math.min(connectMs ?? Infinity, readMs ?? Infinity);
    if (ttftMs !== null && this.#ask.generation.stream && !this.#heard.hasOutput)
      safeMs = Math.min(safeMs, sentMs + ttftMs);
    return Math.min(safeMs, this.#patientUntilMs, sentMs + (totalMs ?? Infinity));
  }

  /** Ends the flight because the run is over. */
  cancel(nowMs: number): void {
    if (this.#over) return;
    this.#connection.destroy();
    this.#finishWith('cancelled', problem('cancelled'), nowMs, false);
  }

  #abandon(why: Problem, atMs: number): void {
    if (this.#over) return;
    this.#connection.destroy();
    this.#finishWith('failed', why, atMs, false);
  }

  #finishWith(outcome: Outcome, why: Problem | null, atMs: number, reusable: boolean): void {
    this.#over = true;
    this.#decoder?.close();
    // The bytes kept of the wire are freed now; the answer is freed when its record is taken.
    this.#decoder = null;
    this.#listener = null;
    this.#heard.enterPieces(this.#lastReadMs);
    this.#settings.held.end(this);
    this.outcome = outcome;
    this.#why = why;
    this.#endMs = atMs;
    this.#ended(reusable);
  }

  record(): Ended {
    return (this.#record ??= this.#makeRecord());
  }

  #makeRecord(): Ended {
    const { prompt, seq } = this.#ask;
    const { scrub, held } = this.#settings;
    held.leave(this);
    const heard = this.#heard.read();
    const { usage, text, reasoning } = heard;
    return {
      exchange: {
        seq,
        promptId: prompt.id,
        labels: prompt.labels,
        warmup: this.warmup,
        dueMs: this.#dueMs,
        sentMs: this.#sentMs,
        connectMs: this.#connectMs,
        firstByteMs: this.#firstByteMs,
        chunks: heard.chunks,
        endMs: this.#endMs,
        inputTokens: { planned: prompt.inputTokens, server: usage?.input ?? null, client: null },
        outputTokens: { planned: prompt.maxTokens, server: usage?.output ?? null, client: null },
        cachedTokens: usage?.cached ?? null,
        reasoningTokens: usage?.reasoning ?? null,
        inputChars: this.#inputChars,
        outputChars: heard.outputChars,
        finish: heard.finish === null ? null : scrub(heard.finish),
        httpStatus: this.#status,
        attempts: this.#attempts,
        ...(heard.steps !== null && { serverSteps: heard.steps }),
        ...(heard.times !== null && { serverTimes: heard.times }),
        outcome: this.outcome,
        problem: scrubbed(this.#why, scrub),
      },
      answer: this.#keepsText ? { seq, text: scrub(text), reasoning: scrub(reasoning) } : null,
    };
  }
}

function scrubbed(why: Problem | null, scrub: Scrub): Problem | null {
  return why === null || why.words === null ? why : { ...why, words: scrub(why.words) };
}
