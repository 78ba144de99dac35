import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { DelayLine } from './delay-line.ts';
import type { Misfortune } from './fault.ts';
import type { Meters } from './meters.ts';
import type { PlannedAnswer } from './planned-answer.ts';
import type { Call } from './read-call.ts';
import type { StepFacts, Usage, Wire } from './wire.ts';
import { doneEvent, errorEvent } from './wire.ts';

/** A dripping answer comes this much slower than the batch, but is never silent for longer than maxDripMs. */
const dripFactor = 20;
const maxDripMs = 950;
/** A slow start: the first token takes this many times as long, and at least slowStartMs of simulated time. */
const slowStartFactor = 10;
const slowStartMs = 2000;
/** A fault in mid-answer strikes within the first so many tokens. */
const strikeWithinTokens = 20;

/** What an answer is made from. */
export interface AnswerParts {
  call: Call;
  planned: PlannedAnswer;
  inputTokens: number;
  wire: Wire;
  res: ServerResponse;
  misfortune: Misfortune | null;
  stamp: boolean;
  speed: number;
  meters: Meters;
  /** Takes the request out of the engine core; harmless when it is out already. */
  leave(): void;
}

/** One answer on its way out: hears of each token as the core makes it, and writes it, unless a fault has other plans. */
export class Answer {
  readonly #parts: AnswerParts;
  readonly #arrivedMs = performance.now();
  readonly #strikeAt: number | null;
  readonly #line = new DelayLine();
  #madeMs = 0;
  #writeMs = 0;
  #shiftMs = 0;
  #lastMs: number | null = null;
  #over = false;
  #step: StepFacts = { batchSize: 1, queueWaitMs: 0, stepMs: 0, tokens: 0 };
  readonly #steps: StepFacts[] = [];

  constructor(parts: AnswerParts) {
    this.#parts = parts;
    this.#strikeAt = strikeAt(parts.misfortune, parts.planned.outputTokens);
    const { res, call } = parts;
    res.on('close', () => this.#closed());
    if (!call.stream) return;
    const type = parts.wire.streamType ?? 'text/event-stream; charset=utf-8';
    res.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
    res.flushHeaders();
  }

  /** The core has made token `index`. */
  made(index: number, finished: boolean, step: StepFacts): void {
    this.#step = step;
    if (this.#parts.wire.wantsSteps === true) this.#steps.push(step);
    if (this.#over) return;
    const fault = this.#parts.misfortune?.name;
    if (fault !== 'drip' && fault !== 'slow-start') {
      this.#write(index, finished);
      return;
    }
    const nowMs = performance.now();
    const sinceMs = nowMs - (index === 0 ? this.#arrivedMs : this.#madeMs);
    this.#madeMs = nowMs;
    if (fault === 'drip') {
      const gapMs = index === 0 ? 0 : Math.min(maxDripMs, dripFactor * sinceMs);
      this.#writeMs = Math.max(nowMs, this.#writeMs + gapMs);
    } else {
      const wantedMs = Math.max(slowStartFactor * sinceMs, slowStartMs / this.#parts.speed);
      if (index === 0) this.#shiftMs = wantedMs - sinceMs;
      this.#writeMs = nowMs + this.#shiftMs;
    }
    this.#line.push(this.#writeMs, () => this.#write(index, finished));
  }

  #write(index: number, finished: boolean): void {
    if (this.#over) return;
    const { call, misfortune } = this.#parts;
    if (misfortune?.name === 'empty') this.#finish(0, '');
    else if (index === this.#strikeAt && this.#strike()) return;
    else if (!call.stream) this.#countToken();
    else this.#writeToken(index, finished);
    if (finished && !call.stream && !this.#over) this.#finish(this.#parts.planned.outputTokens, '');
  }

  #writeToken(index: number, finished: boolean): void {
    const { wire, planned } = this.#parts;
    const piece = planned.piece(index);
    this.#countToken();
    if (finished) {
      this.#finish(planned.outputTokens, piece);
      return;
    }
    const stamp = this.#stamp();
    const role = index === 0 ? wire.role(stamp) : '';
    if (piece === '' && role === '') return;
    this.#send(role + (piece === '' ? '' : wire.token(piece, index < planned.reasoningTokens, stamp, this.#step)));
  }

  #stamp(): string {
    return this.#parts.stamp ? `,"emit_ns":"${process.hrtime.bigint()}"` : '';
  }

  /**
   * One chunk in one write, at once. ServerResponse.write would put it off to the end of this turn of the event loop,
   * after the tokens of every other stream, and the stamp would lie; it is used where another answer still holds the socket.
   */
  #send(text: string): void {
    const { res } = this.#parts;
    const { socket } = res;
    if (socket === null || socket.writableCorked > 0) res.write(text);
    else socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  #countToken(): void {
    const { meters } = this.#parts;
    const nowMs = performance.now();
    if (this.#lastMs === null) {
      meters.timeToFirstTokenSec.add((nowMs - this.#arrivedMs) / 1000);
      meters.lastFirstTokenMs.add(nowMs - this.#arrivedMs);
    } else {
      meters.interTokenSec.add((nowMs - this.#lastMs) / 1000);
      meters.lastBetweenTokensMs.add(nowMs - this.#lastMs);
    }
    this.#lastMs = nowMs;
  }

  /** Ends the answer properly, after outputTokens tokens of which the last one's text is still to be written. */
  #finish(outputTokens: number, lastPiece: string): void {
    const { call, planned, wire, inputTokens, meters, res, misfortune } = this.#parts;
    const reasoningTokens = Math.min(planned.reasoningTokens, outputTokens);
    const usage: Usage = { inputTokens, outputTokens, reasoningTokens, steps: this.#steps.slice(0, outputTokens) };
    meters.finished[planned.finish]++;
    meters.latencySec.add((performance.now() - this.#arrivedMs) / 1000);
    meters.promptTokens.add(inputTokens);
    meters.generationTokens.add(outputTokens);
    if (call.stream) {
      const stamp = this.#stamp();
      const role = outputTokens <= 1 ? wire.role(stamp) : '';
      const isReasoning = outputTokens <= planned.reasoningTokens;
      const done = wire.done ?? doneEvent;
      if (wire.lastToken !== undefined) {
        const last = wire.lastToken(lastPiece, isReasoning, planned.finish, usage, this.#step);
        this.#end(() => res.end(role + last + done));
        return;
      }
      const token = lastPiece === '' ? '' : wire.token(lastPiece, isReasoning, stamp, this.#step);
      const tail = wire.finish(planned.finish, stamp) + (call.includeUsage ? wire.usage(usage, stamp) : '') + done;
      this.#end(() => res.end(role + token + tail));
      return;
    }
    const pieces = Array.from({ length: outputTokens }, (_, i) => planned.piece(i));
    const body = wire.whole({
      text: pieces.slice(reasoningTokens).join(''),
      reasoning: reasoningTokens > 0 ? pieces.slice(0, reasoningTokens).join('') : null,
      finish: planned.finish,
      usage,
    });
    if (misfortune?.name === 'drip') this.#dripBody(body, outputTokens);
    else this.#end(() => this.#sendBody(misfortune?.name === 'malformed' ? body.slice(0, -8) : body));
  }

  #sendBody(body: string, shown: string = body): void {
    const { res } = this.#parts;
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    if (shown === body) res.end(body);
    else res.write(shown);
  }

  #dripBody(body: string, outputTokens: number): void {
    const { res } = this.#parts;
    const bytes = Buffer.from(body);
    const slices = Math.min(outputTokens, 64);
    const tookMs = performance.now() - this.#arrivedMs;
    const gapMs = Math.min(maxDripMs, ((dripFactor - 1) * tookMs) / slices);
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    for (let i = 0; i < slices; i++) {
      const part = bytes.subarray((bytes.length * i) / slices, (bytes.length * (i + 1)) / slices);
      this.#line.push(performance.now() + gapMs * (i + 1), () => {
        if (i + 1 < slices) res.write(part);
        else this.#end(() => res.end(part));
      });
    }
  }

  /** Lets the fault happen; true = the token at hand is not written, nor any after it. */
  #strike(): boolean {
    const { misfortune, call, res, meters } = this.#parts;
    if (misfortune?.name === 'malformed') {
      if (call.stream) this.#send('data: {"choices":[{"index":0,"delta":{"content":"\n\n');
      return false;
    }
    meters.finished.abort++;
    switch (misfortune?.name) {
      case 'reset':
        this.#end(() => resetConnection(res.socket));
        return true;
      case 'stall':
        // The connection stays open until the client has had enough of it.
        this.#end(() => (this.#strikeAt === 0 || call.stream ? null : this.#sendHalf()));
        return true;
      case 'truncate':
        this.#end(() => {
          if (!call.stream) this.#sendHalf();
          // Not res.end(): that would write the last chunk, and the answer would look whole.
          res.socket?.end();
        });
        return true;
      case 'stream-error':
        this.#end(() => {
          const { wire } = this.#parts;
          const error = wire.error ?? errorEvent;
          if (call.stream) res.end(error + (wire.done ?? doneEvent));
          else this.#sendBody(error.replace(/^[^{]*data: ?/s, '').trim());
        });
        return true;
      default:
        return true;
    }
  }

  #sendHalf(): void {
    const { wire, inputTokens, planned } = this.#parts;
    const { outputTokens, finish } = planned;
    const text = Array.from({ length: outputTokens }, (_, i) => planned.piece(i)).join('');
    const body = wire.whole({
      text,
      reasoning: null,
      finish,
      usage: { inputTokens, outputTokens, reasoningTokens: 0 },
    });
    this.#sendBody(body, body.slice(0, body.length >> 1));
  }

  #end(last: () => void): void {
    this.#over = true;
    this.#line.stop();
    this.#parts.leave();
    last();
  }

  #closed(): void {
    if (this.#over) return;
    this.#parts.meters.finished.abort++;
    this.#end(() => {});
  }
}

/** Sends RST. A TLS connection can only be cut without its closing words. */
function resetConnection(socket: Socket | null): void {
  if (socket !== null && 'encrypted' in socket) socket.destroy();
  else socket?.resetAndDestroy();
}

/** Which token a fault in mid-answer strikes at; null = it does not strike that way. */
function strikeAt(misfortune: Misfortune | null, outputTokens: number): number | null {
  const within = Math.min(outputTokens - 1, strikeWithinTokens);
  switch (misfortune?.name) {
    case 'stall':
      // Half of them before any output.
      return misfortune.roll < 0.5 ? 0 : Math.ceil((misfortune.roll - 0.5) * 2 * within);
    case 'reset':
    case 'truncate':
    case 'malformed':
    case 'stream-error':
      return Math.ceil(misfortune.roll * within);
    default:
      return null;
  }
}
