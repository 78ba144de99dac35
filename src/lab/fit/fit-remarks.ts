import { say } from '../../core/index.ts';
import type { Lang, Summary } from '../../core/index.ts';
import type { FittedEntry, NotFitted } from './fit-document.ts';

/** An entry that says so where what it was fitted to was simulated. */
export function markSimulated(entry: FittedEntry | NotFitted, summaries: readonly Summary[]): FittedEntry | NotFitted {
  const simulated = summaries.some((summary) => summary.simulated || summary.engine?.simulated === true);
  if (!simulated || !('profile' in entry)) return entry;
  const { profile } = entry;
  return {
    ...entry,
    title: `${entry.title} [SIMULATED]`,
    profile: {
      ...profile,
      source: `${profile.source} (simulated)`,
      notes: [...profile.notes, 'Fitted to a simulated engine, not to a real one.'],
    },
  };
}

/** An entry that tells how many requests of a trace were left out. */
export function withUnanswered(entry: FittedEntry, count: number, lang: Lang): FittedEntry {
  if (count === 0) return entry;
  const why = say(
    {
      en: `${count} requests without an answer (no tokens or no times); what they asked of the server is not known`,
      zh: `${count} 个没有回答的请求（无 token 或无时间）；它们对服务器的占用未知`,
    },
    lang,
  );
  return { ...entry, excluded: [...entry.excluded, { concurrency: null, why }] };
}

/** An entry that tells what times without a unit were taken for. */
export function withAssumedUnit(entry: FittedEntry, unit: 'ms' | 's' | null): FittedEntry {
  if (unit === null) return entry;
  const note = `Times of the trace had no unit in their names and were read as ${unit === 's' ? 'seconds' : 'milliseconds'}.`;
  return { ...entry, profile: { ...entry.profile, notes: [...entry.profile.notes, note] } };
}
