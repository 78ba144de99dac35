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
