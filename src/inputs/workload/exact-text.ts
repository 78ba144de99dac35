import { invariant, randomStream } from '../../core/index.ts';
import type { RandomStream } from '../../core/index.ts';
import type { WordSource } from './word-text.ts';

/** What is needed of a tokenizer to write texts of an exact length. */
export interface TokenCoder {
  /** Tokens of a text without special ones. */
  count(text: string): number;
  /** Words that are one token when a space stands before them. */
  words: readonly string[];
}

const trials = 16;
const mostMends = 40;

/**
 * Texts of exactly so many tokens under a tokenizer, from words of its own vocabulary.
 * Where such words simply add up (they do under byte-level BPE, which splits at spaces first; tried out on a few texts),
 * nothing is encoded per prompt. Where they do not, each text is encoded again and mended word by word.
 */
export function exactWords(coder: TokenCoder): WordSource & { addsUp: boolean } {
  invariant(coder.words.length > 0, 'a vocabulary has words');
  // At the beginning no space stands before the word, so only some are one token there.
  const starters = coder.words.slice(0, 4000).filter((word) => coder.count(word) === 1);
  const first = starters.length > 0 ? starters : coder.words;
  const compose = (tokens: number, chance: RandomStream): string[] => {
    const words = tokens > 0 ? [first[chance.below(first.length)]!] : [];
    for (let i = 1; i < tokens; i++) words.push(coder.words[chance.below(coder.words.length)]!);
    return words;
  };
  const trial = randomStream(1, 'exact text trials');
  const addsUp = Array.from({ length: trials }, (_, i) => 1 + ((i * 37) % 200)).every(
    (tokens) => coder.count(compose(tokens, trial).join(' ')) === tokens,
  );
  const mended = (tokens: number, chance: RandomStream): string => {
    const words = compose(tokens, chance);
    for (let tries = 0; tries < mostMends; tries++) {
      const counted = coder.count(words.join(' '));
      if (counted === tokens) break;
      if (counted > tokens) words.splice(Math.max(1, words.length - (counted - tokens)));
      else words.push(...compose(tokens - counted, chance));
    }
    return words.join(' ');
  };
  return { addsUp, text: addsUp ? (tokens, chance) => compose(tokens, chance).join(' ') : mended };
}
