import { problems } from '../../../core/index.ts';
import type { ProblemCode } from '../../../core/index.ts';
import { count, num, time } from '../format.ts';
import { useMemo, useRef, useState } from '../preact.ts';
import { rewriteQuery } from '../state/place.ts';
import type { RequestData } from '../state/request-data.ts';
import { both, t } from '../state/settings.ts';

const rowHeight = 28;
const tableHeight = 420;
const spare = 8;

type Value = (data: RequestData, row: number) => number;

const columns: Record<string, { title: { en: string; zh: string }; value: Value; show: (value: number) => string }> = {
  seq: { title: both('#', '#'), value: (d, r) => d.at('seq', r), show: count },
  sent: { title: both('Sent', '发送'), value: (d, r) => d.at('sentMs', r), show: time },
  ttft: { title: both('TTFT', 'TTFT'), value: (d, r) => d.ttftMs(r), show: time },
  tpot: { title: both('TPOT', 'TPOT'), value: (d, r) => d.tpotMs(r), show: time },
  latency: { title: both('Latency', '延迟'), value: (d, r) => d.latencyMs(r), show: time },
  late: { title: both('Late by', '滞后'), value: (d, r) => d.latenessMs(r), show: time },
  input: { title: both('Input', '输入'), value: (d, r) => d.at('inputTokens', r), show: num },
  output: { title: both('Output', '输出'), value: (d, r) => d.at('outputTokens', r), show: num },
};

interface TableProps {
  data: RequestData;
  version: number;
  startMs: number;
  window: readonly [number, number] | null;
  query: URLSearchParams;
}

/** A hundred thousand rows, of which only those in sight exist; sorted by a click, filtered by cause and window. */
export function RequestTable({ data, version, startMs, window, query }: TableProps) {
  const [top, setTop] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const cause = query.get('cause') ?? '';
  const [sortBy = 'seq', order = 'up'] = (query.get('sort') ?? 'seq.up').split('.');
  const causes = useMemo(() => causesOf(data), [data, version]);
  const rows = useMemo(
    () => sorted(data, chosen(data, cause, window), sortBy, order === 'down'),
    [data, version, cause, window?.[0], window?.[1], sortBy, order],
  );
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((top + tableHeight) / rowHeight) + spare);
  const sort = (name: string): void =>
    rewriteQuery({ sort: `${name}.${sortBy === name && order === 'up' ? 'down' : 'up'}` });
  const names = Object.keys(columns);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, i) => rows[first + i]!);
  return (
    <>
      <div class="filters">
        <select
          id="cause"
          aria-label={t('Outcome', '结局')}
          value={cause}
          onChange={(event) => rewriteQuery({ cause: event.currentTarget.value })}
        >
          <option value="">{t(`All outcomes (${count(data.rows)})`, `全部结局（${count(data.rows)}）`)}</option>
          {causes.map(([name, n]) => (
            <option key={name} value={name}>
              {causeName(name)} ({count(n)})
            </option>
          ))}
        </select>
        <span class="faint" id="rows-shown">
          {t(`${count(rows.length)} rows`, `${count(rows.length)} 行`)}
        </span>
      </div>
      <div
        class="virtual"
        ref={box}
        style={{ height: `${tableHeight}px` }}
        tabIndex={0}
        role="region"
        aria-label={t('Requests one by one', '逐个请求')}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {names.map((name) => (
                <th
                  scope="col"
                  key={name}
                  aria-sort={sortBy === name ? (order === 'up' ? 'ascending' : 'descending') : 'none'}
                >
                  <button type="button" class="quiet" onClick={() => sort(name)}>
                    {t(columns[name]!.title)}
                    {sortBy === name ? (order === 'up' ? ' ↑' : ' ↓') : ''}
                  </button>
                </th>
              ))}
              <th scope="col" class="left">
                {t('Outcome', '结局')}
              </th>
            </tr>
          </thead>
          <tbody>
            <tr class="gap" aria-hidden="true">
              <td colSpan={names.length + 1} style={{ height: `${first * rowHeight}px` }} />
            </tr>
            {shown.map((row, i) => (
              <tr key={row} aria-rowindex={first + i + 2} style={{ height: `${rowHeight}px` }}>
                {names.map((name) => {
                  const { value, show } = columns[name]!;
                  const one = value(data, row);
                  const text = Number.isNaN(one) ? '–' : show(name === 'sent' ? one - startMs : one);
                  if (name !== 'seq') return <td key={name}>{text}</td>;
                  return (
                    <td key={name}>
                      <button type="button" class="link" onClick={() => rewriteQuery({ request: String(one) })}>
                        {text}
                      </button>
                    </td>
                  );
                })}
                <td class={data.isOk(row) ? 'left' : 'left bad-text'}>{causeName(data.cause(row))}</td>
              </tr>
            ))}
            <tr class="gap" aria-hidden="true">
              <td colSpan={names.length + 1} style={{ height: `${(rows.length - last) * rowHeight}px` }} />
            </tr>
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A cause in words, its code where there are none. */
export function causeName(code: string): string {
  if (code === 'ok') return 'ok';
  return Object.hasOwn(problems, code) ? t(problems[code as ProblemCode]) : code;
}

function causesOf(data: RequestData): [string, number][] {
  const counts = new Map<string, number>();
  for (let row = 0; row < data.rows; row++) {
    const cause = data.cause(row);
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1]);
}

function chosen(data: RequestData, cause: string, window: readonly [number, number] | null): Uint32Array {
  const rows = new Uint32Array(data.rows);
  let found = 0;
  for (let row = 0; row < data.rows; row++) {
    if (cause !== '' && data.cause(row) !== cause) continue;
    const sent = data.at('sentMs', row);
    if (window !== null && !(sent >= window[0] && sent <= window[1])) continue;
    rows[found++] = row;
  }
  return rows.subarray(0, found);
}

/** Unknown values stand last either way. */
function sorted(data: RequestData, rows: Uint32Array, by: string, down: boolean): Uint32Array {
  const value = (columns[by] ?? columns['seq']!).value;
  const keys = new Float64Array(data.rows);
  for (const row of rows) {
    const one = value(data, row);
    keys[row] = Number.isNaN(one) ? Infinity : down ? -one : one;
  }
  return rows.sort((a, b) => keys[a]! - keys[b]! || a - b);
}
