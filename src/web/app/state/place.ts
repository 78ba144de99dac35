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
  history.replaceState(null, '', linkTo(page, rest, query));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
