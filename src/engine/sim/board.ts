import { invariant } from '../../core/index.ts';
import type { StepLoad } from './cost/cost-model.ts';
import { FinishHeap } from './finish-heap.ts';
import { KvBlocks } from './kv/kv-blocks.ts';
import type { KvShape } from './kv/kv-blocks.ts';
import { PrefixCache } from './kv/prefix-cache.ts';
import type { SchedulerState } from './scheduler/scheduler.ts';
import type { CoreSequence, Sequence } from './sequence.ts';
import { SequenceQueue } from './sequence-queue.ts';

/**
 * Who waits, who runs, who holds which blocks, and the step being formed. Decoding sequences advance together, so only
 * the engine's decode-step number and sums are kept per step; each one's own progress follows from when it joined.
 */
export class EngineBoard implements SchedulerState {
  nowMs = 0;
  lastStepMs: number | null = null;
  readonly kv: KvBlocks;
  readonly waiting = new SequenceQueue();
  /** Came after the next step was formed. */
  readonly heard: CoreSequence[] = [];
  running: CoreSequence[] = [];
  prefilling: CoreSequence[] = [];
  readonly finishes = new FinishHeap();
  readonly prefixes: PrefixCache | null;
  /** Decode steps so far. */
  decodeSteps = 0;
  decodable = 0;
  /** KV tokens that the next decode step of everybody attends to. */
  decodeKvTokens = 0;
  /** The step being formed. */
  readonly load: StepLoad = { decodes: 0, prompts: 0, prefillTokens: 0, kvTokens: 0, prefillAttention: 0 };
  chunked: CoreSequence[] = [];
  decodes = false;
  sittingOut: CoreSequence[] = [];
  /** The step is a rest until then; null = it works. */
  restsUntilMs: number | null = null;
  readonly totals = {
    preemptions: 0,
    recomputedTokens: 0,
    prefilledTokens: 0,
    swappedOutBlocks: 0,
    swappedInBlocks: 0,
  };
  /** Called when a sequence's token times up to now have to be written down. */
  onStretchEnd: (sequence: CoreSequence) => void = () => {};
  readonly #phases: BlockPhases;
  #admissions = 0;

  constructor(shape: KvShape, prefixCaching: boolean) {
    this.kv = new KvBlocks(shape);
    this.#phases = new BlockPhases(shape.blockSize);
    this.prefixes = prefixCaching ? new PrefixCache(shape.blocks !== null) : null;
  }

  beginForming(nowMs: number): void {
    this.nowMs = nowMs;
    const { load } = this;
    load.decodes = load.prompts = load.prefillTokens = load.kvTokens = load.prefillAttention = 0;
    this.decodes = false;
    this.restsUntilMs = null;
    if (this.chunked.length > 0) this.chunked = [];
    if (this.sittingOut.length > 0) this.sittingOut = [];
  }

  /**
   * Puts a request at the end of the queue; `later` = the next step is formed already, so the step after it is the first to see the
   * request.
   */
  enqueue(own: CoreSequence, later: boolean): void {
    if (later) this.heard.push(own);
    else this.waiting.push(own);
  }

  dequeue(own: CoreSequence): void {
    const at = this.heard.indexOf(own);
    if (at === -1) this.waiting.remove(own);
    else this.heard.splice(at, 1);
  }

  /** Moves requests that came while a step ran into the queue; returns whether there were any. */
  letHeardWait(): boolean {
    if (this.heard.length === 0) return false;
    const came = this.heard.splice(0);
    for (const own of came) this.waiting.push(own);
    return true;
  }

  remaining(sequence: Sequence): number {
    const own = sequence as CoreSequence;
    if (own.state === 'decoding') return 0;
    const whole = own.inputTokens + own.madeBefore;
    return own.state === 'waiting' ? whole - this.#cachedNow(own) : whole - own.computedTokens;
  }

  blocksToPrefill(sequence: Sequence, tokens: number): number {
    const own = sequence as CoreSequence;
    const start = own.state === 'waiting' ? this.#cachedNow(own) : own.computedTokens;
    const blocks = this.kv.blocksFor(start + tokens);
    if (own.state !== 'waiting') return Math.max(0, blocks - own.blocks);
    // Cached blocks that nobody holds count as free, so that taking them is taking free ones.
    return start === 0 || own.keys === null
      ? blocks
      : blocks - this.prefixes!.held(own.keys.prompt, start / this.kv.blockSize);
  }

  blocksHeld(sequence: Sequence): number {
    const own = sequence as CoreSequence;
    return own.state === 'decoding' ? this.#blocksOfDecoding(own, own.generatedAt(this.decodeSteps)) : own.blocks;
  }

  rest(untilMs: number): void {
    invariant(untilMs > this.nowMs, 'an engine rests until later');
    this.restsUntilMs = untilMs;
  }

  blocksToDecode(): number {
    let needed = this.#phases.needed(this.decodeSteps);
    for (const own of this.sittingOut) if (this.#needsBlock(own)) needed--;
    return needed;
  }

  decodeAll(): void {
    const decodes = this.decodable - this.sittingOut.length;
    if (decodes === 0) return;
    invariant(this.#take(this.blocksToDecode()), 'a decode step is formed only when its blocks are free');
    this.decodes = true;
    this.load.decodes = decodes;
    this.load.kvTokens = this.decodeKvTokens;
    for (const own of this.sittingOut) this.load.kvTokens -= own.inputTokens + own.generatedAt(this.decodeSteps);
  }

  /** Takes the blocks for one more decode step of all sequences; false, and nothing taken, when there are too few. */
  takeForNextDecode(): boolean {
    return this.#take(this.#phases.needed(this.decodeSteps));
  }

  sitOut(sequence: Sequence): void {
    const own = sequence as CoreSequence;
    invariant(!this.decodes && own.state === 'decoding', 'only a decoding sequence sits out, before the step decodes');
    own.sitsOut = true;
    this.sittingOut.push(own);
  }

  prefill(sequence: Sequence, tokens: number): boolean {
    const own = sequence as CoreSequence;
    invariant(tokens >= 1 && tokens <= this.remaining(own), 'a chunk holds some of what remains');
    invariant(own.chunk === 0 && !own.swapped, 'a sequence stands once in a step');
    if (!this.kv.take(this.blocksToPrefill(own, tokens))) return false;
    // Admitted before anything is evicted, so that the cached blocks that it found stay.
    if (own.state === 'waiting') this.#admit(own);
    this.#evictForRoom();
    this.#publish(own, own.computedTokens + tokens);
    own.blocks = this.kv.blocksFor(own.computedTokens + tokens);
    own.chunk = tokens;
    this.chunked.push(own);
    this.load.prompts++;
    this.load.prefillTokens += tokens;
    this.load.prefillAttention += tokens * (own.computedTokens + tokens / 2);
    return true;
  }

  preempt(sequence: Sequence, how: 'recompute' | 'swap'): void {
    const own = sequence as CoreSequence;
    invariant(!this.decodes && own.chunk === 0, 'what is in the step is not preempted');
    const wasDecoding = own.state === 'decoding';
    const swaps = how === 'swap' && wasDecoding;
    const held = this.leave(own);
    own.state = 'waiting';
    own.preemptions++;
    this.totals.preemptions++;
    if (swaps) {
      own.swapped = true;
      own.blocks = held;
      this.totals.swappedOutBlocks += held;
    } else {
      own.lostTokens = wasDecoding ? own.inputTokens + own.madeBefore - 1 : own.computedTokens;
      own.computedTokens = 0;
    }
    this.waiting.unshift(own);
  }

  swapIn(sequence: Sequence): boolean {
    const own = sequence as CoreSequence;
    invariant(own.swapped && own.state === 'waiting', 'only what was swapped out comes back');
    if (!this.#take(own.blocks)) return false;
    this.waiting.remove(own);
    own.swapped = false;
    own.admission = ++this.#admissions;
    this.running.push(own);
    this.totals.swappedInBlocks += own.blocks;
    this.startDecoding(own);
    return true;
  }

  /** The sequence's prompt is whole and its next token is made by a decode step. */
  startDecoding(own: CoreSequence): void {
    own.state = 'decoding';
    own.joinedAt = this.decodeSteps;
    own.finishAt = this.decodeSteps + own.outputTokens - own.madeBefore;
    this.decodable++;
    this.decodeKvTokens += own.inputTokens + own.madeBefore;
    this.#phases.join(this.decodeSteps, own.inputTokens + own.madeBefore);
    this.finishes.push(own);
  }

  /** One decode step has ended: every decoding sequence that took part has one token more. Returns how many tokens. */
  passDecodeStep(): number {
    const out =
      this.sittingOut.length > 0 ? this.sittingOut.filter((own) => own.state === 'decoding') : this.sittingOut;
    for (const own of out) this.#holdBack(own);
    this.decodeSteps++;
    const made = this.decodable;
    this.decodeKvTokens += made;
    for (const own of out) this.#letOn(own);
    return made;
  }

  /** Takes a sequence out of the running set and frees its blocks; returns how many. `whole` = its answer is complete, not preempted. */
  leave(own: CoreSequence, whole = false): number {
    let blocks = own.blocks;
    if (own.state === 'decoding') {
      const generated = own.generatedAt(this.decodeSteps);
      blocks = this.#blocksOfDecoding(own, generated);
      this.#stopDecoding(own, generated);
    } else if (own.state === 'prefilling') this.prefilling.splice(this.prefilling.indexOf(own), 1);
    if (this.running.at(-1) === own) this.running.pop();
    else this.running.splice(this.running.indexOf(own), 1);
    if (whole) this.#publishAnswer(own, blocks);
    this.#giveBack(own, blocks);
    return blocks;
  }

  /** Blocks that are held, counted one sequence after the other; the tests compare it with the running count. */
  recountBlocks(): number {
    let own = 0;
    for (const sequence of this.running) own += this.blocksHeld(sequence) - sequence.sharedBlocks;
    return own + (this.prefixes?.heldBlocks() ?? 0);
  }

  #blocksOfDecoding(own: CoreSequence, generated: number): number {
    const underWay = this.decodes && !own.sitsOut ? 1 : 0;
    return this.kv.blocksFor(own.inputTokens + generated - 1 + underWay);
  }

  #stopDecoding(own: CoreSequence, generated: number): void {
    this.onStretchEnd(own);
    this.decodable--;
    this.decodeKvTokens -= own.inputTokens + generated;
    this.#phases.leave(this.decodeSteps, own.inputTokens + generated);
    own.madeBefore = generated;
  }

  #holdBack(own: CoreSequence): void {
    this.#stopDecoding(own, own.generatedAt(this.decodeSteps));
    own.state = 'prefilling';
  }

  #letOn(own: CoreSequence): void {
    own.sitsOut = false;
    this.startDecoding(own);
  }

  #needsBlock(own: CoreSequence): boolean {
    return (own.inputTokens + own.generatedAt(this.decodeSteps) - 1) % this.kv.blockSize === 0;
  }

  #admit(own: CoreSequence): void {
    const start = this.#cachedNow(own);
    const { prefixes } = this;
    if (prefixes !== null && own.keys !== null) {
      own.sharedBlocks = start / this.kv.blockSize;
      own.keepsApart = false;
      prefixes.hold(own.keys.prompt, own.sharedBlocks);
      // Blocks that a sequence finds in the cache after a preemption are its own and count as no hit.
      if (own.preemptions === 0) {
        prefixes.lookedUpTokens += own.inputTokens;
        prefixes.foundTokens += start;
        own.cachedTokens = start;
      }
    }
    // What the prefix cache still has need not be computed again.
    this.totals.recomputedTokens += Math.max(0, own.lostTokens - start);
    own.lostTokens = 0;
    this.waiting.remove(own);
    own.computedTokens = start;
    own.state = 'prefilling';
    own.admission = ++this.#admissions;
    this.running.push(own);
    this.prefilling.push(own);
  }

  /** Prompt tokens that the prefix cache would spare it now: whole blocks, and never the whole prompt. */
  #cachedNow(own: CoreSequence): number {
    if (this.prefixes === null || own.keys === null) return own.sparedTokens;
    const { blockSize } = this.kv;
    return this.prefixes.found(own.keys.prompt, Math.floor((own.inputTokens - 1) / blockSize)) * blockSize;
  }

  /** Enters the blocks that this step fills into the cache: other sequences of the same step may use them, as in vLLM. */
  #publish(own: CoreSequence, tokens: number): void {
    if (this.prefixes !== null && own.keys !== null) this.#publishAs(own, own.keys.prompt, this.#wholeBlocks(tokens));
  }

  #publishAs(own: CoreSequence, keys: Float64Array, most: number): void {
    const end = Math.min(most, keys.length);
    while (!own.keepsApart && own.sharedBlocks < end) {
      if (this.prefixes!.add(keys[own.sharedBlocks]!)) own.sharedBlocks++;
      else own.keepsApart = true;
    }
  }

  /** Keeps a finished answer in the cache behind its prompt, because the next turn of the conversation begins with both. */
  #publishAnswer(own: CoreSequence, blocks: number): void {
    if (this.prefixes === null || own.keys?.withAnswer === undefined || own.keepsApart) return;
    const keys = own.keys.withAnswer();
    const { prompt } = own.keys;
    for (let i = 0; i < own.sharedBlocks; i++) if (keys[i] !== prompt[i]) return;
    const held = own.sharedBlocks;
    this.#publishAs(own, keys, Math.min(blocks, this.#wholeBlocks(own.inputTokens + own.madeBefore - 1)));
    if (own.sharedBlocks > held) own.keys = { prompt: keys };
  }

  #wholeBlocks(tokens: number): number {
    return Math.floor(tokens / this.kv.blockSize);
  }

  #take(blocks: number): boolean {
    if (!this.kv.take(blocks)) return false;
    this.#evictForRoom();
    return true;
  }

  /** Idle cached blocks count as free; what was taken beyond the truly empty ones is taken from them. */
  #evictForRoom(): void {
    const { prefixes, kv } = this;
    if (prefixes !== null && prefixes.idleBlocks > kv.free) prefixes.evict(prefixes.idleBlocks - kv.free);
  }

  #giveBack(own: CoreSequence, blocks: number): void {
    let given = blocks - own.sharedBlocks;
    if (own.sharedBlocks > 0) {
      const idleBefore = this.prefixes!.idleBlocks;
      this.prefixes!.release(own.keys!.prompt, own.sharedBlocks);
      given += this.prefixes!.idleBlocks - idleBefore;
      own.sharedBlocks = 0;
    }
    this.kv.give(given);
    own.blocks = 0;
  }
}

/**
 * When decoding sequences need their next block. A sequence that decodes one token per step crosses a block's edge
 * every blockSize steps, so it is enough to count how many cross at each remainder of the step number.
 */
class BlockPhases {
  readonly #count: Int32Array;

  constructor(private readonly blockSize: number) {
    this.#count = new Int32Array(blockSize);
  }

  /** A sequence whose decode step number `step` will attend to `tokens` tokens, its own included. */
  join(step: number, tokens: number): void {
    this.#count[this.#phase(step, tokens)]!++;
  }

  leave(step: number, tokens: number): void {
    this.#count[this.#phase(step, tokens)]!--;
  }

  /** Blocks that decode step number `step` needs beyond those that are held. */
  needed(step: number): number {
    const size = this.blockSize;
    return this.#count[(size - (step % size)) % size]!;
  }

  /** The sequence needs a block at every step with (phase + step) divisible by the block size. */
  #phase(step: number, tokens: number): number {
    const size = this.blockSize;
    return (((tokens - 1 - step) % size) + size) % size;
  }
}
