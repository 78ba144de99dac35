import type { Comparison } from '../../../results/measure/index.ts';
import { forestOf } from '../../../results/report/index.ts';
import { t } from '../state/settings.ts';

/** The zero has no room beside an end that is so near. */
const nearEnd = 0.16;

/** The changes of one candidate with their intervals, under each other on one scale, coloured by verdict. */
export function ForestPlot({ comparison, candidate }: { comparison: Comparison; candidate: number }) {
  const forest = forestOf(comparison, candidate);
  if (forest === null) return null;
  const { rows, zero, ends } = forest;
  const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
  const title = rows.some(({ from }) => from !== null)
    ? t('Change against the baseline, with its 95 % interval', '相对基线的变化与 95% 区间')
    : t('Change against the baseline', '相对基线的变化');
  return (
    <section class="forest" aria-label={title}>
      <h2>
        {title}
        {comparison.names.length > 2 && `: ${comparison.names[candidate + 1]}`}
      </h2>
      <ol>
        {rows.map(({ metric, place, change, verdict, says, at, from, to }, i) => (
          <li key={i} class={verdict}>
            <span class="forest-name">
              {t(metric)}
              {place !== null && <span class="faint"> @ {place}</span>}
            </span>
            <span class="forest-track" aria-hidden="true">
              <i class="forest-zero" style={{ left: percent(zero) }} />
              {from !== null && to !== null && (
                <i class="forest-span" style={{ left: percent(from), width: percent(to - from) }} />
              )}
              <i class="forest-dot" style={{ left: percent(at) }} />
            </span>
            <strong>{change}</strong>
            <span class="forest-says">{t(says)}</span>
          </li>
        ))}
      </ol>
      <p class="faint forest-ends" aria-hidden="true">
        <span>{zero < nearEnd ? '' : ends[0]}</span>
        <span style={{ left: percent(zero) }}>0</span>
        <span>{zero > 1 - nearEnd ? '' : ends[1]}</span>
      </p>
    </section>
  );
}
