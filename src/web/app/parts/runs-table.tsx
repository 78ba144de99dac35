import type { Row } from '../../api/shapes.ts';
import { count, num, time, when } from '../format.ts';
import { useLayoutEffect, useRef, useState } from '../preact.ts';
import { tell } from '../state/ask.ts';
import { linkTo, rewriteQuery } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { KindBadges, VerdictBadge } from './badge.tsx';
import { CardTable } from './card-table.tsx';
import { Icon } from './icon.tsx';
import { isTyping } from './shortcuts.tsx';
import { Spark } from './spark.tsx';

/** What a list can be sorted by; unknown stands last either way. */
const columns = {
  name: { title: both('Name', '名称'), left: true, of: (row: Row) => nameOf(row) },
  model: { title: both('Model · engine', '模型 · 引擎'), left: true, of: (row: Row) => row.model },
  load: { title: both('Load', '负载'), left: false, of: (row: Row) => Math.max(...loadsOf(row), -1) },
  tokens: { title: both('tokens/s', '吞吐 (tok/s)'), left: true, of: (row: Row) => row.outputTokensPerSec },
  ttft: { title: both('TTFT p50', 'TTFT p50'), left: false, of: (row: Row) => row.ttftP50Ms },
  failed: { title: both('Failed', '失败'), left: false, of: (row: Row) => row.failed },
  verdict: { title: both('Verdict', '结论'), left: true, of: (row: Row) => row.verdict },
  started: { title: both('Started', '开始'), left: false, of: (row: Row) => row.startedAt },
} as const;
type Column = keyof typeof columns;

function orderOf(query: URLSearchParams): { by: Column; down: boolean } {
  const [name = '', way] = (query.get('sort') ?? '').split('.');
  return Object.hasOwn(columns, name) ? { by: name as Column, down: way === 'down' } : { by: 'started', down: true };
}

function sortBy(name: Column, query: URLSearchParams): void {
  const { by, down } = orderOf(query);
  rewriteQuery({ sort: `${name}.${by === name && !down ? 'down' : 'up'}` });
}

/** The rows in the order that the address asks for. */
export function sortRows(rows: readonly Row[], query: URLSearchParams): Row[] {
  const { by, down } = orderOf(query);
  const { of } = columns[by];
  return rows.toSorted((a, b) => {
    const [x, y] = [of(a), of(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  });
}

interface TableProps {
  query: URLSearchParams;
  rows: readonly Row[];
  picked: ReadonlySet<string>;
  pick(id: string): void;
  remove(id: string): void;
  changed(): void;
  /** Goes to the comparison of what is picked, where that is enough. */
  compare(): void;
}

/** Where a row leads. */
export function linkOf(row: Row): string {
  if (row.kind === 'tune') return linkTo('tune', row.id);
  return row.live ? linkTo('live', row.id) : linkTo('run', row.id);
}

/** The list itself, with keys to move through it. */
export function RunsTable({ query, rows, picked, pick, remove, changed, compare }: TableProps) {
  const { by, down } = orderOf(query);
  const [at, setAt] = useState(-1);
  // Keys may come faster than the page is drawn.
  const now = useRef({ at, rows });
  now.current = { at: now.current.at, rows };
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const { at: here, rows: all } = now.current;
      const row = all[here];
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
      if (step !== 0) {
        const next = Math.max(0, Math.min(all.length - 1, here + step));
        now.current.at = next;
        setAt(next);
        document.querySelectorAll<HTMLElement>('.runs .name a')[next]?.focus();
      } else if (event.key === 'x' && row !== undefined && canPick(row)) pick(row.id);
      else if (event.key === 'c') compare();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
  return (
    <CardTable caption={t('Runs', '运行')} class="runs">
      <thead>
        <tr>
          <th scope="col">
            <span class="sr">{t('Pick', '选择')}</span>
          </th>
          {(Object.keys(columns) as Column[]).map((name) => {
            const { title, left } = columns[name];
            const sorted = by === name ? (down ? 'descending' : 'ascending') : 'none';
            return (
              <th scope="col" key={name} class={left ? 'left' : undefined} aria-sort={sorted}>
                <button type="button" class="quiet" onClick={() => sortBy(name, query)}>
                  {t(title)}
                  {sorted === 'none' ? '' : down ? ' ↓' : ' ↑'}
                </button>
              </th>
            );
          })}
          <th scope="col">
            <span class="sr">{t('Delete', '删除')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={row.id} class={i === at ? 'at' : undefined}>
            <td>
              <input
                type="checkbox"
                disabled={!canPick(row)}
                checked={picked.has(row.id)}
                onChange={() => pick(row.id)}
                aria-label={t(`Pick ${nameOf(row)}`, `选择 ${nameOf(row)}`)}
              />
            </td>
            <td class="left name">
              <a href={linkOf(row)}>{nameOf(row)}</a> <KindBadges row={row} />
              <Tags row={row} changed={changed} />
              {row.label !== null && <div class="id">{row.id}</div>}
              {row.why !== null && <div class="bad-text">{t(row.why)}</div>}
            </td>
            <td class="left">
              <div>{row.model ?? '–'}</div>
              <div class="id">{[row.engine, row.card].filter(Boolean).join(' · ')}</div>
            </td>
            <td>{loadOf(row)}</td>
            <td class="left throughput">
              <span>{num(row.outputTokensPerSec)}</span> {new Set(loadsOf(row)).size > 1 && <Spark spark={row.spark} />}
            </td>
            <td>{time(row.ttftP50Ms)}</td>
            <td class={row.failed !== null && row.failed > 0 ? 'bad-text' : undefined}>{count(row.failed)}</td>
            <td class="left">{row.live ? '' : <VerdictBadge verdict={row.verdict} />}</td>
            <td class="nowrap">{when(row.startedAt)}</td>
            <td>
              <button
                type="button"
                class="quiet icon-button"
                aria-label={t(`Delete ${nameOf(row)}`, `删除 ${nameOf(row)}`)}
                onClick={() => remove(row.id)}
              >
                <Icon name="trash" />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </CardTable>
  );
}

function nameOf(row: Row): string {
  return row.label ?? row.id;
}

function canPick(row: Row): boolean {
  return (row.kind === 'run' || row.kind === 'sweep') && !row.live;
}

function loadsOf({ spark }: Row): number[] {
  return spark.load.filter((load) => load !== null);
}

/** The load of a row, or the range of its loads. */
export function loadOf(row: Row): string {
  const loads = loadsOf(row);
  if (loads.length === 0) return '–';
  const [least, most] = [Math.min(...loads), Math.max(...loads)];
  const unit = row.spark.isRate ? '/s' : '';
  return least === most ? `${num(least)}${unit}` : `${num(least)} … ${num(most)}${unit}`;
}

/** Tags of a row: a click takes one off, the plus puts one on. */
function Tags({ row, changed }: { row: Row; changed: () => void }) {
  const [adding, setAdding] = useState(false);
  const change = (add: string[], remove: string[]): void => {
    setAdding(false);
    void tell(`/runs/${encodeURIComponent(row.id)}/tags`, { add, remove }).then(changed, changed);
  };
  if (row.kind === 'broken' || row.kind === 'tune') return null;
  return (
    <span class="tags">
      {row.tags.map((tag) => (
        <button
          type="button"
          class="tag"
          key={tag}
          title={t('Take this tag off', '移除此标记')}
          onClick={() => change([], [tag])}
        >
          {tag}
        </button>
      ))}
      {adding ? (
        <input
          class="tag-input"
          aria-label={t('New tag', '新标记')}
          ref={(input) => input?.focus()}
          onKeyDown={(event) => {
            if (event.key === 'Enter') change([event.currentTarget.value], []);
            if (event.key === 'Escape') setAdding(false);
          }}
          onBlur={() => setAdding(false)}
        />
      ) : (
        <button
          type="button"
          class="tag add"
          aria-label={t(`Tag ${nameOf(row)}`, `标记 ${nameOf(row)}`)}
          onClick={() => setAdding(true)}
        >
          +
        </button>
      )}
    </span>
  );
}
