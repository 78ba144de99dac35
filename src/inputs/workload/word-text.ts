import type { RandomStream } from '../../core/index.ts';

/**
 * English words of three letters. Each is one token, with or without a space before it, in every present-day BPE
 * vocabulary that we looked at (docs/validation/tokens.md), so so many of them are so many tokens without any tokenizer.
 */
export const shortWords: readonly string[] = (
  'the and for are but not you all can had her was one our out day get has him his how man new now old see two way who ' +
  'boy did its let put say she too use any may add age air ago arm art ask bad bag bar bed big bit box bus buy car cat cup ' +
  'cut dog ear eat end eye far few fun gas god hot ice job key kid law lay leg lie lot low map men mix net nor off oil own ' +
  'pay per red run sea set sit six sky son sun tax tea ten top try war win yes yet'
).split(' ');

/** Texts of a wanted number of tokens: how to begin one and how to go on, word by word. */
export interface WordSource {
  /** The text of exactly so many tokens, words and spaces only. */
  text(tokens: number, chance: RandomStream): string;
}

/** Texts of short English words: about one token per word under any vocabulary; exact under none that was not asked. */
export const plainWords: WordSource = {
  text(tokens, chance) {
    const words: string[] = [];
    for (let i = 0; i < tokens; i++) words.push(shortWords[chance.below(shortWords.length)]!);
    return words.join(' ');
  },
};
