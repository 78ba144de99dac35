import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dyno, emptyFolder, summaryOf } from '../e2e/dyno.ts';

/**
 * Against HTTP/2 servers and proxies that nobody here wrote, where some are up:
 * `hypercorn --bind 127.0.0.1:8443 --certfile test/fixtures/tls/cert.pem --keyfile test/fixtures/tls/key.pem asgi-answers:app` in
 * test/real, then LLMDYNO_REAL_H2=https://127.0.0.1:8443 (or without the two files, http://, for prior knowledge); and
 * tinyproxy or proxy.py, then LLMDYNO_REAL_PROXY=http://NAME:PASSWORD@127.0.0.1:8888.
 */
const url = process.env['LLMDYNO_REAL_H2'];
const proxy = process.env['LLMDYNO_REAL_PROXY'];
const words = ['--model', 'any', '--concurrency', '32', '-n', '200', '--max-tokens', '12', '--insecure', '--json'];

test('they are named by LLMDYNO_REAL_H2 and LLMDYNO_REAL_PROXY, or are not asked', () => {
  expect(url ?? 'http:').toMatch(/^https?:/);
  expect(proxy ?? 'http:').toMatch(/^http:/);
});

describe.each(url === undefined ? [] : [url])('a real HTTP/2 server at %s', (target) => {
  test.each([true, false])('streamed: %s: everything accounted for on few connections, usage found', async (stream) => {
    const more = ['--lenient', '--store', await emptyFolder(), ...(stream ? [] : ['--no-stream'])];
    const summary = summaryOf(await dyno(['run', target, '--http2', ...words, ...more]));
    expect(summary.counts).toMatchObject({ planned: 200, ok: 200, failed: 0, unaccounted: 0 });
    expect(summary.outputTokens!.mean).toBe(12);
    expect(summary.client!.connecting!.count).toBeLessThanOrEqual(2);
  });
});

const proxied = proxy === undefined || url === undefined ? [] : [{ at: proxy, target: url }];

describe.each(proxied)('a real proxy', ({ at, target }) => {
  test.each([['--http2'], []])('carries https %s; its name and password stay out of every file', async (...flags) => {
    const { username, password, origin } = new URL(at);
    const store = await emptyFolder();
    const env = { HTTPS_PROXY: at, HTTP_PROXY: at };
    const typed = ['run', target, '--proxy', origin, ...flags, ...words, '--lenient', '--store', store];
    const summary = summaryOf(await dyno(typed, { env }));
    expect(summary.counts).toMatchObject({ planned: 200, ok: 200, failed: 0, unaccounted: 0 });
    const plan = readFileSync(join(store, summary.runId, 'plan.json'), 'utf8');
    expect(plan).toContain(origin);
    expect(username === '' || !plan.includes(password)).toBe(true);
  });
});
