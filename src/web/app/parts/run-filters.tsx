import type { Row } from '../../api/shapes.ts';
import { useLayoutEffect, useRef } from '../preact.ts';
import { rewriteQuery } from '../state/place.ts';
import { both, t } from '../state/settings.ts';
import { Icon } from './icon.tsx';
import { isTyping } from './shortcuts.tsx';

const fields = {
  kind: both('Kind', '类型'),
  model: both('Model', '模型'),
  engine: both('Engine', '引擎'),
  card: both('Card', '加速卡'),
  tag: both('Tag', '标记'),
  verdict: both('Verdict', '结论'),
} as const;
type Field = keyof typeof fields;

const optionNames: Record<string, { en: string; zh: string }> = {
  run: both('run', '运行'),
  sweep: both('sweep', '扫描'),
  tune: both('search', '调优'),
  broken: both('damaged', '损坏'),
  simulated: both('simulated', '模拟'),
  'simulated engine': both('simulated engine', '模拟引擎'),
  imported: both('imported', '导入'),
  live: both('live', '进行中'),
  valid: both('valid', '有效'),
  warn: both('with doubts', '有疑点'),
  invalid: both('not valid', '无效'),
  none: both('no verdict', '无结论'),
};

const ages = { day: 86_400_000, week: 604_800_000, month: 2_678_400_000 } as const;

/** What can be chosen in each filter. */
export function optionsOf(rows: readonly Row[]): Record<Field, string[]> {
  const values = (of: (row: Row) => readonly (string | null)[]): string[] =>
    [...new Set(rows.flatMap(of))].filter((value): value is string => value !== null && value !== '').toSorted();
  return {
    kind: values(kindsOf),
    model: values(({ model }) => [model]),
    engine: values(({ engine }) => [engine]),
    card: values(({ card }) => [card]),
    tag: values(({ tags }) => tags),
    verdict: values(({ verdict }) => [verdict]),
  };
}

function kindsOf(row: Row): string[] {
  return [
    row.kind,
    ...(row.live ? ['live'] : []),
    ...(row.simulated ? ['simulated'] : []),
    ...(row.simulatedEngine ? ['simulated engine'] : []),
    ...(row.tool === 'llmdyno' ? [] : ['imported']),
  ];
}

/** The rows that pass what the address asks for. */
export function filterRows(rows: readonly Row[], query: URLSearchParams): Row[] {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const age = ages[query.get('age') as keyof typeof ages] as number | undefined;
  const wanted = (field: Field, values: readonly (string | null)[]): boolean =>
    query.get(field) === null || values.includes(query.get(field));
  return rows.filter((row) => {
    const text = [row.id, row.label, row.model, row.engine, row.card, row.tool, ...row.tags].join(' ').toLowerCase();
    const fresh = age === undefined || (row.startedAt !== null && Date.now() - Date.parse(row.startedAt) < age);
    return (
      words.every((word) => text.includes(word)) &&
      fresh &&
      wanted('kind', kindsOf(row)) &&
      wanted('model', [row.model]) &&
      wanted('engine', [row.engine]) &&
      wanted('card', [row.card]) &&
      wanted('tag', row.tags) &&
      wanted('verdict', [row.verdict])
    );
  });
}

/** The line of search and filters; what is chosen stands in the address. */
export function Filters({ options, query }: { options: Record<Field, string[]>; query: URLSearchParams }) {
  const search = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return (
    <div class="filters" role="search">
      <label class="search">
        <Icon name="search" />
        <input
          ref={search}
          type="search"
          value={query.get('q') ?? ''}
          placeholder={t('Search name, model, tag…', '搜索名称、模型、标记…')}
          aria-label={t('Search', '搜索')}
          onInput={(event) => rewriteQuery({ q: event.currentTarget.value })}
        />
      </label>
      {(Object.keys(fields) as Field[])
        .filter((field) => options[field].length > 1 || query.get(field) !== null)
        .map((field) => (
          <select
            key={field}
            aria-label={t(fields[field])}
            value={query.get(field) ?? ''}
            onChange={(event) => rewriteQuery({ [field]: event.currentTarget.value })}
          >
            <option value="">{t(fields[field])}</option>
            {options[field].map((value) => (
              <option key={value} value={value}>
                {value in optionNames && (field === 'kind' || field === 'verdict') ? t(optionNames[value]!) : value}
              </option>
            ))}
          </select>
        ))}
      <select
        aria-label={t('Date', '日期')}
        value={query.get('age') ?? ''}
        onChange={(event) => rewriteQuery({ age: event.currentTarget.value })}
      >
        <option value="">{t('Any date', '任意日期')}</option>
        <option value="day">{t('Last 24 hours', '最近一天')}</option>
        <option value="week">{t('Last 7 days', '最近一周')}</option>
        <option value="month">{t('Last 31 days', '最近一月')}</option>
      </select>
    </div>
  );
}
