import type { CostModel, StepLoad } from './cost-model.ts';
import { Jitter } from './jitter.ts';
import type { JitterSpread } from './jitter.ts';

/** A prompt, or a part of it, that a step computes. */
interface Chunk {
  /** Tokens of it in this step, and before it. */
  readonly chunk: number;
  readonly computedTokens: number;
  /** What chance makes of it. */
  readonly lot: number;
}

/**
 * How long steps take: the cost of their load times random factors. A prompt has its own factors in whichever step it is computed;
 * the rest of a step goes by the number of decode steps since the engine last rested and by the request that woke it. With one
 * random stream for all, a request that moves into another step would change the times of every step after it.
 */
export class StepCost {
  readonly #jitter: Jitter;
  #wokenBy = 0;
  #wokenAt = 0;

  constructor(
    private readonly cost: CostModel,
    private readonly spread: JitterSpread,
    seed: number,
  ) {
    this.#jitter = new Jitter(spread, seed);
  }

  /** The lot of a request; `prompt` stands for what it asks. */
  lotOf(prompt: number): number {
    return this.#jitter.lotOf(prompt);
  }

  /** The engine has rested; the request with this lot wakes it after so many decode steps. */
  wake(lot: number, decodeSteps: number): void {
    this.#wokenBy = ~lot;
    this.#wokenAt = decodeSteps;
  }

  /** What the step with this load takes, the one after so many decode steps. */
  stepMs(load: StepLoad, chunks: readonly Chunk[], decodeSteps: number): number {
    const jitter = this.#jitter;
    const wholeMs = this.cost.stepMs(load);
    const own = jitter.factor(this.#wokenBy, decodeSteps - this.#wokenAt);
    if (chunks.length === 0 || this.spread.stepSigma === 0) return wholeMs * own;
    const tokensMs = this.cost.stepMs({ ...load, prompts: 0 });
    const restMs = this.cost.stepMs({ ...load, prompts: 0, prefillTokens: 0, prefillAttention: 0 });
    const first = jitter.factor(chunks[0]!.lot, chunks[0]!.computedTokens);
    let weighed = chunks[0]!.chunk * first;
    let each = first;
    for (let i = 1; i < chunks.length; i++) {
      const { chunk, computedTokens, lot } = chunks[i]!;
      const factor = jitter.factor(lot, computedTokens);
      weighed += chunk * factor;
      each += factor;
    }
    // A step without decodes takes the factors of its first prompt alone.
    return (
      restMs * (load.decodes === 0 ? first : own) +
      ((tokensMs - restMs) * weighed) / load.prefillTokens +
      ((wholeMs - tokensMs) * each) / chunks.length
    );
  }
}
