import { Plain, SecondVllm } from './second-engines.ts';

/** What the cache knows of a request that is being served. */
interface Known {
  /** Of its blocks, the first so many are in the cache under their keys. */
  shared: number;
  /** The same text was cached by another while it computed its own: what follows stays its own. */
  apart: boolean;
}

/**
 * The second vLLM V1 with a prefix cache: whole blocks of prompts by their keys, each with its holders; those that nobody holds wait in
 * the order in which they were let go, the last block of a request first, and go when a block is needed and none is empty.
 */
export class SecondCachingVllm extends SecondVllm {
  readonly holders = new Map<number, number>();
  idle: number[] = [];
  readonly known = new Map<Plain, Known>();

  found(one: Plain): number {
    const keys = one.request.keys!.prompt;
    const most = Math.min(keys.length, Math.floor((one.request.inputTokens - 1) / this.kv.blockSize));
    let count = 0;
    while (count < most && this.holders.has(keys[count]!)) count++;
    return count;
  }

  /** Who goes is decided before anybody who stays takes a block, for which a cached one might have to go; decodes take theirs first. */
  override form(): [Plain, number][] {
    const wishes = (): [Plain, number][] => {
      let budget = this.number('max_num_batched_tokens');
      return this.running.flatMap((one): [Plain, number][] => {
        const tokens = Math.min(one.want, this.number('long_prefill_token_threshold') || Infinity, budget);
        budget -= tokens;
        return tokens > 0 ? [[one, tokens]] : [];
      });
    };
    const blocks = (): number =>
      wishes().reduce((sum, [one, tokens]) => sum + this.blocksFor(one.computed + tokens) - one.blocks, 0);
    let preempted = false;
    while (blocks() > this.free) {
      this.recompute(this.running.pop()!);
      preempted = true;
    }
    const step = wishes().toSorted(([a], [b]) => Number(b.decodes) - Number(a.decodes));
    for (const [one, tokens] of step) this.take(one, tokens);
    return preempted ? step : [...step, ...this.admissions(step)];
  }

  override look(one: Plain): void {
    one.computed = this.found(one) * this.kv.blockSize;
  }

  override lacks(one: Plain, tokens: number): boolean {
    if (this.running.includes(one)) return super.lacks(one, tokens);
    const keys = one.request.keys!.prompt.slice(0, this.found(one));
    const inUse = keys.filter((key) => this.holders.get(key)! > 0).length;
    return this.blocksFor(one.computed + tokens) - inUse > this.free;
  }

  override take(one: Plain, tokens: number): void {
    if (!this.running.includes(one)) this.hold(one);
    super.take(one, tokens);
    while (this.idle.length > this.free) this.holders.delete(this.idle.shift()!);
    if (!one.decodes)
      this.publish(one, one.request.keys!.prompt, Math.floor((one.computed + tokens) / this.kv.blockSize));
  }

  hold(one: Plain): void {
    const shared = this.found(one);
    for (const key of one.request.keys!.prompt.slice(0, shared)) {
      if (this.holders.get(key) === 0) {
        this.idle.splice(this.idle.indexOf(key), 1);
        this.usedBlocks++;
      }
      this.holders.set(key, this.holders.get(key)! + 1);
    }
    one.blocks = shared;
    this.known.set(one, { shared, apart: false });
  }

  publish(one: Plain, keys: Float64Array, most: number): void {
    const known = this.known.get(one)!;
    while (!known.apart && known.shared < Math.min(most, keys.length)) {
      const key = keys[known.shared]!;
      if (this.holders.has(key)) known.apart = true;
      else {
        this.holders.set(key, 1);
        known.shared++;
      }
    }
  }

  override finish(one: Plain): void {
    const keys = one.request.keys!.withAnswer!();
    this.publish(one, keys, Math.floor((one.request.inputTokens + one.made - 1) / this.kv.blockSize));
    this.release(one, keys);
  }

  override letGo(one: Plain): void {
    this.release(one, one.request.keys!.prompt);
  }

  release(one: Plain, keys: Float64Array): void {
    const { shared } = this.known.get(one)!;
    for (const key of keys.slice(0, shared).toReversed()) {
      const left = this.holders.get(key)! - 1;
      this.holders.set(key, left);
      if (left > 0) continue;
      this.idle.push(key);
      this.usedBlocks--;
    }
    this.usedBlocks -= one.blocks - shared;
    one.blocks = 0;
    one.decodes = false;
  }
}
