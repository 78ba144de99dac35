import { describe, expect, test } from 'vitest';
import { isLoopback, makeGuard, makeToken } from './guard.ts';
import type { Judged } from './guard.ts';
import { Hono } from './http.ts';

const port = 4477;

async function judge(
  options: { host?: string; token?: string },
  headers: Record<string, string>,
  init: { method?: string; path?: string } = {},
): Promise<Judged> {
  const own = makeToken();
  const token = options.token ?? own;
  if (options.token === undefined) headers = { cookie: `dyno_token_${port}=${own}`, ...headers };
  const guard = makeGuard({ host: options.host ?? '127.0.0.1', port, token });
  const app = new Hono();
  let judged: Judged = null;
  app.all('*', (context) => {
    judged = guard(context);
    return context.text('');
  });
  await app.request(`http://127.0.0.1:${port}${init.path ?? '/'}`, {
    method: init.method ?? 'GET',
    headers: { host: `127.0.0.1:${port}`, ...headers },
  });
  return judged;
}

describe('the guard', () => {
  test('lets this machine in by every name it has for itself, and no other name', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])
      expect(await judge({}, { host: `${name}:${port}` })).toBeNull();
    for (const host of ['localhost', 'localhost:80', 'localhost.:4477', 'evil:4477', '0.0.0.0:4477'])
      expect(await judge({}, { host })).toMatchObject({ status: 403 });
  });

  test('an origin must be the very address asked', async () => {
    const own = `http://127.0.0.1:${port}`;
    expect(await judge({}, { origin: own })).toBeNull();
    for (const origin of [`http://localhost:${port}`, `https://127.0.0.1:${port}`, 'null', `${own}.evil`])
      expect(await judge({}, { origin })).toMatchObject({ status: 403 });
  });

  test('a link from another site opens the page, and asks nothing else', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await judge({}, link)).toBeNull();
    expect(await judge({}, { ...link, 'sec-fetch-mode': 'cors' })).toMatchObject({ status: 403 });
    expect(await judge({}, { ...link, 'x-llmdyno': '1' }, { method: 'POST' })).toMatchObject({ status: 403 });
  });

  test('a link from another site gets no cookie from the browser, so it is led through a page of ours; once', async () => {
    const token = makeToken();
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await judge({ token }, link)).toEqual({ redirect: '/', cookie: null, byPage: true });
    expect(await judge({ token }, link, { path: `/?token=${token}` })).toMatchObject({ redirect: '/', byPage: true });
    expect(await judge({ token }, { ...link, 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 401 });
    expect(await judge({ token }, link, { path: '/api/v1/runs' })).toMatchObject({ status: 401 });
  });

  test('a token is asked of everybody, by the name of the page it belongs to, and compared whole', async () => {
    const token = makeToken();
    expect(await judge({ token }, {})).toMatchObject({ status: 401 });
    expect(await judge({ token }, { cookie: `dyno_token_${port}=${token}` })).toBeNull();
    expect(await judge({ token }, { cookie: `a=b; dyno_token_${port}=${token}; c=d` })).toBeNull();
    expect(await judge({ token }, { cookie: `dyno_token_${port}=${token}x` })).toMatchObject({ status: 401 });
    expect(await judge({ token }, {}, { path: `/?token=${token}` })).toMatchObject({
      redirect: '/',
      byPage: false,
    });
    expect(await judge({ token }, { cookie: `dyno_token=${token}` })).toMatchObject({ status: 401 });
    expect(await judge({ token }, {}, { path: `/?token=${token.slice(1)}` })).toMatchObject({ status: 401 });
    expect(await judge({ token }, { 'x-llmdyno': '1' }, { path: `/?token=${token}`, method: 'POST' })).toMatchObject({
      status: 401,
    });
  });

  test('tokens have 256 bits and differ', () => {
    const tokens = new Set(Array.from({ length: 100 }, makeToken));
    expect(tokens.size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
  });

  test('loopback is loopback and nothing else', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].map(isLoopback)).toEqual([true, true, true, true]);
    expect(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil', 'localhost.evil'].map(isLoopback)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
