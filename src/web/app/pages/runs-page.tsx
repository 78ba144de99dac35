import type { RunList } from '../../api/shapes.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { DropZone, pickFiles } from '../parts/import-files.tsx';
import { Icon } from '../parts/icon.tsx';
import { Filters, filterRows, optionsOf } from '../parts/run-filters.tsx';
import { RunsTable, sortRows } from '../parts/runs-table.tsx';
import { Empty, TroubleBox, Waiting } from '../parts/states.tsx';
import { toast } from '../parts/toasts.tsx';
import { useRef, useState } from '../preact.ts';
import { ask, tell, ApiError, useLoaded } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import type { Place } from '../state/place.ts';
import { t } from '../state/settings.ts';

/** What is ticked stays ticked when one comes back from another page. */
let lastPicked: ReadonlySet<string> = new Set();

/** Everything in the store: search, filters, pick to compare, import, delete. */
export function RunsPage({ place }: { place: Place }) {
  const { data, trouble, again } = useLoaded('runs', (signal) => ask<RunList>('/runs', { signal }), 2500);
  const [picked, setPicked] = useState<ReadonlySet<string>>(lastPicked);
  // Keys may come faster than the page is drawn.
  const chosen = useRef(picked);
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const rows = data?.rows.filter(({ id }) => !gone.has(id)) ?? [];
  const shown = sortRows(filterRows(rows, place.query), place.query);
  const remove = (id: string): void => {
    setGone(new Set([...gone, id]));
    const back = (): void => setGone((now) => new Set([...now].filter((one) => one !== id)));
    tell(`/runs/${encodeURIComponent(id)}`, null, 'DELETE').then(
      () =>
        toast(t(`${id} was deleted`, `已删除 ${id}`), {
          name: t('Undo', '撤销'),
          run: () =>
            void tell(`/trash/${encodeURIComponent(id)}/restore`, {}).then(() => {
              back();
              again();
            }),
        }),
      (error: unknown) => {
        back();
        toast(error instanceof ApiError ? t(error.mistakes[0]!.message) : String(error));
      },
    );
  };
  const pick = (id: string): void => {
    const now = new Set(chosen.current);
    if (!now.delete(id)) now.add(id);
    chosen.current = now;
    lastPicked = now;
    setPicked(now);
  };
  const compare = (): void => {
    if (chosen.current.size >= 2) location.hash = linkOf(chosen.current);
  };
  return (
    <DropZone done={again}>
      <div class="page-head">
        <h1>{t('Runs', '运行')}</h1>
        <p class="faint">
          {data === null ? '\u00a0' : t(`${rows.length} in ${data.store}`, `${data.store} 中共 ${rows.length} 个`)}
        </p>
        <div class="actions">
          {picked.size >= 2 ? (
            <a class="button primary" href={linkOf(picked)} id="compare-picked">
              {t(`Compare ${picked.size}`, `比较 ${picked.size} 个`)}
            </a>
          ) : (
            <span class="button off" aria-disabled="true">
              {t('Pick two to compare', '选两个进行比较')}
            </span>
          )}
          <button type="button" onClick={() => pickFiles(again)}>
            <Icon name="upload" /> {t('Import…', '导入…')}
          </button>
          <a class="button" href={linkTo('live')}>
            <Icon name="play" /> {t('New run', '新建运行')}
          </a>
        </div>
      </div>
      <Filters options={optionsOf(rows)} query={place.query} />
      {trouble && <TroubleBox trouble={trouble} again={again} />}
      {data === null && trouble === null && <Waiting height={420} />}
      {data !== null && rows.length === 0 && <Nothing />}
      {data !== null && rows.length > 0 && (
        <RunsTable
          query={place.query}
          rows={shown}
          picked={picked}
          pick={pick}
          remove={remove}
          changed={again}
          compare={compare}
        />
      )}
      {rows.length > 0 && shown.length === 0 && (
        <Empty title={t('Nothing fits these filters', '没有符合条件的结果')}>
          <a href={linkTo('runs')}>{t('Clear them', '清除条件')}</a>
        </Empty>
      )}
    </DropZone>
  );
}

function linkOf(ids: ReadonlySet<string>): string {
  return linkTo('compare', '', new URLSearchParams([...ids].map((id) => ['id', id])));
}

function Nothing() {
  return (
    <Empty title={t('The store is empty', '还没有任何结果')}>
      <p>
        {t('Start a run ', '启动一次')}
        <a href={linkTo('live')}>{t('here', '运行')}</a>
        {t(', or in a terminal:', '，或在终端中：')}
      </p>
      <CodeBlock text="dyno find http://127.0.0.1:8000 --slo 'ttft.p99<2s' --slo 'tpot.p99<50ms'" />
      <p>
        {t('No server at hand? This simulates one; ', '没有服务器？可模拟一个；')}
        <a href={linkTo('simulate')}>{t('Simulate', '模拟页面')}</a>
        {t(' needs none at all:', '则完全不需要：')}
      </p>
      <CodeBlock text="dyno engine" />
      <p>
        {t(
          'Results of evalscope, vLLM, SGLang, MindIE, AISBench, guidellm or aiperf can be dropped on this page.',
          '也可以把 evalscope、vLLM、SGLang、MindIE、AISBench、guidellm 或 aiperf 的结果文件拖到本页。',
        )}
      </p>
    </Empty>
  );
}
