import { printable, severityRank } from '../../../core/index.ts';
import type { Finding, Phrase, Severity } from '../../../core/index.ts';
import { firstSentence } from './run.ts';

/** Findings of one point, or of all together where `name` is null. */
export interface Doubted {
  name: string | null;
  findings: readonly Finding[];
}

/** One doubt, told once with the worst of it, and of which points it holds. */
export interface Doubt {
  code: string;
  severity: Severity;
  says: Phrase;
  /** Of which points it holds: ` (at 8 and 16)`; empty = of all that there is. */
  where: Phrase;
  /** The finding that says it worst, with its evidence. */
  worst: Finding;
  /** What to do about it, in one sentence; empty = nothing. */
  advice: Phrase;
}

/** Every doubt once, the worst first; what is only a remark is left out. */
export function doubtsInWords(points: readonly Doubted[]): Doubt[] {
  // What is not valid at one point may be a mere doubt at another: each is told of its own points.
  const groups = new Map<string, { worst: Finding; at: string[] }>();
  for (const { name, findings } of points)
    for (const finding of findings) {
      if (finding.severity === 'info') continue;
      const key = `${finding.code} ${finding.severity}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { worst: finding, at: name === null ? [] : [name] });
      else {
        // The last: load rises from point to point, and trouble with it.
        known.worst = finding;
        if (name !== null && !known.at.includes(name)) known.at.push(name);
      }
    }
  const named = points.filter(({ name }) => name !== null).length;
  return [...groups.values()]
    .map(({ worst, at }) => {
      const where = placesInWords(at, named);
      return {
        code: worst.code,
        severity: worst.severity,
        worst,
        where,
        says: { en: firstSentence(worst.message), zh: firstSentence(worst.zh.message) },
        advice: { en: firstSentence(worst.advice), zh: firstSentence(worst.zh.advice) },
      };
    })
    .toSorted((a, b) => severityRank[a.severity] - severityRank[b.severity]);
}

function placesInWords(at: readonly string[], of: number): Phrase {
  if (of <= 1 || at.length === 0) return { en: '', zh: '' };
  if (at.length === of) return { en: ' (at all)', zh: '（所有点）' };
  const names = at.map(printable);
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  const en = shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)!}`;
  const zh = names.length > 4 ? `${names.slice(0, 3).join('、')} 等 ${names.length} 个点` : names.join('、');
  return { en: ` (at ${en})`, zh: `（${zh}）` };
}
