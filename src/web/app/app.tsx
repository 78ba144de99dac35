import { Shortcuts } from './parts/shortcuts.tsx';
import { Lazy } from './parts/lazy.tsx';
import { Icon } from './parts/icon.tsx';
import { Toasts } from './parts/toasts.tsx';
import { useEffect } from './preact.ts';
import type { ComponentType } from './preact.ts';
import { both, choose, isDark, t, useSettings } from './state/settings.ts';
import { linkTo, usePlace } from './state/place.ts';
import type { Place } from './state/place.ts';
import { RunsPage } from './pages/runs-page.tsx';

/** A page of the app is given the place it stands at. */
export type Page = ComponentType<{ place: Place }>;

const pages = [
  { name: 'runs', title: both('Runs', '运行'), tab: true },
  { name: 'live', title: both('Live', '实时'), tab: true },
  { name: 'compare', title: both('Compare', '对比'), tab: true },
  { name: 'trend', title: both('Trend', '趋势'), tab: true },
  { name: 'plan', title: both('Plan', '规划'), tab: true },
  { name: 'simulate', title: both('Simulate', '模拟'), tab: true },
  { name: 'tune', title: both('Tune', '调优'), tab: true },
  { name: 'run', title: both('Run', '运行'), tab: false },
] as const;

/** Loaded when first opened; the list of runs is there at once. */
const loaders: Record<string, () => Promise<Page>> = {
  run: async () => (await import('./pages/run-page.tsx')).RunPage,
  compare: async () => (await import('./pages/compare-page.tsx')).ComparePage,
  trend: async () => (await import('./pages/trend-page.tsx')).TrendPage,
  plan: async () => (await import('./pages/plan-page.tsx')).PlanPage,
  simulate: async () => (await import('./pages/simulate-page.tsx')).SimulatePage,
  tune: async () => (await import('./pages/tune-page.tsx')).TunePage,
  live: async () => (await import('./pages/live-page.tsx')).LivePage,
};

/** The frame around every page. */
export function App() {
  const { lang } = useSettings();
  const place = usePlace();
  const page = pages.find(({ name }) => name === place.page) ?? pages[0];
  useEffect(() => {
    document.title = `${t(page.title)}${place.rest === '' ? '' : ` · ${place.rest}`} · llmdyno`;
  }, [page, place.rest, lang]);
  const active = page.name === 'run' ? 'runs' : page.name;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {t('Skip to content', '跳到正文')}
      </a>
      <header class="bar">
        <a class="brand" href={linkTo('runs')}>
          <Icon name="gauge" /> <span>llmdyno</span>
        </a>
        <nav aria-label={t('Pages', '页面')}>
          {pages
            .filter(({ tab }) => tab)
            .map(({ name, title }) => (
              <a key={name} href={linkTo(name)} aria-current={name === active ? 'page' : undefined}>
                {t(title)}
              </a>
            ))}
        </nav>
        <div class="bar-tools">
          <button
            type="button"
            class="quiet"
            id="switch-language"
            lang={lang === 'zh' ? 'en' : 'zh-CN'}
            onClick={() => choose({ lang: lang === 'zh' ? 'en' : 'zh' })}
          >
            {lang === 'zh' ? 'English' : '中文'}
          </button>
          <button
            type="button"
            class="quiet icon-button"
            id="switch-theme"
            aria-label={isDark() ? t('Light colours', '浅色') : t('Dark colours', '深色')}
            onClick={() => choose({ theme: isDark() ? 'light' : 'dark' })}
          >
            <Icon name={isDark() ? 'sun' : 'moon'} />
          </button>
          <Shortcuts />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {page.name === 'runs' ? (
          <RunsPage place={place} />
        ) : (
          <Lazy key={page.name} load={loaders[page.name]!} props={{ place }} />
        )}
      </main>
      <Toasts />
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}
