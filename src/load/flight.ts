import { problem } from '../core/index.ts';
import type {
  Ask,
  Ended,
  Outcome,
  OutputKind,
  Problem,
  Scrub,
  ServerSteps,
  ServerTimes,
  Timeouts,
} from '../core/index.ts';
import type { Ear, Heard, Listener, Protocol, ServerStamp, TextPlace } from '../protocol/index.ts';
import type { Carrier, Taken } from './carrier.ts';
import type { ConnectionClient } from './connection.ts';
import { ChunkLog } from './chunk-log.ts';
import type { Ending } from './ending.ts';
import type { ResponseHead } from './http-reader.ts';
import type { Placed } from './placed-list.ts';
import { refusal, refusalBytes, refusedWith } from './refusal.ts';
import { SaidText } from './said-text.ts';
import type { ServerClock } from './server-clock.ts';
import { moment, readAt, stampAt } from './moment.ts';
import { foreignStampMs, stampMsIn } from './stamp.ts';

/** What a flight needs to know that is the same for the whole run. */
export interface FlightSettings {
  protocol: Protocol;
  timeouts: Timeouts;
  keepText: boolean;
  /** Takes secrets of this side out of what the server says. */
  scrub: Scrub;
  /** Zero of the run's clock on the clock that a stamped server reads, to place its times on ours. */
  originNs: bigint;
  /** How the server stamps; absent = as servers made for this tool do, where it does. */
  stamp?: ServerStamp;
  serverClock: ServerClock;
}

/** A server that closes so many connections on one request will not take it; the connect timeout may say so earlier. */
const mostRedials = 32;

/** One ask on its way: hears its connection, watches its timeouts, and ends in exactly one record. */
export class Flight implements ConnectionClient, Ear, Ending, Placed {
  readonly #ask: Ask;
  readonly #settings: FlightSettings;
  #connection: Carrier;
  /** Kept until the answer begins: after that nobody asks again. */
  #request: string;
  readonly #redial: () => Taken;
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
  /** A number from the beginning: a place that was empty once holds references, and each time of a read would be a new object. */
  #lastReadMs = NaN;
  #status: number | null = null;
  #listener: Listener | null = null;
  #streamed = false;
  #refused = '';
  #refusing = false;
  #problem: Problem | null = null;
  readonly #chunks = new ChunkLog();
  readonly #answer: SaidText;
  /** Reasoning; tool calls count as part of the answer. */
  #reasoning: SaidText | null = null;
  /** Events heard in the read at hand, of one kind, that stand in no entry of the chunks yet. */
  #pieces = 0;
  #piecesOf: OutputKind = 'answer';
  #usage: Extract<Heard, { kind: 'usage' }> | null = null;
  #finish: string | null = null;
  #steps: ServerSteps | null = null;
  #times: ServerTimes | null = null;
  #heardOutput = false;
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
    connection: Carrier;
    fresh: boolean;
    dueMs: number;
    nowMs: number;
    warmup: boolean;
    inputChars: number;
    /** A new connection in place of one that went stale. */
    redial: () => Taken;
    ended: (reusable: boolean) => void;
  }) {
    this.#ask = parts.ask;
    this.#settings = parts.settings;
    this.#connection = parts.connection;
    this.#request = parts.request;
    this.#redial = parts.redial;
    this.#ended = parts.ended;
    this.#dueMs = parts.dueMs;
    this.#sentMs = parts.nowMs;
    this.#lastReadMs = parts.nowMs;
    this.warmup = parts.warmup;
    this.#inputChars = parts.inputChars;
    this.#keepsText = parts.settings.keepText || parts.ask.prompt.follow !== undefined;
    this.#answer = new SaidText(this.#keepsText);
    this.#connecting = parts.fresh;
  }

  /** Writes the request; to be called once its owner can take its end. */
  depart(): void {
    this.#connection.send(this.#request, this);
  }

  get connection(): Carrier {
    return this.#connection;
  }

  connected(atMs: number): void {
    this.#connecting = false;
    this.#connectMs = atMs - this.#sentMs;
    this.#lastReadMs = atMs;
  }

  touched(): void {
    this.#firstByteMs ??= moment[readAt]!;
    this.#lastReadMs = moment[readAt]!;
  }

  head(head: ResponseHead): void {
    this.#status = head.status;
    this.#settings.serverClock.saw(head.headers.get('date'));
    this.#request = '';
    const contentType = head.headers.get('content-type') ?? '';
    this.#problem = refusal(head);
    this.#refusing = this.#problem !== null;
    if (this.#refusing) return;
    const { stamp } = this.#settings;
    const asked = { stream: this.#ask.generation.stream, contentType, promptText: this.#ask.prompt.text };
    const shape = stamp === undefined ? asked : { ...asked, stamp };
    this.#streamed = this.#settings.protocol.streams(shape);
    this.#listener = this.#settings.protocol.listen(shape);
  }

  body(bytes: Uint8Array): void {
    if (this.#over) return;
    if (this.#refusing) {
      if (this.#refused.length < refusalBytes) this.#refused += Buffer.from(bytes).toString('utf8');
      return;
    }
    this.#enterPieces();
    // A stamp is of the event it came with: one without is not given the last one's.
    moment[stampAt] = NaN;
    this.#take(this.#listener!.hear(bytes));
    // Nothing that follows an error can mend the answer; the connection is in an unknown state.
    if (this.#problem !== null) this.#abandon(this.#problem, this.#lastReadMs);
  }

  chunk(buffer: Uint8Array, from: number, to: number): number {
    if (this.#over || this.#refusing) return from;
    return this.#listener!.overhear?.(buffer, from, to, this) ?? from;
  }

  /** For the listener: one event of output, in the read that was stamped last. */
  piece(buffer: Uint8Array, place: TextPlace, text: string | null): void {
    const of = place.of!;
    if (of !== this.#piecesOf) this.#enterPieces();
    const { originNs, stamp } = this.#settings;
    if (this.#pieces > 0) {
      // Only the first event of a read has waited for nothing but the read.
    } else if (stamp !== undefined) moment[stampAt] = foreignStampMs(buffer, place, text, stamp, originNs);
    else moment[stampAt] = stampMsIn(buffer, place.stampFrom, place.stampTo, originNs);
    this.#piecesOf = of;
    this.#pieces++;
    if (text === null) this.#said(of).addBytes(buffer, place.textFrom, place.textTo);
    else this.#said(of).addText(text);
  }

  #enterPieces(): void {
    if (this.#pieces === 0) return;
    this.#enter(this.#piecesOf, this.#pieces);
    this.#pieces = 0;
  }

  #said(of: OutputKind): SaidText {
    return of === 'reasoning' ? (this.#reasoning ??= new SaidText(this.#keepsText)) : this.#answer;
  }

  end(reusable: boolean, atMs: number): void {
    if (this.#over) return;
    if (this.#refusing) this.#problem = refusedWith(this.#problem!, this.#refused);
    else {
      this.#lastReadMs = atMs;
      this.#take(this.#listener!.close());
      if (this.#problem === null && !this.#heardOutput) this.#problem = problem('empty-answer', this.#emptyWords());
    }
    this.#finishWith(this.#problem === null ? 'ok' : 'failed', this.#problem, atMs, reusable);
  }

  broke(why: Problem, atMs: number): void {
    if (this.#over) return;
    const cause = this.#refusing ? refusedWith(this.#problem!, this.#refused) : why;
    this.#finishWith('failed', cause, atMs, false);
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
    // May be asked fifty times a second of every flight: nothing is made here that somebody would have to collect.
    const { connectMs, ttftMs, readMs, totalMs } = this.#settings.timeouts;
    let code: 'connect-timeout' | 'timeout-ttft' | 'timeout-read' | 'timeout-total' | null = null;
    let earliest = nowMs;
    const openMs = this.#connecting ? connectMs : readMs;
    const openFrom = this.#connecting ? this.#sentMs : this.#lastReadMs;
    if (openMs !== null && openFrom + openMs <= earliest) {
      earliest = openFrom + openMs;
      code = this.#connecting ? 'connect-timeout' : 'timeout-read';
    }
    const waitsForOutput = this.#ask.generation.stream && !this.#heardOutput;
    if (waitsForOutput && ttftMs !== null && this.#sentMs + ttftMs <= earliest) {
      earliest = this.#sentMs + ttftMs;
      code = 'timeout-ttft';
    }
    if (totalMs !== null && this.#sentMs + totalMs <= earliest) code = 'timeout-total';
    if (code !== null) this.#abandon(problem(code, `given up after ${Math.round(nowMs - this.#sentMs)} ms`), nowMs);
  }

  /** Before this none of its timeouts can pass, whatever comes meanwhile. */
  get safeUntilMs(): number {
    const { connectMs, ttftMs, readMs, totalMs } = this.#settings.timeouts;
    const sentMs = this.#sentMs;
    // Until the answer begins it may have to connect again, with the time since the send.
    const begun = this.#firstByteMs !== null;
    let safeMs = begun
      ? this.#lastReadMs + (readMs ?? Infinity)
      : sentMs + Math.min(connectMs ?? Infinity, readMs ?? Infinity);
    if (ttftMs !== null && this.#ask.generation.stream && !this.#heardOutput)
      safeMs = Math.min(safeMs, sentMs + ttftMs);
    return totalMs === null ? safeMs : Math.min(safeMs, sentMs + totalMs);
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

  #take(heard: readonly Heard[]): void {
    for (let i = 0; i < heard.length; i++) {
      const piece = heard[i]!;
      if (piece.kind === 'text') this.#output(piece.of, piece.text, piece.tokens ?? piece.events);
      else if (piece.kind === 'usage') this.#usage = piece;
      else if (piece.kind === 'finish') this.#finish = piece.reason;
      else if (piece.kind === 'times') this.#times = piece.times;
      else if (piece.kind === 'restated') this.#said(piece.of).restate(piece.text);
      else if (piece.kind === 'steps') {
        const steps = (this.#steps ??= { batchSize: [], queueWaitMs: [] });
        steps.batchSize.push(...piece.batchSize);
        steps.queueWaitMs.push(...piece.queueWaitMs);
        if (piece.timesMs !== undefined) (steps.timesMs ??= []).push(...piece.timesMs);
      } else if (piece.kind === 'stamp') moment[stampAt] = Number(piece.emitNs - this.#settings.originNs) / 1e6;
      else this.#problem ??= problem(piece.code, piece.words, this.#status);
    }
  }

  #output(of: OutputKind, text: string, tokens: number): void {
    this.#said(of).addText(text);
    this.#enter(of, tokens);
  }

  /** Output was read: an entry of its own, or part of the one for the same read. */
  #enter(of: OutputKind, tokens: number): void {
    this.#heardOutput = true;
    if (!this.#streamed) return;
    moment[readAt] = this.#lastReadMs;
    this.#chunks.add(of, tokens);
  }

  #emptyWords(): string {
    return this.#finish === null
      ? 'an answer without output'
      : `an answer without output, finish reason "${this.#finish}"`;
  }

  #finishWith(outcome: Outcome, why: Problem | null, atMs: number, reusable: boolean): void {
    this.#over = true;
    this.#enterPieces();
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
    const { scrub } = this.#settings;
    const text = this.#answer.text();
    const reasoning = this.#reasoning?.text() ?? '';
    const outputChars = this.#answer.chars(text) + (this.#reasoning?.chars(reasoning) ?? 0);
    const chunks = this.#chunks.read();
    this.#answer.close();
    this.#reasoning?.close();
    this.#chunks.close();
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
        chunks,
        endMs: this.#endMs,
        inputTokens: { planned: prompt.inputTokens, server: this.#usage?.input ?? null, client: null },
        outputTokens: { planned: prompt.maxTokens, server: this.#usage?.output ?? null, client: null },
        cachedTokens: this.#usage?.cached ?? null,
        reasoningTokens: this.#usage?.reasoning ?? null,
        inputChars: this.#inputChars,
        outputChars,
        finish: this.#finish === null ? null : scrub(this.#finish),
        httpStatus: this.#status,
        attempts: this.#attempts,
        ...(this.#steps !== null && { serverSteps: this.#steps }),
        ...(this.#times !== null && { serverTimes: this.#times }),
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
