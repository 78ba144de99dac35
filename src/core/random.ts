/** A stream of random numbers that depends only on the seed and its name. */
export interface RandomStream {
  /** Uniform in (0, 1): never exactly 0, so that its logarithm is finite. */
  next(): number;
  /** Whole number in [0, below). */
  below(below: number): number;
  /** Exponential with mean 1. */
  exponential(): number;
  /** Standard normal. */
  normal(): number;
}

/**
 * The stream called `name` under `seed`. Each use draws from a stream of its own ("arrival", "prompt order" …),
 * so that adding a draw in one place leaves every other sequence as it was.
 * The generator is sfc32 (public domain, passes PractRand); the name is hashed by FNV-1a.
 */
export function randomStream(seed: number, name: string): RandomStream {
  let a = hash(`${name}\u0000a`, seed);
  let b = hash(`${name}\u0000b`, seed);
  let c = hash(`${name}\u0000c`, Math.floor(seed / 2 ** 32));
  let counter = 1;
  const bits = (): number => {
    const out = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + out) | 0;
    return out >>> 0;
  };
  for (let i = 0; i < 15; i++) bits();
  const next = (): number => {
    const high = bits() >>> 5;
    const low = bits() >>> 6;
    return (high * 67108864 + low + 0.5) / 9007199254740992;
  };
  return {
    next,
    below: (below) => Math.floor(next() * below),
    exponential: () => -Math.log(next()),
    normal: () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next()),
  };
}

function hash(text: string, seed: number): number {
  let h = (2166136261 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  h ^= h >>> 16;
  h = Math.imul(h, 2246822507);
  h ^= h >>> 13;
  return h >>> 0;
}
