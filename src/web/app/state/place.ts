import { useLayoutEffect, useState } from '../preact.ts';

/** Where one is: `#/run/ID?log=1` is page `run`, rest `ID`, with its query. All state worth a link lives here. */
export interface Place {
  page: string;
  rest: string;
  query: URLSearchParams;
}

/** Reads an address behind the `#`. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', ...rest] = path.split('/');
  return {
    page: page === '' ? 'runs' : page,
    rest: rest.map(decodeURIComponent).join('/'),
    query: new URLSearchParams(query),
  };
}

/** The address of a place. */
export function linkTo(page: string, rest = '', query: URLSearchParams | null = null): string {
  const path = rest === '' ? '' : `/${rest.split('/').map(encodeURIComponent).join('/')}`;
  const text = query?.toString() ?? '';
  return `#/${page}${path}${text === '' ? '' : `?${text}`}`;
}

/** The place now; draws again when it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useLayoutEffect(() => {
    const changed = (): void => setPlace(placeOf(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return place;
}

/** Changes the query of the place without a new step in the history. */
export function rewriteQuery(change: Record<string, string | null>): void {
  const { page, rest, query } = placeOf(location.hash);
  for (const [name, value] of Object.entries(change))
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  history.replaceState(history.state, '', linkTo(page, rest, query));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

const saveEveryMs = 150;
const waitMs = 3000;

/** How far down one had read stays with its step of the history: Back leads there, as soon as the page is as long again. */
export function keepScroll(): void {
  let saving: ReturnType<typeof setTimeout> | undefined;
  let until = 0;
  const givenUp = (): void => {
    until = 0;
  };
  const goTo = (y: number): void => {
    clearTimeout(saving);
    saving = undefined;
    scrollTo(0, y);
    // The page that is left may be long enough while the one that comes is not yet.
    until = y === 0 ? 0 : performance.now() + waitMs;
    const step = (): void => {
      if (performance.now() > until) return givenUp();
      if (Math.abs(scrollY - y) > 1) scrollTo(0, y);
      requestAnimationFrame(step);
    };
    step();
  };
  history.scrollRestoration = 'manual';
  addEventListener('popstate', ({ state }) => goTo(heightIn(state)));
  for (const name of ['wheel', 'touchmove', 'keydown', 'mousedown']) addEventListener(name, givenUp, { passive: true });
  addEventListener('scroll', () => {
    if (until > 0) return;
    saving ??= setTimeout(() => {
      saving = undefined;
      history.replaceState({ y: scrollY }, '');
    }, saveEveryMs);
  });
  goTo(heightIn(history.state));
}

function heightIn(state: unknown): number {
  return (state as { y?: number } | null)?.y ?? 0;
}
