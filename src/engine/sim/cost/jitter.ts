import { randomStream } from '../../../core/index.ts';

/** How much the times of an engine scatter: σ of the logarithm, of single steps and of whole runs. */
export interface JitterSpread {
  stepSigma: number;
  runSigma?: number;
}

/** Jitter of this many prompts is remembered, then forgotten, because an engine may run for days. */
const mostSeen = 100_000;

/**
 * Random factors for the times of steps and one for the whole run, because machines differ from day to day. They are log-normal
 * with mean 1, so that throughput stays where it was. Each is a function of the seed, a lot and a number, not the next draw of a
 * stream, so that one request's factors do not depend on those of others.
 */
export class Jitter {
  readonly #stepSigma: number;
  /** Median of the factors: that of the run, over what the spread of steps adds to their mean. */
  readonly #median: number;
  readonly #seed: number;
  readonly #seen = new Map<number, number>();

  constructor({ stepSigma, runSigma = 0 }: JitterSpread, seed: number) {
    this.#stepSigma = stepSigma;
    const run = runSigma === 0 ? 0 : runSigma * randomStream(seed, 'engine run jitter').normal() - runSigma ** 2 / 2;
    this.#median = Math.exp(run - stepSigma ** 2 / 2);
    this.#seed = mixed(mixed(seed | 0) ^ Math.floor(seed / 2 ** 32));
  }

  /** The lot of a request, from which its factors follow; `key` stands for its prompt, and asking the same prompt again gives a new lot. */
  lotOf(key: number): number {
    const before = this.#seen.get(key) ?? 0;
    if (this.#seen.size >= mostSeen) this.#seen.clear();
    this.#seen.set(key, before + 1);
    return mixed(mixed(this.#seed ^ key) + before);
  }

  /** The n-th factor of a lot. */
  factor(lot: number, n: number): number {
    if (this.#stepSigma === 0) return this.#median;
    const high = mixed(lot + Math.imul(n, 0x9e3779b1));
    const low = mixed(high ^ 0x5bf03635);
    const normal = Math.sqrt(-2 * Math.log((high + 0.5) / 2 ** 32)) * Math.cos((2 * Math.PI * (low + 0.5)) / 2 ** 32);
    return this.#median * Math.exp(this.#stepSigma * normal);
  }
}

/** 32 bits out of 32, each hanging on all of them; the multipliers are Wellons's, found by search for the least bias. */
function mixed(bits: number): number {
  let x = bits | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
