import type { Row } from '../../api/shapes.ts';
import { both, t } from '../state/settings.ts';

const verdicts = {
  valid: { word: both('valid', '有效'), kind: 'good' },
  warn: { word: both('with doubts', '有疑点'), kind: 'warn' },
  invalid: { word: both('not valid', '无效'), kind: 'bad' },
  none: { word: both('no verdict', '无结论'), kind: 'plain' },
} as const;

/** How far a result can be trusted, in a word. */
export function VerdictBadge({ verdict }: { verdict: Row['verdict'] }) {
  const { word, kind } = verdicts[verdict];
  return <span class={`badge ${kind}`}>{t(word)}</span>;
}

/** What a row is, where it is not a plain measured run. */
export function KindBadges({ row }: { row: Row }) {
  return (
    <>
      {row.live && <span class="badge live">{t('live', '进行中')}</span>}
      {row.kind === 'sweep' && <span class="badge plain">{t(`sweep · ${row.points}`, `扫描 · ${row.points}`)}</span>}
      {row.kind === 'tune' && <span class="badge plain">{t(`search · ${row.points}`, `调优 · ${row.points}`)}</span>}
      {row.simulated && <span class="badge sim">{t('simulated', '模拟')}</span>}
      {row.simulatedEngine && <span class="badge sim">{t('simulated engine', '模拟引擎')}</span>}
      {row.tool !== 'llmdyno' && <span class="badge plain">{t(`from ${row.tool}`, `来自 ${row.tool}`)}</span>}
      {!row.finished && !row.live && <span class="badge warn">{t('unfinished', '未完成')}</span>}
    </>
  );
}
