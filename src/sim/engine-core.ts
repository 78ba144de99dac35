import { invariant, randomStream } from '../core/index.ts';
import type { CostModel } from './cost/cost-model.ts';
import { jitteredCost } from './cost/jittered-cost.ts';
import { linearCost } from './cost/linear-cost.ts';
import type { EngineProfile } from './engine-profile.ts';
import { KvBlocks } from './kv/kv-blocks.ts';
import { continuousFcfs } from './scheduler/continuous-fcfs.ts';
import type { Batch, Scheduler, Sequence } from './scheduler/scheduler.ts';

/** Tokens in a KV block where the profile sets no KV limit (vLLM's default). */
const defaultBlockSize = 16;

/** One request as it enters the engine. Ids are never used twice. */
export interface EngineRequest {
  id: number;
  inputTokens: number;
  /** How many tokens the answer will have; only the core knows, never the scheduler. */
  outputTokens: number;
  arrivalMs: number;
}

/** A step under way. */
export interface Step {
  startMs: number;
  endMs: number;
  batchSize: number;
  prefillTokens: number;
}

/** One output token, at the end of the step that made it. */
export interface Emission {
  id: number;
  /** 0 = the first token. */
  tokenIndex: number;
  finished: boolean;
}

/** What an engine shows of itself. */
export interface EngineCounters {
  running: number;
  waiting: number;
  kvUsedBlocks: number;
  /** null = without limit. */
  kvTotalBlocks: number | null;
  kvBlockSize: number;
  /** null = without limit. */
  kvUsageRatio: number | null;
  promptTokensTotal: number;
  generationTokensTotal: number;
  preemptionsTotal: number;
  stepsTotal: number;
  /** Time spent in steps. */
  busyMs: number;
}

/** A core is made from a profile; scheduler and cost take the place of what the profile says. */
export interface EngineCoreOptions {
  profile: EngineProfile;
  seed: number;
  scheduler?: Scheduler;
  cost?: CostModel;
}

/**
 * The engine without a clock: whoever drives it says what time it is and waits for the steps to end.
 * The virtual-time runner and the HTTP engine drive this same class. Order of calls:
 * beginStep, then endStep once its endMs is reached; submit and cancel at any moment.
 */
export class EngineCore {
  readonly #scheduler: Scheduler;
  readonly #cost: CostModel;
  readonly #kv: KvBlocks;
  readonly #outputTokens = new Map<number, number>();
  #waiting: Sequence[] = [];
  #running: Sequence[] = [];
  #step: (Step & { batch: Batch }) | null = null;
  #promptTokens = 0;
  #generationTokens = 0;
  #preemptions = 0;
  #steps = 0;
  #busyMs = 0;

  constructor(options: EngineCoreOptions) {
    const { profile, seed } = options;
    const jitter = randomStream(seed, 'engine step jitter');
    this.#scheduler = options.scheduler ?? continuousFcfs(profile);
    this.#cost = options.cost ?? jitteredCost(linearCost(profile.cost), profile.jitter.stepSigma, jitter);
    this.#kv = new KvBlocks(profile.kv ?? { blocks: null, blockSize: defaultBlockSize });
  }

  /** Whether a request of this size could ever be served; one that could not must not be submitted. */
  fits(inputTokens: number, outputTokens: number): boolean {
    return this.#kv.couldHold(inputTokens + outputTokens);
  }

  /** Puts a request at the end of the queue. */
  submit(request: EngineRequest): void {
    const { id, inputTokens, outputTokens, arrivalMs } = request;
    invariant(inputTokens >= 1 && outputTokens >= 1, 'a request has at least one token on either side');
    invariant(!this.#outputTokens.has(id), 'a request is submitted once');
    invariant(this.fits(inputTokens, outputTokens), 'a request that never fits is not submitted');
    this.#outputTokens.set(id, outputTokens);
    this.#waiting.push({ id, inputTokens, arrivalMs, generatedTokens: 0, computedTokens: 0 });
  }

  /** Takes a request out, wherever it is; its blocks are free at once. False when it is not there any more. */
  cancel(id: number): boolean {
    if (!this.#outputTokens.delete(id)) return false;
    this.#kv.release(id);
    this.#waiting = this.#waiting.filter((sequence) => sequence.id !== id);
    this.#running = this.#running.filter((sequence) => sequence.id !== id);
    return true;
  }

  /** Starts the next step at nowMs; null when there is nothing to do. */
  beginStep(nowMs: number): Step | null {
    invariant(this.#step === null, 'one step runs at a time');
    if (this.#waiting.length === 0 && this.#running.length === 0) return null;
    const batch = this.#scheduler.form(this.#waiting, this.#running, this.#kv);
    this.#move(batch);
    const batchSize = batch.decodes.length + batch.prefills.length;
    invariant(batchSize > 0, 'an engine with work to do never forms an empty step');
    let kvTokens = 0;
    for (const sequence of batch.decodes) kvTokens += sequence.inputTokens + sequence.generatedTokens;
    let prefillTokens = 0;
    for (const chunk of batch.prefills) prefillTokens += chunk.tokens;
    const stepMs = this.#cost.stepMs({ decodes: batch.decodes.length, prefillTokens, kvTokens });
    this.#steps++;
    this.#busyMs += stepMs;
    this.#step = { startMs: nowMs, endMs: nowMs + stepMs, batchSize, prefillTokens, batch };
    return this.#step;
  }

  /** Ends the step under way and says which tokens it made, decodes first. */
  endStep(): Emission[] {
    invariant(this.#step !== null, 'a step is begun before it is ended');
    const { decodes, prefills } = this.#step.batch;
    this.#step = null;
    const emissions: Emission[] = [];
    for (const sequence of decodes) this.#advance(sequence, 1, emissions);
    for (const { sequence, tokens } of prefills) this.#advance(sequence, tokens, emissions);
    if (emissions.some((emission) => emission.finished)) {
      this.#running = this.#running.filter((sequence) => this.#outputTokens.has(sequence.id));
    }
    return emissions;
  }

  counters(): EngineCounters {
    return {
      running: this.#running.length,
      waiting: this.#waiting.length,
      kvUsedBlocks: this.#kv.used,
      kvTotalBlocks: this.#kv.total,
      kvBlockSize: this.#kv.blockSize,
      kvUsageRatio: this.#kv.usageRatio,
      promptTokensTotal: this.#promptTokens,
      generationTokensTotal: this.#generationTokens,
      preemptionsTotal: this.#preemptions,
      stepsTotal: this.#steps,
      busyMs: this.#busyMs,
    };
  }

  #move(batch: Batch): void {
    if (batch.preempted.length > 0) {
      const out = new Set<Sequence>(batch.preempted);
      for (const sequence of out) sequence.computedTokens = 0;
      this.#running = this.#running.filter((sequence) => !out.has(sequence));
      this.#waiting = [...batch.preempted.toReversed(), ...this.#waiting];
      this.#preemptions += out.size;
    }
    // A chunk of a sequence that already runs is no admission.
    const admitted = batch.prefills.filter(({ sequence }) => sequence.computedTokens === 0).map((p) => p.sequence);
    if (admitted.length === 0) return;
    if (admitted.every((sequence, i) => sequence === this.#waiting[i])) this.#waiting.splice(0, admitted.length);
    else {
      const chosen = new Set(admitted);
      this.#waiting = this.#waiting.filter((sequence) => !chosen.has(sequence));
    }
    this.#running.push(...admitted);
  }

  #advance(sequence: Sequence, tokens: number, emissions: Emission[]): void {
    const outputTokens = this.#outputTokens.get(sequence.id);
    if (outputTokens === undefined) return; // cancelled while the step ran
    sequence.computedTokens += tokens;
    if (sequence.computedTokens < sequence.inputTokens + sequence.generatedTokens) return; // prompt not yet whole
    if (sequence.generatedTokens === 0) this.#promptTokens += sequence.inputTokens;
    const tokenIndex = sequence.generatedTokens++;
    this.#generationTokens++;
    const finished = sequence.generatedTokens === outputTokens;
    if (finished) {
      this.#outputTokens.delete(sequence.id);
      this.#kv.release(sequence.id);
    }
    emissions.push({ id: sequence.id, tokenIndex, finished });
  }
}
