import type { RunList } from '../../api/shapes.ts';
import { when } from '../format.ts';
import { ask, useLoaded } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { Icon } from './icon.tsx';

/** What is compared, in order; more can be added, any can be made the baseline. */
export function ComparePicker({ ids, names }: { ids: readonly string[]; names: readonly string[] }) {
  const { data } = useLoaded('runs', (signal) => ask<RunList>('/runs', { signal }));
  const go = (next: readonly string[]): void => {
    location.hash = linkTo('compare', '', new URLSearchParams(next.map((id) => ['id', id])));
  };
  const others = (data?.rows ?? []).filter(
    ({ id, kind, live }) => (kind === 'run' || kind === 'sweep') && !live && !ids.includes(id),
  );
  const nameOf = (id: string, i: number): string => data?.rows.find((row) => row.id === id)?.label ?? names[i] ?? id;
  return (
    <div class="picker">
      <ol>
        {ids.map((id, i) => (
          <li key={id}>
            <a href={linkTo('run', id)}>{nameOf(id, i)}</a>
            {i === 0 ? (
              <span class="badge plain">{t(both('baseline', '基线'))}</span>
            ) : (
              <button type="button" class="small" onClick={() => go([id, ...ids.filter((one) => one !== id)])}>
                {t(both('make baseline', '设为基线'))}
              </button>
            )}
            <button
              type="button"
              class="quiet icon-button"
              aria-label={t(both(`Take ${nameOf(id, i)} out`, `移除 ${nameOf(id, i)}`))}
              onClick={() => go(ids.filter((one) => one !== id))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
      <select
        value=""
        id="add-result"
        aria-label={t(both('Add a result', '添加结果'))}
        onChange={(event) => event.currentTarget.value !== '' && go([...ids, event.currentTarget.value])}
      >
        <option value="">{t(both('Add a result…', '添加结果…'))}</option>
        {others.map(({ id, label, startedAt, tool }) => (
          <option key={id} value={id}>
            {`${label ?? id} · ${tool === 'llmdyno' ? when(startedAt) : tool}`}
          </option>
        ))}
      </select>
    </div>
  );
}
