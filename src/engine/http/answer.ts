import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { InjectedFault } from './fault.ts';
import type { EngineMetrics } from './engine-metrics.ts';
import type { PlannedAnswer } from './planned-answer.ts';
import type { Call } from './read-call.ts';
import type { StepFacts, Usage, WholeChoice, Wire } from './wire.ts';
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
  /** One for each choice that was asked for, with the wire that says it. */
  choices: readonly { planned: PlannedAnswer; wire: Wire }[];
  inputTokens: number;
  res: ServerResponse;
  fault: InjectedFault | null;
  stamp: boolean;
  speed: number;
  meters: EngineMetrics;
  /** Takes the request, with all its choices, out of the engine core; harmless when it is out already. */
  leave(): void;
}

/**
 * One answer on its way out: hears of each token as the core makes it, and writes it, unless a fault has other plans. Several
 * choices are made side by side and take turns in one stream; the last to finish ends it.
 */
export class Answer {
  readonly #arrivedMs = performance.now();
  readonly #strikeAt: number | null;
  readonly #line = new DelayLine();
  #madeMs = 0;
  #writeMs = 0;
  #shiftMs = 0;
  #firstMs: number | null = null;
  readonly #lastMs: (number | null)[];
  /** Choices that are not finished. */
  #left: number;
  #queuedMs: number | null = null;
  #over = false;
  #step: StepFacts = { batchSize: 1, queueWaitMs: 0, stepMs: 0, tokens: 0 };
  readonly #steps: StepFacts[] = [];
  #cachedTokens: number | null = null;

  constructor(private readonly parts: AnswerParts) {
    this.#left = parts.choices.length;
    this.#lastMs = parts.choices.map(() => null);
    this.#strikeAt = strikeAt(parts.fault, this.#first.planned.outputTokens);
    const { res, call } = parts;
    res.on('close', () => this.#closed());
    if (!call.stream) return;
    const type = this.#first.wire.streamType ?? 'text/event-stream; charset=utf-8';
    res.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
    res.flushHeaders();
  }

  /** What speaks for the whole answer. */
  get #first(): { planned: PlannedAnswer; wire: Wire } {
    return this.parts.choices[0]!;
  }

  /** The core has made token `index` of a choice. */
  made(choice: number, index: number, finished: boolean, step: StepFacts): void {
    this.#step = step;
    // Only the first choice counts, because the others find in the cache what it has just prefilled.
    this.#cachedTokens ??= step.cachedTokens ?? null;
    this.#queuedMs ??= step.queueWaitMs / this.parts.speed;
    if (this.#first.wire.wantsSteps === true) this.#steps.push(step);
    if (this.#over) return;
    const fault = this.parts.fault?.name;
    if (fault !== 'drip' && fault !== 'slow-start') {
      this.#write(choice, index, finished);
      return;
    }
    const nowMs = performance.now();
    const sinceMs = nowMs - (index === 0 ? this.#arrivedMs : this.#madeMs);
    this.#madeMs = nowMs;
    if (fault === 'drip') {
      const gapMs = index === 0 ? 0 : Math.min(maxDripMs, dripFactor * sinceMs);
      this.#writeMs = Math.max(nowMs, this.#writeMs + gapMs);
    } else {
      const wantedMs = Math.max(slowStartFactor * sinceMs, slowStartMs / this.parts.speed);
      if (index === 0) this.#shiftMs = wantedMs - sinceMs;
      this.#writeMs = nowMs + this.#shiftMs;
    }
    this.#line.push(this.#writeMs, () => this.#write(choice, index, finished));
  }

  #write(choice: number, index: number, finished: boolean): void {
    if (this.#over) return;
    const { call, fault } = this.parts;
    if (fault?.name === 'empty') {
      this.#finish(true, '', choice);
      return;
    }
    if (choice === 0 && index === this.#strikeAt && this.#strike()) return;
    this.#countToken(choice);
    if (finished) this.#left--;
    if (call.stream) this.#writeToken(choice, index, finished);
    else if (this.#left === 0) this.#finish(false, '', choice);
  }

  #writeToken(choice: number, index: number, finished: boolean): void {
    const { wire, planned } = this.parts.choices[choice]!;
    const piece = planned.piece(index);
    if (finished && this.#left === 0) {
      this.#finish(false, piece, choice);
      return;
    }
    const stamp = this.#stamp();
    const role = index === 0 ? wire.role(stamp) : '';
    const token = piece === '' ? '' : wire.token(piece, index < planned.reasoningTokens, stamp, this.#step);
    const text = role + token + (finished ? wire.finish(planned.finish, stamp) : '');
    if (text !== '') this.#send(text);
  }

  #stamp(): string {
    return this.parts.stamp ? `,"emit_ns":"${process.hrtime.bigint()}"` : '';
  }

  /**
   * One chunk in one write, at once. ServerResponse.write would put it off to the end of this turn of the event loop,
   * after the tokens of every other stream, and the stamp would lie; it is used where another answer still holds the socket.
   */
  #send(text: string): void {
    const { res } = this.parts;
    const { socket } = res;
    if (socket === null || socket.writableCorked > 0) res.write(text);
    else socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  #countToken(choice: number): void {
    const { meters } = this.parts;
    const nowMs = performance.now();
    const lastMs = this.#lastMs[choice] ?? null;
    if (this.#firstMs === null) {
      this.#firstMs = nowMs;
      meters.timeToFirstTokenSec.add((nowMs - this.#arrivedMs) / 1000);
      meters.lastFirstTokenMs.add(nowMs - this.#arrivedMs);
    } else if (lastMs !== null) {
      meters.interTokenSec.add((nowMs - lastMs) / 1000);
      meters.lastBetweenTokensMs.add(nowMs - lastMs);
    }
    this.#lastMs[choice] = nowMs;
  }

  /** Ends the answer properly; the text of `lastChoice`'s last token is still to be written. Empty = no choice says anything. */
  #finish(empty: boolean, lastPiece: string, lastChoice: number): void {
    const { call, choices, inputTokens, meters, res, fault } = this.parts;
    const { wire, planned } = choices[lastChoice]!;
    const usage = this.#usage(empty);
    meters.finished[this.#first.planned.finish]++;
    meters.latencySec.add((performance.now() - this.#arrivedMs) / 1000);
    meters.promptTokens.add(inputTokens);
    meters.generationTokens.add(usage.outputTokens);
    if (call.stream) {
      const stamp = this.#stamp();
      const own = empty ? 0 : planned.outputTokens;
      const role = own <= 1 ? wire.role(stamp) : '';
      const isReasoning = own <= planned.reasoningTokens;
      const done = wire.done ?? doneEvent;
      if (wire.lastToken !== undefined) {
        const last = wire.lastToken(lastPiece, isReasoning, planned.finish, usage, this.#step);
        this.#end(() => res.end(role + last + done));
        return;
      }
      const token = lastPiece === '' ? '' : wire.token(lastPiece, isReasoning, stamp, this.#step);
      const finishes = empty
        ? choices.map((choice) => choice.wire.finish(choice.planned.finish, stamp)).join('')
        : wire.finish(planned.finish, stamp);
      const tail = finishes + (call.includeUsage ? wire.usage(usage, stamp) : '') + done;
      this.#end(() => res.end(role + token + tail));
      return;
    }
    const said = choices.map((choice) => saidBy(choice.planned, empty));
    const body = this.#first.wire.whole({ ...said[0]!, choices: said, usage });
    if (fault?.name === 'drip') this.#dripBody(body, usage.outputTokens);
    else this.#end(() => this.#sendBody(fault?.name === 'malformed' ? body.slice(0, -8) : body));
  }

  /** Tokens summed over all choices. */
  #usage(empty: boolean): Usage {
    const { choices, inputTokens } = this.parts;
    const sum = (of: (planned: PlannedAnswer) => number): number =>
      empty ? 0 : choices.reduce((total, { planned }) => total + of(planned), 0);
    const outputTokens = sum((planned) => planned.outputTokens);
    const nowMs = performance.now();
    const [firstMs, queueMs] = [this.#firstMs ?? nowMs, this.#queuedMs ?? 0];
    return {
      inputTokens,
      outputTokens,
      reasoningTokens: sum((planned) => Math.min(planned.reasoningTokens, planned.outputTokens)),
      cachedTokens: this.#cachedTokens,
      steps: this.#steps.slice(0, outputTokens),
      times: {
        queueMs,
        prefillMs: Math.max(0, firstMs - this.#arrivedMs - queueMs),
        decodeMs: nowMs - firstMs,
        totalMs: nowMs - this.#arrivedMs,
      },
    };
  }

  #sendBody(body: string, shown: string = body): void {
    const { res } = this.parts;
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    if (shown === body) res.end(body);
    else res.write(shown);
  }

  #dripBody(body: string, outputTokens: number): void {
    const { res } = this.parts;
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
    const { fault, call, res, meters } = this.parts;
    if (fault?.name === 'malformed') {
      if (call.stream) this.#send('data: {"choices":[{"index":0,"delta":{"content":"\n\n');
      return false;
    }
    meters.finished.abort++;
    switch (fault?.name) {
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
          const { wire } = this.#first;
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
    const { choices } = this.parts;
    const said = choices.map(({ planned }) => saidBy({ ...planned, reasoningTokens: 0 }, false));
    const usage = { ...this.#usage(false), reasoningTokens: 0 };
    const body = this.#first.wire.whole({ ...said[0]!, choices: said, usage });
    this.#sendBody(body, body.slice(0, body.length >> 1));
  }

  #end(last: () => void): void {
    this.#over = true;
    this.#line.stop();
    this.parts.leave();
    last();
  }

  #closed(): void {
    if (this.#over) return;
    this.parts.meters.finished.abort++;
    this.#end(() => {});
  }
}

/** The words of a choice, reasoning apart. */
function saidBy(planned: PlannedAnswer, empty: boolean): WholeChoice {
  const pieces = Array.from({ length: empty ? 0 : planned.outputTokens }, (_, i) => planned.piece(i));
  const thought = pieces.slice(0, planned.reasoningTokens);
  return {
    text: pieces.slice(planned.reasoningTokens).join(''),
    reasoning: thought.length > 0 ? thought.join('') : null,
    finish: planned.finish,
  };
}

/** Sends RST. A TLS connection can only be cut without its closing words. */
function resetConnection(socket: Socket | null): void {
  if (socket !== null && 'encrypted' in socket) socket.destroy();
  else socket?.resetAndDestroy();
}

/** Which token a fault in mid-answer strikes at; null = it does not strike that way. */
function strikeAt(fault: InjectedFault | null, outputTokens: number): number | null {
  const within = Math.min(outputTokens - 1, strikeWithinTokens);
  switch (fault?.name) {
    case 'stall':
      // Half of them before any output.
      return fault.roll < 0.5 ? 0 : Math.ceil((fault.roll - 0.5) * 2 * within);
    case 'reset':
    case 'truncate':
    case 'malformed':
    case 'stream-error':
      return Math.ceil(fault.roll * within);
    default:
      return null;
  }
}

/** Things to be done later, in the order they were put in. */
class DelayLine {
  readonly #queue: { atMs: number; act: () => void }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /** atMs is on the clock of performance.now. */
  push(atMs: number, act: () => void): void {
    this.#queue.push({ atMs, act });
    this.#timer ??= setTimeout(this.#look, this.#leftMs());
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #leftMs(): number {
    return Math.max(0, this.#queue[0]!.atMs - performance.now());
  }

  readonly #look = (): void => {
    this.#timer = null;
    while (!this.#stopped && this.#queue.length > 0 && this.#queue[0]!.atMs <= performance.now() + 0.5) {
      this.#queue.shift()!.act();
    }
    if (!this.#stopped && this.#queue.length > 0) this.#timer = setTimeout(this.#look, this.#leftMs());
  };
}
