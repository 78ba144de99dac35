import type { Row, RunList } from '../../api/shapes.ts';
import { when } from '../format.ts';
import { useEffect, useRef, useState } from '../preact.ts';
import { ask, useLoaded } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { Icon } from './icon.tsx';
import { loadOf } from './runs-table.tsx';

/** What is compared, in order; more can be added, any can be made the baseline. */
export function ComparePicker({ ids, names }: { ids: readonly string[]; names: readonly string[] }) {
  const { data } = useLoaded('runs', (signal) => ask<RunList>('/runs', { signal }));
  const go = (next: readonly string[]): void => {
    location.hash = linkTo('compare', '', new URLSearchParams(next.map((id) => ['id', id])));
  };
  const rows = data?.rows ?? [];
  const first = rows.find(({ id }) => id === ids[0]?.split('/')[0]);
  const others = rows.filter(
    ({ id, kind, live }) => (kind === 'run' || kind === 'sweep') && !live && !ids.includes(id),
  );
  const nameOf = (id: string, i: number): string => rows.find((row) => row.id === id)?.label ?? names[i] ?? id;
  return (
    <div class="picker">
      <ol>
        {ids.map((id, i) => (
          <li key={id}>
            <strong>{String.fromCodePoint(65 + (i % 26))}</strong> <a href={linkTo('run', id)}>{nameOf(id, i)}</a>
            {i === 0 ? (
              <span class="badge plain">{t('baseline', '基线')}</span>
            ) : (
              <button type="button" class="small" onClick={() => go([id, ...ids.filter((one) => one !== id)])}>
                {t('make baseline', '设为基线')}
              </button>
            )}
            <button
              type="button"
              class="quiet icon-button"
              aria-label={t(`Take ${nameOf(id, i)} out`, `移除 ${nameOf(id, i)}`)}
              onClick={() => go(ids.filter((one) => one !== id))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
      {data !== null && (
        <Adding key={ids.length < 2 ? 'some' : 'more'} rows={others} first={first} open={ids.length < 2}>
          {(id) => go([...ids, id])}
        </Adding>
      )}
    </div>
  );
}

const mostShown = 40;

interface AddingProps {
  rows: readonly Row[];
  first: Row | undefined;
  open: boolean;
  children: (id: string) => void;
}

/** The other results, searched as one types: those first that were asked like the baseline. */
function Adding({ rows, first, open, children: add }: AddingProps) {
  const [typed, setTyped] = useState('');
  const box = useRef<HTMLDetailsElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const away = ({ target }: Event): void => {
      if (!open && box.current?.contains(target as Node) === false) box.current.open = false;
    };
    addEventListener('click', away);
    return () => removeEventListener('click', away);
  }, [open]);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => {
    const text = [row.id, row.label, row.model, row.engine, row.card, ...row.tags].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const alike = first === undefined ? [] : found.filter((row) => isLike(row, first));
  const rest = found.filter((row) => !alike.includes(row));
  const groups = [
    { title: both('Asked alike', '条件相近'), rows: alike.slice(0, mostShown) },
    {
      title: alike.length > 0 ? both('Others', '其他') : both('Results', '结果'),
      rows: rest.slice(0, Math.max(0, mostShown - alike.length)),
    },
  ];
  return (
    <details
      class={open ? 'adding here' : 'adding'}
      ref={box}
      open={open}
      onToggle={(event) => event.currentTarget.open && !open && search.current?.focus()}
    >
      <summary class="button">{t('Add a result…', '添加结果…')}</summary>
      <div class="adding-list">
        <input
          id="add-result"
          type="search"
          ref={search}
          value={typed}
          aria-label={t('Search results', '搜索结果')}
          placeholder={t('Name, model, engine, tag', '名称、模型、引擎、标记')}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        {groups
          .filter(({ rows: list }) => list.length > 0)
          .map(({ title, rows: list }) => (
            <div key={title.en} role="group" aria-label={t(title)}>
              <h2>{t(title)}</h2>
              {list.map((row) => (
                <button type="button" class="quiet" key={row.id} onClick={() => add(row.id)}>
                  <strong>{row.label ?? row.id}</strong>
                  <span class="faint">
                    {[row.model, row.engine, loadOf(row), when(row.startedAt)]
                      .filter((part) => part !== null && part !== '–')
                      .join(' · ')}
                  </span>
                </button>
              ))}
            </div>
          ))}
        {found.length === 0 && <p class="faint">{t('Nothing has these words.', '没有匹配的结果。')}</p>}
        {found.length > mostShown && (
          <p class="faint">
            {t(
              `${found.length - mostShown} more: type to find them`,
              `另有 ${found.length - mostShown} 个：输入以查找`,
            )}
          </p>
        )}
      </div>
    </details>
  );
}

/** Of its kind, and at a load that it has. */
function isLike(row: Row, first: Row): boolean {
  return row.kind === first.kind && row.spark.load.some((load) => load !== null && first.spark.load.includes(load));
}
