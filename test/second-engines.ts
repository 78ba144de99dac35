import type { EngineRequest } from '../src/engine/sim/index.ts';

/**
 * Second engines, slow and plain, written from what is published of vLLM's, MindIE's and SGLang's scheduling and not from src/engine/sim:
 * no board, no sums, no phases, every token and every block counted one by one. The engine must tell the same story, step by
 * step, of any load. A step takes 10 ms, 1 for each decode and 2 for each prompt token: whole numbers, so that times are equal and not close.
 */

/** One step. */
export interface Line {
  startMs: number;
  endMs: number;
  prefill: number;
  /** Who made a token, in the order of ids; ! = the last one. */
  made: string[];
  running: number;
  waiting: number;
  usedBlocks: number;
}

/** What an engine did, step by step. */
export interface Story {
  lines: Line[];
  preemptions: number;
  recomputed: number;
  swappedOut: number;
}

/** A request in a second engine. */
export class Plain {
  computed = 0;
  made = 0;
  blocks = 0;
  /** KV tokens that a preemption cost it. */
  lost = 0;
  /** Has caught up with its prompt since it was admitted: what follows are decodes. */
  decodes = false;
  wasPreempted = false;
  swapped = false;
  constructor(readonly request: EngineRequest) {}
  get want(): number {
    return this.request.inputTokens + this.made - this.computed;
  }
}

/** What both second engines share: the queue, the blocks, the clock. `form` says what is in a step, or until when to rest. */
abstract class SecondEngine {
  waiting: Plain[] = [];
  running: Plain[] = [];
  nowMs = 0;
  usedBlocks = 0;
  story: Story = { lines: [], preemptions: 0, recomputed: 0, swappedOut: 0 };
  constructor(
    readonly settings: Record<string, number | boolean | string>,
    readonly kv: { blocks: number; blockSize: number },
  ) {}

  abstract form(): [Plain, number][] | { restMs: number };

  number(name: string): number {
    return Number(this.settings[name]);
  }

  get free(): number {
    return this.kv.blocks - this.usedBlocks;
  }

  blocksFor(tokens: number): number {
    return Math.ceil(tokens / this.kv.blockSize);
  }

  lacks(one: Plain, tokens: number): boolean {
    return this.blocksFor(one.computed + tokens) - one.blocks > this.free;
  }

  take(one: Plain, tokens: number): void {
    const blocks = this.blocksFor(one.computed + tokens);
    this.usedBlocks += blocks - one.blocks;
    one.blocks = blocks;
  }

  letGo(one: Plain): void {
    this.usedBlocks -= one.blocks;
    one.blocks = 0;
    one.decodes = false;
  }

  /** It is over. */
  finish(one: Plain): void {
    this.letGo(one);
  }

  /** What a cache would spare one that waits counts as computed. */
  look(_one: Plain): void {}

  recompute(one: Plain): void {
    this.letGo(one);
    one.wasPreempted = true;
    this.story.preemptions++;
    one.lost = one.computed;
    one.computed = 0;
    this.waiting.unshift(one);
  }

  /** Blocks that one decode of everybody who can would take. */
  needed(): number {
    return this.running.filter((one) => one.decodes && this.blocksFor(one.computed + 1) > one.blocks).length;
  }

  /** The youngest leaves; its KV goes to the host. */
  swapOut(one: Plain): void {
    this.story.preemptions++;
    this.story.swappedOut += one.blocks;
    this.letGo(one);
    one.swapped = one.wasPreempted = true;
    this.waiting.unshift(one);
  }

  /** Those in front of the queue whose KV is with the host come back while there is room: for the next step of all, and a block for each. */
  swapIn(mostRunning: number): void {
    while (this.waiting[0]?.swapped === true && this.running.length < mostRunning) {
      const one = this.waiting[0];
      const spare = this.running.length === 0 ? 0 : this.needed() + 1;
      if (this.blocksFor(one.computed) + spare > this.free) break;
      this.waiting.shift();
      one.swapped = false;
      one.decodes = true;
      this.take(one, 0);
      this.running.push(one);
    }
  }

  hostBlocks(): number {
    return this.waiting.filter((one) => one.swapped).reduce((sum, one) => sum + this.blocksFor(one.computed), 0);
  }

  admit(one: Plain, tokens: number): [Plain, number] {
    this.story.recomputed += Math.max(0, one.lost - one.computed);
    one.lost = 0;
    this.take(one, tokens);
    this.waiting.shift();
    this.running.push(one);
    return [one, tokens];
  }

  decodeAll(): [Plain, number][] {
    const those = this.running.filter((one) => one.decodes);
    for (const one of those) this.take(one, 1);
    return those.map((one) => [one, 1]);
  }

  play(requests: readonly EngineRequest[]): Story {
    const queue = requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
    // With steps formed ahead, who came after the last one was formed is not seen by this one, unless there would be none.
    const unseen: Plain[] = [];
    const came = this.settings['async_scheduling'] === true ? unseen : this.waiting;
    for (;;) {
      while (queue.length > 0 && queue[0]!.arrivalMs <= this.nowMs) came.push(new Plain(queue.shift()!));
      if (this.waiting.length + this.running.length === 0) this.waiting.push(...unseen.splice(0));
      if (this.waiting.length + this.running.length === 0) {
        if (queue.length === 0) return this.story;
        this.nowMs = queue[0]!.arrivalMs;
        continue;
      }
      const step = this.form();
      this.waiting.push(...unseen.splice(0));
      if ('restMs' in step) this.nowMs = Math.min(step.restMs, queue[0]?.arrivalMs ?? Infinity);
      else this.run(step);
    }
  }

  run(step: [Plain, number][]): void {
    const [running, waiting, usedBlocks, startMs] = [
      this.running.length,
      this.waiting.length,
      this.usedBlocks,
      this.nowMs,
    ];
    let prefill = 0;
    let decodes = 0;
    const made: [number, string][] = [];
    for (const [one, tokens] of step) {
      if (one.decodes) decodes++;
      else prefill += tokens;
      one.computed += tokens;
      if (one.want > 0) continue;
      one.made++;
      one.decodes = true;
      const over = one.made === one.request.outputTokens;
      made.push([one.request.id, over ? '!' : '']);
      if (!over) continue;
      this.finish(one);
      this.running.splice(this.running.indexOf(one), 1);
    }
    this.nowMs += 10 + decodes + 2 * prefill;
    const names = made.toSorted((a, b) => a[0] - b[0]).map(([id, mark]) => `${id}${mark}`);
    this.story.lines.push({ startMs, endMs: this.nowMs, prefill, made: names, running, waiting, usedBlocks });
  }
}

/** vLLM V1: everybody wants what it has not computed; the budget goes to the running ones in order, then to the queue. */
export class SecondVllm extends SecondEngine {
  form(): [Plain, number][] {
    const step: [Plain, number][] = [];
    let budget = this.number('max_num_batched_tokens');
    const threshold = this.number('long_prefill_token_threshold') || Infinity;
    let preempted = false;
    for (let i = 0; i < this.running.length && budget > 0; i++) {
      const one = this.running[i]!;
      const tokens = Math.min(one.want, threshold, budget);
      while (this.running.includes(one) && this.lacks(one, tokens)) {
        this.recompute(this.running.pop()!);
        preempted = true;
      }
      if (!this.running.includes(one)) break;
      this.take(one, tokens);
      step.push([one, tokens]);
      budget -= tokens;
    }
    return preempted ? step : [...step, ...this.admissions(step)];
  }

  /** Who joins a step that preempted nobody. */
  admissions(running: readonly [Plain, number][]): [Plain, number][] {
    const step: [Plain, number][] = [];
    let budget = running.reduce((left, [, tokens]) => left - tokens, this.number('max_num_batched_tokens'));
    const threshold = this.number('long_prefill_token_threshold') || Infinity;
    while (budget > 0 && this.waiting.length > 0) {
      if (this.running.length === this.number('max_num_seqs')) break;
      const one = this.waiting[0]!;
      this.look(one);
      let tokens = Math.min(one.want, threshold);
      const cut = tokens > budget;
      // A prompt longer than the budget that must not be cut would wait for ever: it goes alone.
      if (cut && this.settings['enable_chunked_prefill'] === false && this.running.length > 0) break;
      if (cut && this.settings['enable_chunked_prefill'] === true) tokens = budget;
      const inTheMiddle = [...running, ...step].filter(([other, part]) => part < other.want).length;
      if (tokens < one.want && inTheMiddle >= this.number('max_num_partial_prefills')) break;
      if (this.lacks(one, tokens)) break;
      step.push(this.admit(one, tokens));
      budget -= tokens;
    }
    return step;
  }
}

/** MindIE: a step prefills or decodes; which, the policy says: prefill first (0), or the waste rule (1). */
export class SecondMindie extends SecondEngine {
  waste = 0;
  form(): [Plain, number][] | { restMs: number } {
    const [mostPrompts, mostTokens, mostRunning] = ['maxPrefillBatchSize', 'maxPrefillTokens', 'maxBatchSize'].map(
      (name) => this.number(name),
    ) as [number, number, number];
    const head = this.waiting[0];
    if (head !== undefined && this.running.length === 0 && !head.wasPreempted) {
      const tokens = this.waiting.slice(0, mostPrompts).reduce((sum, one) => sum + one.want, 0);
      const isClosed = this.waiting.length >= Math.min(mostPrompts, mostRunning) || tokens >= mostTokens;
      const restMs = head.request.arrivalMs + this.number('maxQueueDelayMicroseconds') / 1000;
      if (!isClosed && this.nowMs < restMs) return { restMs };
    }
    const step: [Plain, number][] = [];
    let tokens = 0;
    while (this.waiting.length > 0 && (step.length > 0 || this.wantsPrefill())) {
      const one = this.waiting[0]!;
      if (one.swapped || step.length >= mostPrompts || this.running.length >= mostRunning) break;
      if (step.length > 0 && tokens + one.want > mostTokens) break;
      if (this.lacks(one, one.want)) break;
      tokens += one.want;
      step.push(this.admit(one, one.want));
    }
    if (this.waiting.length === 0 && step.length === 0) this.waste = 0;
    return step.length > 0 ? step : this.decode(mostRunning);
  }

  wantsPrefill(): boolean {
    if (this.settings['supportSelectBatch'] === false) return true;
    const [most, running] = [this.number('maxBatchSize'), this.running.length];
    if (running <= most) this.waste += this.number('decodeTimeMsPerReq') * (most - running);
    if (this.number('prefillTimeMsPerReq') * running > this.waste) return false;
    this.waste = 0;
    return true;
  }

  decode(mostRunning: number): [Plain, number][] {
    this.swapIn(mostRunning);
    while (this.needed() > this.free) {
      const youngest = this.running.pop()!;
      const swapped = this.waiting.filter((one) => one.swapped).length;
      const threshold = this.number('cpuBlocks') * this.number('recomputeThreshold');
      if (swapped < this.number('maxPreemptCount') && this.hostBlocks() + youngest.blocks <= threshold)
        this.swapOut(youngest);
      else this.recompute(youngest);
    }
    return this.decodeAll();
  }
}

/** vLLM V0: whole prompts first, in steps of their own, but for the watermark; then everybody decodes. */
export class SecondVllmV0 extends SecondEngine {
  form(): [Plain, number][] {
    const step: [Plain, number][] = [];
    let budget = this.number('max_num_batched_tokens');
    while (this.waiting.length > 0 && !this.waiting[0]!.swapped) {
      const one = this.waiting[0]!;
      const kept = this.running.length === 0 ? 0 : Math.floor(this.number('watermark') * this.kv.blocks);
      if (this.running.length === this.number('max_num_seqs') || (step.length > 0 && one.want > budget)) break;
      if (this.blocksFor(one.want) + kept > this.free) break;
      budget -= one.want;
      step.push(this.admit(one, one.want));
    }
    if (step.length > 0) return step;
    let preempted = false;
    while (this.needed() > this.free) {
      const youngest = this.running.pop()!;
      const left = this.number('num_cpu_blocks') - this.hostBlocks();
      if (this.settings['preemption_mode'] === 'swap' && youngest.blocks <= left) this.swapOut(youngest);
      else this.recompute(youngest);
      preempted = true;
    }
    if (!preempted) this.swapIn(this.number('max_num_seqs'));
    return this.decodeAll();
  }
}

/** SGLang: while prompts can be extended nobody decodes; a long one goes in chunks. */
export class SecondSglang extends SecondEngine {
  form(): [Plain, number][] {
    const step: [Plain, number][] = [];
    const chunk = this.number('chunked_prefill_size') > 0 ? this.number('chunked_prefill_size') : Infinity;
    let budget = Math.min(this.number('max_prefill_tokens'), chunk);
    for (const one of this.running.filter(({ decodes }) => !decodes)) {
      const tokens = Math.min(one.want, budget);
      if (tokens === 0 || this.lacks(one, tokens)) continue;
      this.take(one, tokens);
      budget -= tokens;
      step.push([one, tokens]);
    }
    while (budget > 0 && this.waiting.length > 0 && this.running.length < this.number('max_running_requests')) {
      const one = this.waiting[0]!;
      const isLong = one.want > budget;
      if (isLong && chunk === Infinity && step.length > 0) break;
      const tokens = isLong && chunk < Infinity ? budget : one.want;
      const kept = this.running.length === 0 ? 0 : Math.floor(this.number('new_token_ratio') * this.kv.blocks);
      if (this.blocksFor(tokens) + kept > this.free) break;
      budget -= tokens;
      step.push(this.admit(one, tokens));
    }
    if (step.length > 0) return step;
    while (this.needed() > this.free) this.recompute(this.running.pop()!);
    return this.decodeAll();
  }
}

/** The batch that never refills. */
export class SecondStatic extends SecondEngine {
  form(): [Plain, number][] {
    const step: [Plain, number][] = [];
    if (this.running.length > 0) return this.decodeAll();
    while (this.waiting.length > 0 && step.length < this.number('maxBatchSize'))
      step.push(this.admit(this.waiting[0]!, this.waiting[0]!.want));
    return step;
  }
}
