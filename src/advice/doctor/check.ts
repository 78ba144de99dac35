import type { Phrase } from '../../core/index.ts';

export type CheckStatus = 'ok' | 'warn' | 'bad' | 'unknown';

/** One thing that was looked at. */
export interface Check {
  /** Stable kebab-case name. */
  code: string;
  group: 'host' | 'client' | 'engine';
  status: CheckStatus;
  evidence: Phrase;
  /** What to do, with the command where there is one; null = nothing to do. */
  fix: Phrase | null;
}

/** Says what came of one check: how it stands, on what evidence, and what to do. */
type CheckTeller = (status: CheckStatus, evidence: Phrase | string, fix?: Phrase | null) => Check;

/** The teller of one check. */
export function checkOf(group: Check['group'], code: string): CheckTeller {
  return (status, evidence, fix = null) => {
    const said = typeof evidence === 'string' ? { en: evidence, zh: evidence } : evidence;
    return { code, group, status, evidence: said, fix };
  };
}

/** What is said of another host where its captured outputs do not tell. */
export const notGiven: Phrase = { en: 'not in what you gave', zh: '不在所提供的内容中' };

/** The same words in both languages around a command. */
export function fixBy(en: string, zh: string, command: string): Phrase {
  return { en: `${en}: ${command}`, zh: `${zh}：${command}` };
}
