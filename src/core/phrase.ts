/** A language the product speaks to people in. */
export type Lang = 'en' | 'zh';

/** The same words in every language the product speaks; picked at the last moment, when printing. */
export interface Phrase {
  en: string;
  zh: string;
}

/** The phrase in the language asked for; a plain string is the same in every language. */
export function say(phrase: Phrase | string, lang: Lang): string {
  return typeof phrase === 'string' ? phrase : phrase[lang];
}

/** Phrases one behind the other, with what stands between two of them in each language. */
export function joined(phrases: readonly Phrase[], between = ', ', zhBetween = '，'): Phrase {
  return { en: phrases.map(({ en }) => en).join(between), zh: phrases.map(({ zh }) => zh).join(zhBetween) };
}
