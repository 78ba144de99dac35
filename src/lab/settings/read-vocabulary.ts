import { UserError } from '../../core/index.ts';
import type { Mistake, Place } from '../../core/index.ts';
import { nearest } from '../../core/index.ts';
import type { Setting } from './setting.ts';

/** A vocabulary: settings by the key they are read into. */
export type Vocabulary = Readonly<Record<string, Setting<unknown>>>;

/** What a vocabulary reads to; a word that was not given is absent. */
export type SettingsOf<V extends Vocabulary> = { -readonly [K in keyof V]?: ReturnType<V[K]['read']> };

/** One setting as it was given, and where. */
export interface GivenSetting {
  /** `max-tokens` or `maxTokens`. */
  name: string;
  texts: readonly string[];
  place: Place;
}

/** What was read, and everything that was wrong with the rest. */
export interface ReadVocabulary<V extends Vocabulary> {
  settings: SettingsOf<V>;
  mistakes: Mistake[];
}

/** Reads settings against a vocabulary; later ones win; every mistake is collected. */
export function readVocabulary<V extends Vocabulary>(vocabulary: V, given: readonly GivenSetting[]): ReadVocabulary<V> {
  const byName = new Map<string, string>();
  for (const [key, word] of Object.entries(vocabulary)) {
    byName.set(word.name, key);
    byName.set(key, key);
  }
  const settings: Record<string, unknown> = {};
  const mistakes: Mistake[] = [];
  for (const { name, texts, place } of given) {
    const key = byName.get(name);
    if (key === undefined) mistakes.push(unknownWord(name, vocabulary, place));
    else {
      try {
        settings[key] = vocabulary[key]!.read(texts);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        mistakes.push(...error.mistakes.map((one) => placed(one, place)));
      }
    }
  }
  return { settings: settings as SettingsOf<V>, mistakes };
}

/** A mistake in the value of a setting: what it says of a file that the value names stays. */
function placed(one: Mistake, place: Place): Mistake {
  return { ...one, place: one.place?.file === undefined ? place : { ...one.place, ...place } };
}

/** Throws everything that is wrong at once, or does nothing. */
export function throwMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new UserError(mistakes);
}

function unknownWord(name: string, vocabulary: Vocabulary, place: Place): Mistake {
  const names = Object.values(vocabulary).map((word) => word.name);
  const guess = nearest(name, names);
  return {
    code: 'unknown-setting',
    message: { en: `"${name}" is not a setting`, zh: `没有名为 "${name}" 的设置` },
    hint:
      guess === null
        ? { en: `Settings are: ${names.join(', ')}.`, zh: `可用设置：${names.join('、')}。` }
        : { en: `Did you mean ${guess}?`, zh: `是否想写 ${guess}？` },
    place,
  };
}
