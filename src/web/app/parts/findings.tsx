import type { Finding, Summary } from '../../../core/index.ts';
import { simulationNotes } from '../../../results/report/index.ts';
import { num } from '../format.ts';
import { both, lang, t } from '../state/settings.ts';

const severities = {
  invalid: both('not valid', '无效'),
  warn: both('doubt', '疑点'),
  info: both('note', '提示'),
} as const;

interface Told {
  finding: Finding;
  /** Loads of the points it was found at; empty = of the whole sweep. */
  at: string[];
}

/** What to think of the result: the verdict in a sentence, then every doubt once, with where it was found. */
export function Findings({ points, sweepFindings }: { points: readonly Summary[]; sweepFindings: readonly Finding[] }) {
  const told = gathered(points, sweepFindings);
  const invalid = points.filter(({ verdict }) => !verdict.valid).length;
  const doubts = told.filter(({ finding }) => finding.severity === 'warn').length;
  const kind = invalid > 0 ? 'bad' : doubts > 0 ? 'warn' : 'good';
  return (
    <section class={`verdict ${kind}`} aria-label={t(both('Verdict', '结论'))}>
      <p class="verdict-line">
        <strong>{verdictLine(points.length, invalid, doubts)}</strong>
      </p>
      {simulationNotes(points).map((note) => (
        <p class="sim-line" key={note.en}>
          {t(note)}
        </p>
      ))}
      {points.some(({ partial }) => partial) && (
        <p class="warn-text">{t(both('Partial: it did not end by itself.', '不完整：未正常结束。'))}</p>
      )}
      {told.map(({ finding, at }, i) => (
        <FindingBox key={`${finding.code}${i}`} finding={finding} at={at} many={points.length > 1} />
      ))}
    </section>
  );
}

/** One doubt: what, on which numbers, what to do. */
export function FindingBox({ finding, at, many }: { finding: Finding; at: readonly string[]; many: boolean }) {
  const words = lang() === 'zh' ? finding.zh : finding;
  return (
    <details class={`finding ${finding.severity}`} open={finding.severity === 'invalid'}>
      <summary>
        <span class={`badge ${{ invalid: 'bad', warn: 'warn', info: 'plain' }[finding.severity]}`}>
          {t(severities[finding.severity])}
        </span>{' '}
        {words.message}
        {many && at.length > 0 && <span class="faint"> @ {at.join(', ')}</span>}
      </summary>
      <p>{words.advice}</p>
      <p class="faint">
        <code>{finding.code}</code>{' '}
        {Object.entries(finding.evidence)
          .map(([key, value]) => `${key} = ${typeof value === 'number' ? num(value) : String(value)}`)
          .join(' · ')}
      </p>
    </details>
  );
}

function verdictLine(points: number, invalid: number, doubts: number): string {
  if (points === 0) return t(both('No figures yet.', '尚无数据。'));
  if (invalid > 0)
    return points === 1
      ? t(both('Not valid: do not use these figures as they stand.', '无效：这些数据不可直接使用。'))
      : t(both(`${invalid} of ${points} points are not valid.`, `${points} 个点中有 ${invalid} 个无效。`));
  if (doubts > 0) return t(both(`Valid, with ${doubts} doubts.`, `有效，但有 ${doubts} 个疑点。`));
  return t(both('Valid: nothing speaks against these figures.', '有效：未发现问题。'));
}

const rank = { invalid: 0, warn: 1, info: 2 } as const;

function gathered(points: readonly Summary[], sweepFindings: readonly Finding[]): Told[] {
  const told = new Map<string, Told>();
  for (const finding of sweepFindings) told.set(`sweep ${finding.code} ${finding.message}`, { finding, at: [] });
  for (const { verdict, load } of points)
    for (const finding of verdict.findings) {
      // The same doubt at many loads differs only in its numbers: the first stands for all.
      const known = told.get(finding.code);
      const at = num(load.concurrency ?? load.ratePerSec);
      if (known === undefined) told.set(finding.code, { finding, at: [at] });
      else known.at.push(at);
    }
  return [...told.values()].toSorted((a, b) => rank[a.finding.severity] - rank[b.finding.severity]);
}
