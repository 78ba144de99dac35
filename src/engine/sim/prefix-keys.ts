import { isCjk, tokensPerCjkChar, tokensPerOtherChar } from './token-estimate.ts';

/** What the prefix cache has to know of a request: keys of the whole blocks of its prompt, and of prompt and answer. */
export interface PromptKeys {
  prompt: Float64Array;
  /** Looked at when the answer is over: the next turn of a conversation begins with it. */
  withAnswer?: () => Float64Array;
}

/** Twentieths of a token, so that sums of 0.7 and 0.25 stay whole. */
const parts = 20;
const cjkParts = Math.round(tokensPerCjkChar * parts);
const otherParts = Math.round(tokensPerOtherChar * parts);

/** Two running hashes of 32 bits, of which 53 bits make a key. */
class RunningHash {
  #a = 0x9e3779b9;
  #b = 0x85ebca6b;

  add(value: number): void {
    this.#a = Math.imul(this.#a ^ value, 0x01000193);
    this.#b = Math.imul(this.#b ^ (value + 0x7f4a7c15), 0x5bd1e995);
    this.#b ^= this.#b >>> 15;
  }

  key(): number {
    let [a, b] = [this.#a ^ (this.#b >>> 7), this.#b ^ (this.#a >>> 11)];
    a = Math.imul(a ^ (a >>> 16), 0x45d9f3b);
    b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    return ((b ^ (b >>> 16)) & 0x1fffff) * 2 ** 32 + ((a ^ (a >>> 16)) >>> 0);
  }
}

/**
 * One key for each whole block of a text, each made from all text up to the block's end: two texts have a key in common exactly
 * as far as they begin alike. Tokens are estimated as everywhere in the simulator; `tokens` is the prompt's true count where it is
 * known, and where that is far from the estimate, blocks hold more or less text accordingly.
 */
export function textKeys(text: string, tokens: number, blockSize: number): Float64Array {
  const most = Math.floor(tokens / blockSize);
  if (most === 0) return new Float64Array(0);
  const each = blockParts(text, tokens, blockSize);
  const keys = new Float64Array(most);
  const hash = new RunningHash();
  let [count, sum] = [0, 0];
  for (let i = 0; i < text.length && count < most; i++) {
    const code = text.charCodeAt(i);
    hash.add(code);
    sum += isCjk(code) ? cjkParts : otherParts;
    while (sum >= (count + 1) * each && count < most) {
      keys[count++] = hash.key();
      hash.add(-1);
    }
  }
  return keys.slice(0, count);
}

/** Keys of a prompt that came as token numbers. */
export function tokenKeys(tokens: readonly number[], blockSize: number): Float64Array {
  const keys = new Float64Array(Math.floor(tokens.length / blockSize));
  const hash = new RunningHash();
  for (let i = 0; i < keys.length * blockSize; i++) {
    hash.add(tokens[i]!);
    if ((i + 1) % blockSize === 0) keys[(i + 1) / blockSize - 1] = hash.key();
  }
  return keys;
}

/** Rounded to quarters, so that prompts of one kind of text get blocks of one length; with different lengths they would share nothing. */
function blockParts(text: string, tokens: number, blockSize: number): number {
  let estimated = 0;
  for (let i = 0; i < text.length; i++) estimated += isCjk(text.charCodeAt(i)) ? cjkParts : otherParts;
  const density = Math.max(0.25, Math.round((4 * tokens * parts) / Math.max(1, estimated)) / 4);
  return (blockSize * parts) / density;
}

/** Keys of a prompt and of what was answered to it, as the history of a conversation puts them together. */
export function promptKeys(
  text: string,
  tokens: number,
  blockSize: number,
  answer: () => { text: string; tokens: number },
): PromptKeys {
  return {
    prompt: textKeys(text, tokens, blockSize),
    withAnswer: () => {
      const { text: said, tokens: more } = answer();
      // The last token is never read by the engine, so its KV is not there.
      return textKeys(`${text}\n${said}`, tokens + more - 1, blockSize);
    },
  };
}
