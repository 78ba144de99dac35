import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineProfile, EngineRequest, SchedulerName, SettingValue } from '../index.ts';
import { EngineCore } from '../index.ts';

/**
 * Second engines, slow and plain, written from what is published of vLLM's and MindIE's scheduling and not from the code beside
 * this file: no board, no sums, no phases, every token and every block counted one by one. Both must tell the same story, step
 * by step, of any load. A step takes 10 ms, 1 for each decode and 2 for each prompt token: whole numbers, so that times are equal and not close.
 */
const cost = { aMs: 10, cMsPerDecode: 1, p1MsPerPrefillToken: 2, kMsPer1000KvTokens: 0 };

interface Line {
  startMs: number;
  endMs: number;
  prefill: number;
  /** Who made a token, in the order of ids; ! = the last one. */
  made: string[];
  running: number;
  waiting: number;
  usedBlocks: number;
}

interface Story {
  lines: Line[];
  preemptions: number;
  recomputed: number;
  swappedOut: number;
}

/** A request in a second engine. */
class Plain {
  computed = 0;
  made = 0;
  blocks = 0;
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
    readonly settings: Record<string, number | boolean>,
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

  recompute(one: Plain): void {
    this.letGo(one);
    one.wasPreempted = true;
    this.story.preemptions++;
    this.story.recomputed += one.computed;
    one.computed = 0;
    this.waiting.unshift(one);
  }

  play(requests: readonly EngineRequest[]): Story {
    const queue = requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
    for (;;) {
      while (queue.length > 0 && queue[0]!.arrivalMs <= this.nowMs) this.waiting.push(new Plain(queue.shift()!));
      if (this.waiting.length + this.running.length === 0) {
        if (queue.length === 0) return this.story;
        this.nowMs = queue[0]!.arrivalMs;
        continue;
      }
      const step = this.form();
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
      this.letGo(one);
      this.running.splice(this.running.indexOf(one), 1);
    }
    this.nowMs += 10 + decodes + 2 * prefill;
    const names = made.toSorted((a, b) => a[0] - b[0]).map(([id, mark]) => `${id}${mark}`);
    this.story.lines.push({ startMs, endMs: this.nowMs, prefill, made: names, running, waiting, usedBlocks });
  }
}

/** vLLM V1: everybody wants what it has not computed; the budget goes to the running ones in order, then to the queue. */
class SecondVllm extends SecondEngine {
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
    while (!preempted && budget > 0 && this.waiting.length > 0) {
      if (this.running.length === this.number('max_num_seqs')) break;
      const one = this.waiting[0]!;
      let tokens = Math.min(one.want, threshold);
      const cut = tokens > budget;
      // A prompt longer than the budget that must not be cut would wait for ever: it goes alone.
      if (cut && this.settings['enable_chunked_prefill'] === false && this.running.length > 0) break;
      if (cut && this.settings['enable_chunked_prefill'] === true) tokens = budget;
      const inTheMiddle = step.filter(([other, part]) => part < other.want).length;
      if (tokens < one.want && inTheMiddle >= this.number('max_num_partial_prefills')) break;
      if (this.lacks(one, tokens)) break;
      this.take(one, tokens);
      this.waiting.shift();
      this.running.push(one);
      step.push([one, tokens]);
      budget -= tokens;
    }
    return step;
  }
}

/** MindIE: a step prefills or decodes; which, the policy says: prefill first (0), or the waste rule (1). */
class SecondMindie extends SecondEngine {
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
      this.take(one, one.want);
      this.waiting.shift();
      this.running.push(one);
      step.push([one, one.want]);
      tokens += one.want;
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
    const needed = (): number => this.running.filter((one) => this.blocksFor(one.computed + 1) > one.blocks).length;
    while (this.waiting[0]?.swapped === true && this.running.length < mostRunning) {
      const one = this.waiting[0];
      const blocks = this.blocksFor(one.computed);
      // Room for the next step of all, and a block for itself, or it would go again at once.
      const spare = this.running.length === 0 ? 0 : needed() + 1;
      if (blocks + spare > this.free) break;
      this.waiting.shift();
      one.swapped = false;
      one.decodes = true;
      this.take(one, 0);
      this.running.push(one);
    }
    while (needed() > this.free) {
      const youngest = this.running.pop()!;
      const inHost = this.waiting.filter((one) => one.swapped);
      const hostBlocks = inHost.reduce((sum, one) => sum + this.blocksFor(one.computed), 0);
      const threshold = this.number('cpuBlocks') * this.number('recomputeThreshold');
      if (inHost.length < this.number('maxPreemptCount') && hostBlocks + youngest.blocks <= threshold) {
        this.story.preemptions++;
        this.story.swappedOut += youngest.blocks;
        this.letGo(youngest);
        youngest.swapped = youngest.wasPreempted = true;
        this.waiting.unshift(youngest);
      } else this.recompute(youngest);
    }
    for (const one of this.running) this.take(one, 1);
    return this.running.map((one) => [one, 1]);
  }
}

/** The story that the engine itself tells. */
function told(
  name: SchedulerName,
  settings: Record<string, SettingValue>,
  kv: EngineProfile['kv'],
  requests: readonly EngineRequest[],
): Story {
  const profile: EngineProfile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'second',
    title: 'second',
    model: 'second',
    source: 'made up for tests',
    date: '2026',
    cost,
    jitter: { stepSigma: 0 },
    maxBatchSize: 4,
    maxPrefillTokens: 64,
    kv,
    prefixCaching: false,
    scheduler: { name, settings },
    notes: [],
  };
  const core = new EngineCore({ profile, seed: 1 });
  const queue = requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  const lines: Line[] = [];
  let nowMs = 0;
  for (;;) {
    while (queue.length > 0 && queue[0]!.arrivalMs <= nowMs) core.submit(queue.shift()!);
    const step = core.beginStep(nowMs);
    if (step === null && queue.length === 0) break;
    const { running, waiting, kvUsedBlocks } = core.counters();
    const nextMs = queue[0]?.arrivalMs ?? Infinity;
    const startMs = nowMs;
    nowMs = step === null ? nextMs : step.batchSize === 0 ? Math.min(step.endMs, nextMs) : step.endMs;
    if (step === null) continue;
    const made = core
      .endStep()
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, finished }) => `${id}${finished ? '!' : ''}`);
    if (step.batchSize > 0)
      lines.push({
        startMs,
        endMs: nowMs,
        prefill: step.prefillTokens,
        made,
        running,
        waiting,
        usedBlocks: kvUsedBlocks,
      });
  }
  const { preemptionsTotal, recomputedTokensTotal, swappedOutBlocksTotal } = core.counters();
  return { lines, preemptions: preemptionsTotal, recomputed: recomputedTokensTotal, swappedOut: swappedOutBlocksTotal };
}

const loads = fc
  .array(
    fc.record({
      inputTokens: fc.integer({ min: 1, max: 60 }),
      outputTokens: fc.integer({ min: 1, max: 40 }),
      arrivalMs: fc.integer({ min: 0, max: 1200 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((list) => list.map((request, id): EngineRequest => ({ id, ...request })));
const caches = fc.record({ blocks: fc.integer({ min: 13, max: 40 }), blockSize: fc.constantFrom(8, 16) });
const numRuns = process.env['LLMDYNO_LONG'] === '1' ? 5000 : 300;

describe('second engines tell the same story of any load', () => {
  it('vllm-v1: budget, chunks, long-prefill threshold, partial prefills, LIFO preemption, no admission in a preempting step', () => {
    const some = { preemptions: 0, cut: 0 };
    const settings = fc.record({
      max_num_seqs: fc.integer({ min: 1, max: 6 }),
      max_num_batched_tokens: fc.integer({ min: 6, max: 80 }),
      enable_chunked_prefill: fc.boolean(),
      long_prefill_token_threshold: fc.constantFrom(0, 0, 5, 17),
      max_num_partial_prefills: fc.constantFrom(1, 2, 100),
    });
    fc.assert(
      fc.property(loads, settings, caches, (requests, chosen, kv) => {
        const second = new SecondVllm(chosen, kv).play(requests);
        expect(told('vllm-v1', chosen, kv, requests)).toEqual(second);
        some.preemptions += second.preemptions;
        some.cut += second.lines.filter(({ prefill, made }) => prefill > 0 && made.length === 0).length;
      }),
      { numRuns, seed: 31 },
    );
    expect(some.preemptions).toBeGreaterThan(50);
    expect(some.cut).toBeGreaterThan(50);
  });

  it('mindie: prefill batches closed by count, tokens or delay, the waste rule, swapping up to maxPreemptCount, else recompute', () => {
    const some = { preemptions: 0, swappedOut: 0 };
    const settings = fc.record({
      maxBatchSize: fc.integer({ min: 1, max: 6 }),
      maxPrefillBatchSize: fc.integer({ min: 1, max: 4 }),
      maxPrefillTokens: fc.constantFrom(20, 64, 200),
      maxQueueDelayMicroseconds: fc.constantFrom(500, 5000, 100_000),
      supportSelectBatch: fc.boolean(),
      prefillTimeMsPerReq: fc.constantFrom(0, 150, 600),
      decodeTimeMsPerReq: fc.constantFrom(1, 50),
      maxPreemptCount: fc.constantFrom(0, 1, 3),
      cpuBlocks: fc.constantFrom(5, 20),
      recomputeThreshold: fc.constantFrom(0.5, 1),
    });
    fc.assert(
      fc.property(loads, settings, caches, (requests, chosen, kv) => {
        const second = new SecondMindie(chosen, kv).play(requests);
        expect(told('mindie', chosen, kv, requests)).toEqual(second);
        some.preemptions += second.preemptions;
        some.swappedOut += second.swappedOut;
      }),
      { numRuns, seed: 32 },
    );
    expect(some.preemptions).toBeGreaterThan(50);
    expect(some.swappedOut).toBeGreaterThan(50);
  });
});
