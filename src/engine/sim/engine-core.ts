import { invariant } from '../../core/index.ts';
import { EngineBoard } from './board.ts';
import type { CostModel } from './cost/cost-model.ts';
import { linearCost } from './cost/linear-cost.ts';
import { StepCost } from './cost/step-cost.ts';
import { coldFactor } from './sim-fault.ts';
import type { Emission, EngineCounters, EngineRequest, Finish, Step } from './engine-events.ts';
import { engineCounters } from './engine-counters.ts';
import type { EngineProfile } from './engine-profile.ts';
import { Front } from './front/front.ts';
import { launchMs } from './launch.ts';
import type { LaunchCost } from './launch.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import { formsAhead, mostRunningOf, prefixCachingOf, schedulerOf } from './scheduler/schedulers.ts';
import { CoreSequence } from './sequence.ts';
import { StepTally } from './step-tally.ts';
import { StepTimes } from './step-times.ts';
import { Untold } from './untold.ts';

/** Tokens in a KV block where the profile sets no KV limit (vLLM's default). */
const defaultBlockSize = 16;

/** What a core is made from; scheduler and cost replace those of the profile. */
export interface EngineCoreOptions {
  profile: EngineProfile;
  seed: number;
  scheduler?: Scheduler;
  /** Jitter included. */
  cost?: CostModel;
  /** The first steps are slow, as those of an engine that has just started. */
  cold?: boolean;
  /** false = finishes carry no token times, which a fit does not need. Default true. */
  keepTimes?: boolean;
  /** false = ask the scheduler before every step, even where nothing can have changed. Results are the same. Default true. */
  skipSteady?: boolean;
}

/**
 * The engine without a clock: whoever drives it says what time it is and waits for the steps to end.
 * The HTTP engine drives it step by step (beginStep, then endStep once its endMs is reached); the virtual-time runner lets it
 * run on (advance). submit and cancel at any moment.
 */
export class EngineCore {
  readonly #scheduler: Scheduler;
  readonly #cost: StepCost;
  readonly #board: EngineBoard;
  readonly #sequences = new Map<number, CoreSequence>();
  readonly #times = new StepTimes();
  readonly #tally = new StepTally();
  readonly #tokenBytes: number | null;
  readonly #keepTimes: boolean;
  readonly #skipSteady: boolean;
  readonly #cold: boolean;
  readonly #mostRunning: number;
  /** A step is formed while the one before it runs. */
  readonly #ahead: boolean;
  /** What tokens pass on their way out; null = nothing. */
  readonly front: Front | null;
  readonly #launch: LaunchCost | null;
  /** Clients have a step's tokens when it ends: there is no front, and no step is formed ahead or launched. */
  readonly isPlain: boolean;
  readonly #untold = new Untold();
  /** When the engine's thread is free to form the step after the one under way. */
  #formsMs = -Infinity;
  #step: Step | null = null;
  #steady = false;
  /** The engine is idle; the next request wakes it. */
  #rests = true;
  #promptTokens = 0;
  #generationTokens = 0;

  constructor(options: EngineCoreOptions) {
    const { profile, seed } = options;
    this.#scheduler = options.scheduler ?? schedulerOf(profile);
    const cost = options.cost ?? linearCost(profile.cost);
    const spread = options.cost === undefined ? profile.jitter : { stepSigma: 0 };
    this.#cost = new StepCost(cost, spread, seed);
    this.#board = new EngineBoard(
      profile.kv ?? { blocks: null, blockSize: defaultBlockSize },
      prefixCachingOf(profile),
    );
    this.#tokenBytes = profile.kvBytesPerTokenPerCard ?? null;
    this.#keepTimes = options.keepTimes ?? true;
    this.#skipSteady = options.skipSteady ?? true;
    this.#cold = options.cold ?? false;
    this.#ahead = formsAhead(profile);
    this.#mostRunning = mostRunningOf(profile);
    this.front = profile.front === undefined ? null : new Front(profile.front);
    this.#launch = profile.launch ?? null;
    this.isPlain = this.front === null && this.#launch === null;
    this.#board.onStretchEnd = (own) => this.#keepStretch(own);
  }

  /** Whether a request of this size could ever be served; one that could not must not be submitted. */
  fits(inputTokens: number, outputTokens: number): boolean {
    return this.#board.kv.couldHold(inputTokens + outputTokens);
  }

  /** Tokens to a block of the prefix cache, for whoever makes a prompt's keys; null = it is off. */
  get keyBlockSize(): number | null {
    return this.#board.prefixes === null ? null : this.#board.kv.blockSize;
  }

  /** The longest request that could ever be held, prompt and answer; null = without limit. */
  get longestTokens(): number | null {
    const { total, blockSize } = this.#board.kv;
    return total === null ? null : total * blockSize;
  }

  /** Puts a request at the end of the queue. */
  submit(request: EngineRequest): void {
    const { id, inputTokens, outputTokens, arrivalMs, keys, sparedTokens = 0, prompt = id } = request;
    invariant(inputTokens >= 1 && outputTokens >= 1, 'a request has at least one token on either side');
    invariant(!this.#sequences.has(id), 'a request is submitted once');
    invariant(this.fits(inputTokens, outputTokens), 'a request that never fits is not submitted');
    const own = new CoreSequence(id, inputTokens, outputTokens, arrivalMs, keys ?? null, this.#cost.lotOf(prompt));
    own.sparedTokens = Math.min(sparedTokens, inputTokens - 1);
    this.#sequences.set(id, own);
    this.#board.enqueue(own, this.#ahead && arrivalMs > this.#formsMs);
    this.#steady = false;
    // A scheduler that rests until the queue fills looks at it again when it grows.
    const step = this.#step;
    if (step?.batchSize === 0) step.endMs = Math.max(step.startMs, Math.min(step.endMs, arrivalMs));
  }

  /** Takes a request out, wherever it is; its blocks are free at once. False when it is not there any more. */
  cancel(id: number): boolean {
    const own = this.#sequences.get(id);
    if (own === undefined) return false;
    this.#sequences.delete(id);
    if (own.state === 'waiting') this.#board.dequeue(own);
    else this.#board.leave(own);
    own.state = 'gone';
    this.#steady = false;
    return true;
  }

  /** When the request's latest token came out; null = none yet, or not here any more. */
  lastTokenMs(id: number): number | null {
    const own = this.#sequences.get(id);
    const made = own?.generatedAt(this.#board.decodeSteps) ?? 0;
    if (own === undefined || made === 0) return null;
    const isLatest = own.state === 'decoding' && this.#board.decodeSteps > own.joinedAt;
    return isLatest ? this.#times.at(this.#board.decodeSteps - 1) : (own.earlierMs?.at(-1) ?? own.firstTokenMs);
  }

  /** Times of the tokens that a request in the engine has made so far. */
  tokenTimes(id: number): number[] {
    const own = this.#sequences.get(id);
    if (own === undefined) return [];
    const times = [...(own.earlierMs ?? [])];
    if (own.state === 'decoding') this.#times.append(times, own.joinedAt, this.#board.decodeSteps);
    return times;
  }

  /** Starts the next step at nowMs; null when there is nothing to do. */
  beginStep(nowMs: number): Step | null {
    invariant(this.#step === null, 'one step runs at a time');
    const board = this.#board;
    const idle = board.waiting.length === 0 && board.running.length === 0;
    // An idle engine formed no step ahead, so new requests join this one.
    if (idle && !board.letHeardWait()) {
      this.#rests = true;
      return null;
    }
    if (this.#rests && board.waiting.length > 0) this.#cost.wake(board.waiting.at(0).lot, board.decodeSteps);
    const formedMs = this.#rests || !this.#ahead ? nowMs : this.#formsMs;
    this.#rests = false;
    board.beginForming(nowMs);
    this.#steady = this.#scheduler.form(board) === 'steady';
    if (board.letHeardWait()) this.#steady = false;
    const batchSize = board.load.decodes + board.chunked.length;
    if (board.restsUntilMs !== null) {
      this.#step = { startMs: nowMs, endMs: board.restsUntilMs, batchSize: 0, prefillTokens: 0 };
      return this.#step;
    }
    invariant(batchSize > 0, 'an engine with work to do never forms an empty step');
    let stepMs = this.#nextStepMs();
    if (this.#launch !== null) {
      const launchedMs = formedMs + launchMs(this.#launch, board.load);
      stepMs = Math.max(stepMs, launchedMs - nowMs);
      this.#formsMs = Math.max(nowMs, launchedMs);
    }
    invariant(Number.isFinite(stepMs), 'a step takes some time');
    this.#count(stepMs);
    this.#step = { startMs: nowMs, endMs: nowMs + stepMs, batchSize, prefillTokens: board.load.prefillTokens };
    return this.#step;
  }

  /** Ends the step under way and says which tokens it made, decodes first. */
  endStep(): Emission[] {
    const emissions: Emission[] = [];
    if (this.#board.decodes) {
      const after = this.#board.decodeSteps + 1;
      for (const own of this.#board.running) {
        if (own.state !== 'decoding' || own.sitsOut || own.joinedAt >= after) continue;
        const made = own.generatedAt(after);
        emissions.push({ id: own.id, tokenIndex: made - 1, finished: made === own.outputTokens });
      }
    }
    this.#end([], (own, finished) => {
      const { id, cachedTokens } = own;
      emissions.push({
        id,
        tokenIndex: own.madeBefore - 1,
        finished,
        ...(cachedTokens !== null && { cachedTokens }),
      });
    });
    return emissions;
  }

  /** The step under way; null = the engine is idle. */
  get step(): Readonly<Step> | null {
    return this.#step;
  }

  /**
   * Runs steps until one after whose end somebody must act: it finished requests, or the next would end after untilMs.
   * A step that ends at untilMs itself still runs, and the one after it has begun when this returns.
   */
  advance(untilMs: number): Finish[] {
    const finishes = this.#tell(untilMs);
    while (this.#step !== null && this.#step.endMs <= untilMs && finishes.length === 0) {
      if (this.#steady && this.#skipSteady) this.#runSteadily(untilMs);
      const { endMs } = this.#step;
      if (endMs > untilMs) break;
      this.#end(finishes, null);
      this.beginStep(endMs);
      if (!this.isPlain) {
        this.#keepBack(finishes.splice(0), endMs);
        finishes.push(...this.#tell(untilMs));
      }
    }
    return finishes;
  }

  /** For the step-by-step driver: when the tokens of the step that ended at endMs leave the engine, once the next step has begun. */
  outMs(endMs: number): number {
    return this.isPlain ? endMs : this.#keepBack([], endMs).atMs;
  }

  /** These tokens have left the engine; returns when the clients have them. */
  passOn(): number {
    return this.#untold.tell(this.front, this.#times).toldMs;
  }

  /** Keeps the tokens of the ended step until the step that has begun after it is launched. */
  #keepBack(finishes: Finish[], endMs: number): Untold {
    const launches = this.#launch !== null && this.#step !== null;
    return this.#untold.keepBack(finishes, launches ? Math.max(endMs, this.#formsMs) : endMs);
  }

  /** Tokens that came out by then are passed on to the clients, who have them when the front is done with them. */
  #tell(untilMs: number): Finish[] {
    const { atMs } = this.#untold;
    return atMs > untilMs || atMs === Infinity ? [] : this.#untold.tell(this.front, this.#times).finishes;
  }

  /** Ends the step under way, begins none; for a driver that has nobody left to serve. */
  settle(): number | null {
    if (this.#step === null) return null;
    const { endMs } = this.#step;
    this.#end([], null);
    if (!this.isPlain) this.#untold.keepBack([], endMs);
    this.#tell(Infinity);
    this.#rests = true;
    return endMs;
  }

  counters(): EngineCounters {
    const made = { promptTokens: this.#promptTokens, generationTokens: this.#generationTokens };
    return engineCounters(this.#board, this.#tally, made, this.#tokenBytes, this.front);
  }

  /** Blocks held, counted afresh; equal to counters().kvUsedBlocks at every moment. */
  recountBlocks(): number {
    return this.#board.recountBlocks();
  }

  #nextStepMs(): number {
    const stepMs = this.#cost.stepMs(this.#board.load, this.#board.chunked, this.#board.decodeSteps);
    return this.#cold ? stepMs * coldFactor(this.#tally.steps) : stepMs;
  }

  #count(stepMs: number): void {
    this.#tally.count(stepMs, this.#board, this.#mostRunning);
    this.#board.lastStepMs = stepMs;
  }

  /** Runs all steps that repeat the present one, up to the last before a finish, a lack of blocks, or untilMs. */
  #runSteadily(untilMs: number): void {
    const board = this.#board;
    const { load } = board;
    if (!board.decodes || board.decodable === 0) return;
    const step = this.#step!;
    const last = board.finishes.next() - 1;
    while (board.decodeSteps < last && step.endMs <= untilMs) {
      // In the order of the slow path: the step ends, its tokens count, the next one takes its blocks and is costed.
      this.#times.push(this.front === null ? step.endMs : this.front.deliver(step.endMs, board.decodable));
      this.#generationTokens += board.passDecodeStep();
      if (!board.takeForNextDecode()) {
        // Out of blocks: the scheduler must find room for the next step.
        this.#step = null;
        this.beginStep(step.endMs);
        return;
      }
      load.kvTokens = board.decodeKvTokens;
      const stepMs = this.#nextStepMs();
      this.#count(stepMs);
      step.startMs = step.endMs;
      step.endMs += stepMs;
    }
    if (this.#launch !== null) this.#formsMs = step.startMs;
  }

  #end(finishes: Finish[], firstTokens: ((own: CoreSequence, finished: boolean) => void) | null): void {
    const step = this.#step;
    invariant(step !== null, 'a step is begun before it is ended');
    this.#step = null;
    const board = this.#board;
    const { endMs } = step;
    const done: CoreSequence[] = [];
    if (!this.isPlain) this.#untold.begin(board.decodes);
    if (board.decodes) {
      this.#times.push(endMs);
      const made = board.passDecodeStep();
      this.#generationTokens += made;
      this.#untold.tokens += made;
      board.decodes = false;
      while (board.finishes.next() <= board.decodeSteps) {
        const own = board.finishes.pop();
        // A sequence that was preempted and resumed may stand in the heap more than once.
        own.finishAt = -1;
        done.push(own);
      }
      if (this.#times.isLarge) this.#forgetOldTimes();
    }
    for (const own of board.chunked) if (this.#endChunk(own, endMs, firstTokens)) done.push(own);
    board.chunked = [];
    // In the order of admission, as a server goes through its batch, because the blocks that are freed first are evicted first.
    if (done.length > 1) done.sort((a, b) => a.admission - b.admission);
    for (const own of done) this.#finish(own, endMs, finishes);
  }

  /** Says whether the answer is over with it. */
  #endChunk(
    own: CoreSequence,
    endMs: number,
    firstTokens: ((own: CoreSequence, finished: boolean) => void) | null,
  ): boolean {
    const tokens = own.chunk;
    own.chunk = 0;
    if (own.state !== 'prefilling') return false; // cancelled while the step ran
    own.computedTokens += tokens;
    if (own.computedTokens < own.inputTokens + own.madeBefore) return false; // prompt not yet whole
    if (own.madeBefore === 0) {
      this.#promptTokens += own.inputTokens;
      own.firstTokenMs = endMs;
    }
    this.#untold.made(own, own.madeBefore === 0);
    own.madeBefore++;
    this.#generationTokens++;
    if (this.#keepTimes) (own.earlierMs ??= []).push(endMs);
    const finished = own.madeBefore === own.outputTokens;
    firstTokens?.(own, finished);
    if (finished) return true;
    const { prefilling } = this.#board;
    prefilling.splice(prefilling.indexOf(own), 1);
    this.#board.startDecoding(own);
    return false;
  }

  #finish(own: CoreSequence, endMs: number, finishes: Finish[]): void {
    this.#board.leave(own, true);
    own.state = 'gone';
    this.#sequences.delete(own.id);
    this.#untold.over(own);
    finishes.push({
      id: own.id,
      firstTokenMs: own.firstTokenMs,
      endMs,
      tokenAtMs: own.earlierMs ?? [],
      cachedTokens: own.cachedTokens,
    });
  }

  /** A decoding sequence stops to decode: its token times are copied out of the engine's step times. */
  #keepStretch(own: CoreSequence): void {
    if (!this.#keepTimes) return;
    this.#times.append((own.earlierMs ??= []), own.joinedAt, this.#board.decodeSteps);
    this.#untold.stopped(own);
  }

  #forgetOldTimes(): void {
    let oldest = this.#board.decodeSteps;
    for (const own of this.#board.running) if (own.state === 'decoding') oldest = Math.min(oldest, own.joinedAt);
    this.#times.forgetBefore(oldest);
  }
}
