import type { Chunks, OutputKind, Problem, ServerSteps, ServerTimes } from '../../core/index.ts';
import { problem } from '../../core/index.ts';
import type { TextSink, ParsedEvent, ServerStamp, TextPlace } from '../protocol/index.ts';
import { ChunkLog } from './chunk-log.ts';
import { currentRead, readAt, stampAt } from './current-read.ts';
import { AnswerBuffer } from './answer-buffer.ts';
import { foreignStampMs, stampMsIn } from './stamp.ts';

/** A reason for the end is a word. */
const mostFinishChars = 200;

/** How the times that a server writes into its events are placed on ours. */
export interface StampPlace {
  /** Zero of the run's clock on the clock that a stamped server reads. */
  originNs: bigint;
  /** How the server stamps; absent = as servers made for this tool do, where it does. */
  stamp?: ServerStamp;
}

/** All that an answer said. */
interface Said {
  text: string;
  reasoning: string;
  outputChars: number;
  chunks: Chunks;
  usage: Extract<ParsedEvent, { kind: 'usage' }> | null;
  finish: string | null;
  steps: ServerSteps | null;
  times: ServerTimes | null;
}

/** What one answer has said so far, and when. */
export class HeardAnswer implements TextSink {
  readonly #chunks = new ChunkLog();
  readonly #answer: AnswerBuffer;
  /** Reasoning; tool calls count as part of the answer. */
  #reasoning: AnswerBuffer | null = null;
  /** Events heard in the read at hand, of one kind, that stand in no entry of the chunks yet. */
  #pieces = 0;
  #piecesOf: OutputKind = 'answer';
  #usage: Extract<ParsedEvent, { kind: 'usage' }> | null = null;
  #finish: string | null = null;
  #steps: ServerSteps | null = null;
  #times: ServerTimes | null = null;
  /** The answer is a stream, so the time of each read is kept. */
  streamed = false;
  hasOutput = false;
  /** The first thing that was wrong; null = nothing. */
  problem: Problem | null = null;

  constructor(
    private readonly place: StampPlace,
    private readonly keepsText: boolean,
  ) {
    this.#answer = new AnswerBuffer(keepsText);
  }

  /** Memory that the answer takes, about. */
  get bytes(): number {
    return this.#answer.bytes + (this.#reasoning?.bytes ?? 0) + this.#chunks.bytes;
  }

  /** Frees the text; its length stays known. */
  forgetText(): void {
    this.#answer.forget();
    this.#reasoning?.forget();
  }

  /** Neither output nor a finish reason, usage or times have come. */
  get isEmpty(): boolean {
    return !this.hasOutput && this.#finish === null && this.#usage === null && this.#times === null;
  }

  /** For the listener: one event of output, in the read that was stamped last. */
  piece(buffer: Uint8Array, place: TextPlace, text: string | null): void {
    const of = place.of!;
    if (of !== this.#piecesOf) this.enterPieces(currentRead[readAt]!);
    const { originNs, stamp } = this.place;
    if (this.#pieces > 0) {
      // An entry has one stamp: that of the first event of its read.
    } else if (stamp !== undefined) currentRead[stampAt] = foreignStampMs(buffer, place, text, stamp, originNs);
    else currentRead[stampAt] = stampMsIn(buffer, place.stampFrom, place.stampTo, originNs);
    this.#piecesOf = of;
    this.#pieces++;
    if (text === null) this.#said(of).addBytes(buffer, place.textFrom, place.textTo);
    else this.#said(of).addText(text);
  }

  /** What was heard by `piece` becomes an entry, of the read at `atMs`. */
  enterPieces(atMs: number): void {
    if (this.#pieces === 0) return;
    this.#enter(this.#piecesOf, this.#pieces, atMs);
    this.#pieces = 0;
  }

  /** Takes what was understood of the read at `atMs`; status = that of the answer. */
  take(heard: readonly ParsedEvent[], atMs: number, status: number | null): void {
    for (let i = 0; i < heard.length; i++) {
      const piece = heard[i]!;
      if (piece.kind === 'text') {
        this.#said(piece.of).addText(piece.text);
        this.#enter(piece.of, piece.tokens ?? piece.events, atMs);
      } else if (piece.kind === 'usage') this.#usage = piece;
      // XInference says `stop` once more behind `length`: the first is the reason.
      else if (piece.kind === 'finish') this.#finish ??= piece.reason.slice(0, mostFinishChars);
      else if (piece.kind === 'times') this.#times = piece.times;
      else if (piece.kind === 'restated') this.#said(piece.of).restate(piece.text);
      else if (piece.kind === 'steps') {
        const steps = (this.#steps ??= { batchSize: [], queueWaitMs: [] });
        // One by one: a server may name more of them than a call takes arguments.
        for (const size of piece.batchSize) steps.batchSize.push(size);
        for (const ms of piece.queueWaitMs) steps.queueWaitMs.push(ms);
        if (piece.timesMs !== undefined) for (const ms of piece.timesMs) (steps.timesMs ??= []).push(ms);
      } else if (piece.kind === 'stamp') currentRead[stampAt] = Number(piece.emitNs - this.place.originNs) / 1e6;
      else this.problem ??= problem(piece.code, piece.words, status);
    }
  }

  /** An answer that ended well holds output. */
  checkOutput(): void {
    // Tokens without text are tokens: an answer that holds some is one, whatever was heard of it.
    if (this.problem !== null || this.hasOutput || (this.#usage?.output ?? 0) > 0) return;
    const reason = this.#finish === null ? '' : `, finish reason "${this.#finish}"`;
    this.problem = problem('empty-answer', `an answer without output${reason}`);
  }

  /** All of it, for the record; it can be asked for once. */
  read(): Said {
    const text = this.#answer.text();
    const reasoning = this.#reasoning?.text() ?? '';
    const outputChars = this.#answer.chars(text) + (this.#reasoning?.chars(reasoning) ?? 0);
    const chunks = this.#chunks.read();
    this.#answer.close();
    this.#reasoning?.close();
    this.#chunks.close();
    const [usage, finish, steps, times] = [this.#usage, this.#finish, this.#steps, this.#times];
    return { text, reasoning, outputChars, chunks, usage, finish, steps, times };
  }

  #said(of: OutputKind): AnswerBuffer {
    return of === 'reasoning' ? (this.#reasoning ??= new AnswerBuffer(this.keepsText)) : this.#answer;
  }

  /** Output was read: an entry of its own, or part of the one for the same read. */
  #enter(of: OutputKind, tokens: number, atMs: number): void {
    this.hasOutput = true;
    if (!this.streamed) return;
    currentRead[readAt] = atMs;
    this.#chunks.add(of, tokens);
  }
}
