import type { Row } from '../../api/shapes.ts';
import { count, num, time, when } from '../format.ts';
import { useLayoutEffect, useRef, useState } from '../preact.ts';
import { tell } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { KindBadges, VerdictBadge } from './badge.tsx';
import { Icon } from './icon.tsx';
import { isTyping } from './shortcuts.tsx';
import { Spark } from './spark.tsx';

interface TableProps {
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
export function RunsTable({ rows, picked, pick, remove, changed, compare }: TableProps) {
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
    <div class="scroll" role="region" aria-label={t(both('Runs', '运行'))} tabIndex={0}>
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">
              <span class="sr">{t(both('Pick', '选择'))}</span>
            </th>
            <th scope="col" class="left">
              {t(both('Name', '名称'))}
            </th>
            <th scope="col" class="left">
              {t(both('Model · engine', '模型 · 引擎'))}
            </th>
            <th scope="col">{t(both('Load', '负载'))}</th>
            <th scope="col" class="left">
              {t(both('Throughput', '吞吐'))}
            </th>
            <th scope="col">{t(both('tokens/s', 'token/秒'))}</th>
            <th scope="col">TTFT p50</th>
            <th scope="col">{t(both('Failed', '失败'))}</th>
            <th scope="col" class="left">
              {t(both('Verdict', '结论'))}
            </th>
            <th scope="col">{t(both('Started', '开始'))}</th>
            <th scope="col">
              <span class="sr">{t(both('Delete', '删除'))}</span>
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
                  aria-label={t(both(`Pick ${nameOf(row)}`, `选择 ${nameOf(row)}`))}
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
              <td class="left">
                <Spark spark={row.spark} />
              </td>
              <td>{num(row.outputTokensPerSec)}</td>
              <td>{time(row.ttftP50Ms)}</td>
              <td class={row.failed !== null && row.failed > 0 ? 'bad-text' : undefined}>{count(row.failed)}</td>
              <td class="left">{row.live ? '' : <VerdictBadge verdict={row.verdict} />}</td>
              <td class="nowrap">{when(row.startedAt)}</td>
              <td>
                <button
                  type="button"
                  class="quiet icon-button"
                  aria-label={t(both(`Delete ${nameOf(row)}`, `删除 ${nameOf(row)}`))}
                  onClick={() => remove(row.id)}
                >
                  <Icon name="trash" />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function nameOf(row: Row): string {
  return row.label ?? row.id;
}

function canPick(row: Row): boolean {
  return (row.kind === 'run' || row.kind === 'sweep') && !row.live;
}

function loadOf({ spark }: Row): string {
  const loads = spark.load.filter((load) => load !== null);
  if (loads.length === 0) return '–';
  const [least, most] = [Math.min(...loads), Math.max(...loads)];
  return least === most ? num(least) : `${num(least)}–${num(most)}`;
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
          title={t(both('Take this tag off', '移除此标记'))}
          onClick={() => change([], [tag])}
        >
          {tag}
        </button>
      ))}
      {adding ? (
        <input
          class="tag-input"
          aria-label={t(both('New tag', '新标记'))}
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
          aria-label={t(both(`Tag ${nameOf(row)}`, `标记 ${nameOf(row)}`))}
          onClick={() => setAdding(true)}
        >
          +
        </button>
      )}
    </span>
  );
}
