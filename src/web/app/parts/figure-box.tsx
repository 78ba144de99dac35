import { say } from '../../../core/index.ts';
import type { Figure } from '../../../results/report/index.ts';
import type { Drawn, FigureView } from '../charts/draw-figure.ts';
import { useEffect, useLayoutEffect, useRef, useState } from '../preact.ts';
import { rewriteQuery } from '../state/place.ts';
import { isDark, t, useSettings } from '../state/settings.ts';
import { Icon } from './icon.tsx';
import { copied } from './code-block.tsx';

const leastWidth = 320;

/** One figure of a report, alive: hover for exact numbers, drag to zoom, click the legend to hide, log axes, a link to it. */
export function FigureBox({ figure, query }: { figure: Figure; query: URLSearchParams }) {
  const { lang, look } = useSettings();
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | null>(null);
  const [width, setWidth] = useState(0);
  const [ready, setReady] = useState(false);
  const view = viewOf(query, figure.id);
  const linkable = JSON.stringify(view);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(leastWidth, Math.floor(entry!.contentRect.width))));
    watch.observe(element.current!.parentElement!);
    return () => watch.disconnect();
  }, []);
  // Laid out, not after the paint: an effect after the paint is also ended only after one, and a chart must end with its element.
  useLayoutEffect(() => {
    let alive = true;
    void import('../charts/draw-figure.ts').then(({ drawFigure }) => {
      if (!alive) return;
      drawn.current = drawFigure(element.current!);
      drawn.current.onHidden((hidden) => rewriteQuery({ [`hide.${figure.id}`]: hidden.join('|') }));
      drawn.current.onZoom((zoom) => rewriteQuery({ [`zoom.${figure.id}`]: zoomText(zoom) }));
      setReady(true);
    });
    return () => {
      alive = false;
      drawn.current?.end();
      drawn.current = null;
    };
  }, [figure.id]);
  useEffect(() => {
    if (ready && width > 0) drawn.current?.draw(figure, view, { lang, theme: isDark() ? 'dark' : 'light', width });
  }, [ready, figure, width, look, linkable]);
  const set = (name: string, on: boolean): void => rewriteQuery({ [`${name}.${figure.id}`]: on ? '1' : null });
  const lines = figure.panels.some(({ kind }) => kind === 'lines');
  return (
    <figure class="figure" id={`figure-${figure.id}`}>
      <div class="plot" ref={element} role="img" aria-label={say(figure.about, lang)} />
      <figcaption>
        <span>{say(figure.about, lang)}</span>
        <span class="figure-tools">
          {lines && (
            <>
              <label>
                <input type="checkbox" checked={view.logX} onChange={(e) => set('logx', e.currentTarget.checked)} /> log
                x
              </label>
              <label>
                <input type="checkbox" checked={view.logY} onChange={(e) => set('logy', e.currentTarget.checked)} /> log
                y
              </label>
            </>
          )}
          {Object.keys(view.zoom).length > 0 && (
            <button type="button" class="small" onClick={() => rewriteQuery({ [`zoom.${figure.id}`]: null })}>
              {t('Reset zoom', '还原缩放')}
            </button>
          )}
          <button type="button" class="small" onClick={() => copyLink(figure.id)}>
            <Icon name="link" /> {t('Link', '链接')}
          </button>
          <button type="button" class="small save-png" onClick={() => save(drawn.current, figure.id)}>
            <Icon name="download" /> PNG
          </button>
        </span>
      </figcaption>
    </figure>
  );
}

function viewOf(query: URLSearchParams, id: string): FigureView {
  const zoom: Record<string, [number, number]> = {};
  for (const part of (query.get(`zoom.${id}`) ?? '').split(';')) {
    const match = /^([xy]\d+):([\d.]+)-([\d.]+)$/.exec(part);
    if (match !== null) zoom[match[1]!] = [Number(match[2]), Number(match[3])];
  }
  return {
    logX: query.get(`logx.${id}`) === '1',
    logY: query.get(`logy.${id}`) === '1',
    hidden: (query.get(`hide.${id}`) ?? '').split('|').filter(Boolean),
    zoom,
  };
}

function zoomText(zoom: Record<string, [number, number]>): string {
  return Object.entries(zoom)
    .map(([axis, [from, to]]) => `${axis}:${from.toFixed(2)}-${to.toFixed(2)}`)
    .join(';');
}

function copyLink(id: string): void {
  const link = new URL(location.href);
  const [path = '', query = ''] = link.hash.split('?');
  const asked = new URLSearchParams(query);
  asked.set('figure', id);
  link.hash = `${path}?${asked.toString()}`;
  void copied(link.href, t('Link copied', '已复制链接'));
}

function save(drawn: Drawn | null, id: string): void {
  if (drawn === null) return;
  const anchor = document.createElement('a');
  anchor.href = drawn.picture();
  anchor.download = `${id}.png`;
  anchor.click();
}
