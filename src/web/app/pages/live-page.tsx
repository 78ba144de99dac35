import type { RunList } from '../../api/shapes.ts';
import { KindBadges } from '../parts/badge.tsx';
import { LiveView } from '../parts/live-view.tsx';
import { StartForm } from '../parts/start-form.tsx';
import { when } from '../format.ts';
import { ask, useLoaded } from '../state/ask.ts';
import { linkTo } from '../state/place.ts';
import type { Place } from '../state/place.ts';
import { t } from '../state/settings.ts';

/** What is being measured now, wherever it was started, and a form to start more. */
export function LivePage({ place }: { place: Place }) {
  if (place.rest !== '') return <LiveView key={place.rest} id={place.rest} />;
  return <LiveList query={place.query} />;
}

function LiveList({ query }: { query: URLSearchParams }) {
  const { data } = useLoaded('runs', (signal) => ask<RunList>('/runs', { signal }), 2000);
  const live = data?.rows.filter((row) => row.live) ?? [];
  return (
    <>
      <div class="page-head">
        <h1>{t('Live', '实时')}</h1>
        <p class="faint">
          {t(
            'runs started in a terminal with the same store appear here too',
            '终端中使用同一存储启动的运行也会出现在这里',
          )}
        </p>
      </div>
      <section aria-labelledby="now-title" class="now">
        <h2 id="now-title">{t('Now', '正在进行')}</h2>
        {live.length === 0 && <p class="faint">{t('Nothing is being measured.', '当前没有运行。')}</p>}
        <ul class="live-list">
          {live.map((row) => (
            <li key={row.id}>
              <a href={row.kind === 'tune' ? linkTo('tune', row.id) : linkTo('live', row.id)}>{row.label ?? row.id}</a>{' '}
              <KindBadges row={row} />{' '}
              <span class="faint">{[row.model, when(row.startedAt)].filter(Boolean).join(' · ')}</span>
            </li>
          ))}
        </ul>
      </section>
      <StartForm query={query} />
    </>
  );
}
