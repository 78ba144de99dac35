import type { Finding, Phrase } from '../../../core/index.ts';
import type { Doubt } from '../../../results/report/index.ts';
import { num } from '../format.ts';
import { both, lang, t } from '../state/settings.ts';

const severities = {
  invalid: both('not valid', '无效'),
  warn: both('doubt', '疑点'),
  info: both('note', '提示'),
} as const;

/** What speaks against a result: every doubt once with the worst of it, folded away unless one makes it not valid. */
export function Doubts({ doubts, cautions }: { doubts: readonly Doubt[]; cautions: readonly Phrase[] }) {
  const invalid = doubts.filter(({ severity }) => severity === 'invalid').length;
  const rest = doubts.length - invalid;
  const kind = invalid > 0 ? 'bad' : rest > 0 ? 'warn' : 'good';
  return (
    <section class={`verdict ${kind}`} aria-label={t('Doubts', '存疑')}>
      {cautions.map((note) => (
        <p class="sim-line" key={note.en}>
          {t(note)}
        </p>
      ))}
      {doubts.length === 0 ? (
        <p class="verdict-line">{t('Valid: nothing speaks against these figures.', '有效：未发现问题。')}</p>
      ) : (
        <details open={invalid > 0}>
          <summary class="verdict-line">{doubtLine(invalid, rest, doubts)}</summary>
          {doubts.map((doubt) => (
            <DoubtBox key={doubt.code} doubt={doubt} />
          ))}
        </details>
      )}
    </section>
  );
}

function doubtLine(invalid: number, rest: number, doubts: readonly Doubt[]): string {
  const [worst] = doubts;
  if (invalid > 0) return t('Not valid: do not use these figures as they stand.', '无效：这些数据不可直接使用。');
  if (rest === 1) return t(`Valid, with one doubt: ${worst!.says.en}`, `有效，有 1 个疑点：${worst!.says.zh}`);
  return t(`Valid, with ${rest} doubts`, `有效，但有 ${rest} 个疑点`);
}

function DoubtBox({ doubt: { severity, where, says, worst } }: { doubt: Doubt }) {
  return (
    <div class={`finding ${severity}`}>
      <p>
        <span class={`badge ${{ invalid: 'bad', warn: 'warn', info: 'plain' }[severity]}`}>
          {t(severities[severity])}
        </span>
        {t(where)} {t(says)}
      </p>
      <p>{marked(lang() === 'zh' ? worst.zh.advice : worst.advice)}</p>
      <p class="faint">
        <code>{worst.code}</code> {evidenceText(worst)}
      </p>
    </div>
  );
}

/** Words in backticks as code. */
function marked(words: string) {
  return words.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}

function evidenceText({ evidence }: Finding): string {
  return Object.entries(evidence)
    .map(([key, value]) => `${key} = ${typeof value === 'number' ? num(value) : String(value)}`)
    .join(' · ');
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
        {marked(words.message)}
        {many && at.length > 0 && <span class="faint"> @ {at.join(', ')}</span>}
      </summary>
      <p>{marked(words.advice)}</p>
      <p class="faint">
        <code>{finding.code}</code> {evidenceText(finding)}
      </p>
    </details>
  );
}
