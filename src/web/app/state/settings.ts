import type { Lang, Phrase } from '../../../core/index.ts';
import { useLayoutEffect, useState } from '../preact.ts';

/** What a person chose for this browser; kept there. */
export interface Settings {
  lang: Lang;
  /** auto = as the system. */
  theme: 'auto' | 'light' | 'dark';
}

const key = 'llmdyno';
const listeners = new Set<() => void>();
const darkSystem = matchMedia('(prefers-color-scheme: dark)');
let settings: Settings = read();
apply();
darkSystem.addEventListener('change', () => tellAll());

function read(): Settings {
  const usual: Settings = { lang: navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en', theme: 'auto' };
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Settings>;
    return {
      lang: kept.lang === 'zh' || kept.lang === 'en' ? kept.lang : usual.lang,
      theme: kept.theme === 'dark' || kept.theme === 'light' ? kept.theme : usual.theme,
    };
  } catch {
    return usual;
  }
}

function apply(): void {
  document.documentElement.lang = settings.lang === 'zh' ? 'zh-CN' : 'en';
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
}

function tellAll(): void {
  apply();
  for (const listener of listeners) listener();
}

/** Whether the page is dark now. */
export function isDark(): boolean {
  return settings.theme === 'dark' || (settings.theme === 'auto' && darkSystem.matches);
}

/** The language spoken now. */
export function lang(): Lang {
  return settings.lang;
}

/** A phrase, or its two languages, in the one spoken now; a text alone is the same in both. */
export function t(phrase: Phrase | string, zh?: string): string {
  if (typeof phrase !== 'string') return phrase[settings.lang];
  return zh !== undefined && settings.lang === 'zh' ? zh : phrase;
}

/** Both languages of a phrase, written short. */
export function both(en: string, zh: string): Phrase {
  return { en, zh };
}

/** Changes what was chosen. */
export function choose(change: Partial<Settings>): void {
  settings = { ...settings, ...change };
  localStorage.setItem(key, JSON.stringify(settings));
  tellAll();
}

/** Draws the caller again whenever a setting changes; a word for the present look, to be used as a key of charts. */
export function useSettings(): Settings & { look: string } {
  const [, again] = useState(0);
  useLayoutEffect(() => {
    const listener = (): void => again((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { ...settings, look: `${settings.lang} ${isDark()}` };
}
