import type { Row, RunList } from '../../api/shapes.ts';
import { when } from '../format.ts';
import { useState } from '../preact.ts';
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
  const [typed, setTyped] = useState('');
  const rows = data?.rows ?? [];
  const first = rows.find(({ id }) => id === ids[0]);
  // Those first that were asked like the baseline: of its kind and at a load that it has.
  const fits = (row: Row): boolean =>
    first === undefined || (row.kind === first.kind && row.spark.load.some((load) => first.spark.load.includes(load)));
  const others = rows
    .filter(({ id, kind, live }) => (kind === 'run' || kind === 'sweep') && !live && !ids.includes(id))
    .toSorted((a, b) => Number(fits(b)) - Number(fits(a)));
  const nameIn = ({ id, label, model, startedAt, tool }: Row): string =>
    [label, model, tool === 'llmdyno' ? when(startedAt) : tool, id].filter((part) => part !== null).join(' · ');
  const nameOf = (id: string, i: number): string => data?.rows.find((row) => row.id === id)?.label ?? names[i] ?? id;
  return (
    <div class="picker">
      <ol>
        {ids.map((id, i) => (
          <li key={id}>
            <strong>{String.fromCodePoint(65 + (i % 26))}</strong> <a href={linkTo('run', id)}>{nameOf(id, i)}</a>
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
      <input
        id="add-result"
        list="comparable"
        value={typed}
        aria-label={t(both('Add a result', '添加结果'))}
        placeholder={t(both('Add a result: type to search…', '添加结果：输入以搜索…'))}
        onInput={(event) => {
          const text = event.currentTarget.value;
          const found = others.find((row) => nameIn(row) === text);
          setTyped(found === undefined ? text : '');
          if (found !== undefined) go([...ids, found.id]);
        }}
      />
      <datalist id="comparable">
        {others.map((row) => (
          <option key={row.id} value={nameIn(row)} />
        ))}
      </datalist>
    </div>
  );
}
