import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dyno, emptyFolder } from './dyno.ts';
import type { Done } from './dyno.ts';

/** Holds so many requests at once; whoever comes beyond that is turned away, so that the largest load is known. */
const places = 5;
let server: Server;
let url: string;
let store: string;

beforeAll(async () => {
  store = await emptyFolder();
  let held = 0;
  server = createServer((request, response) => {
    request.resume();
    if (request.method !== 'POST') return void response.writeHead(404).end();
    if (held >= places) return void response.writeHead(503).end();
    held += 1;
    setTimeout(() => {
      held -= 1;
      const choices = [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }];
      const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices, usage }));
    }, 10);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

function find(...flags: string[]): Promise<Done> {
  const load = ['--model', 'm', '--no-stream', '--no-preflight', '--lenient', '--quiet', '--store', store];
  return dyno(['sweep', url, ...load, '--find', 'max', '--metrics', 'none', '--devices', 'none', ...flags]);
}

interface FoundDocument {
  points: { load: { concurrency: number } }[];
  found: { value: number; confirmed: boolean; atMost: boolean; outOfRuns: boolean };
}

describe('dyno sweep --find max', () => {
  test('finds the largest concurrency that a server with so many places keeps, and confirms it with fresh runs', async () => {
    const done = await find('--slo', 'failed<1%', '--concurrency', '1,8', '--json');
    expect(done.code).toBe(0);
    const { found, points } = JSON.parse(done.out) as FoundDocument;
    expect(found).toMatchObject({ value: places, confirmed: true, atMost: false, outOfRuns: false });
    expect(points.filter(({ load }) => load.concurrency === places).length).toBeGreaterThanOrEqual(2);
  });

  test('where the whole range keeps it, the end of the range is told as such', async () => {
    const done = await find('--slo', 'failed<1%', '--concurrency', '2,4');
    expect(done.code).toBe(0);
    expect(done.out).toMatch(/^4 users at once within the limit, confirmed/);
    expect(done.out).toMatch(/the\s+range that was searched[^]*--concurrency 4,16/);
  });

  test('runs that are spent too soon are told, not taken for the end of the range', async () => {
    const done = await find('--slo', 'failed<1%', '--concurrency', '1,8', '--find-runs', '4');
    expect(done.code).toBe(0);
    expect(done.out).toMatch(/^[45] users at once/);
    expect(done.out).toMatch(/The runs were spent before the edge was known: --find-runs 16/);
    expect(done.out).not.toContain('end of the range');
  });

  test('a limit that even the least load breaks ends with 4 and names it; no limit at all is a mistake', async () => {
    const broken = await find('--slo', 'latency.mean<1ms', '--concurrency', '1,8', '--lang', 'zh');
    expect(broken.code).toBe(4);
    expect(broken.out).toMatch(/^没有负载能满足 latency\.mean < 1ms[^]*可满足 --slo 'latency\.mean<[\d.]+ms'/);
    const none = await find('--concurrency', '1,8');
    expect(none.code).toBe(2);
    expect(none.err).toContain('--slo');
  });
});

describe('dyno find', () => {
  const ask = (...flags: string[]): Promise<Done> => {
    const load = ['--model', 'm', '--no-stream', '--no-preflight', '--lenient', '--quiet', '--store', store];
    return dyno(['find', url, ...load, '--metrics', 'none', '--devices', 'none', ...flags]);
  };
  test('answers in one line, with the load that breaks and every look, in at most twelve lines', async () => {
    const { code, out } = await ask('--slo', 'failed<1%', '--concurrency', '1,8');
    expect(code).toBe(0);
    expect(out).toMatch(/^5 users at once within the limit, confirmed with fresh prompts\./);
    expect(out).toMatch(/failed < 1% +0 % kept +at 6: [\d.]+ % BROKEN/);
    expect(out).toMatch(/5 ✓ fresh/);
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
  });
  test('as JSON is one document with the answer, where it breaks, and the looks', async () => {
    const { out } = await ask('--slo', 'failed<1%', '--concurrency', '1,8', '--json');
    const found = JSON.parse(out) as { probes: { value: number; kept: boolean }[] };
    expect(found).toMatchObject({
      schema: 'llmdyno.find/1',
      answer: { kind: 'concurrency', value: places, confirmed: true },
      breaksAt: places + 1,
      slo: [{ promise: 'failed<1%', kept: true }],
    });
    expect(found.probes.length).toBeLessThanOrEqual(8);
    expect(found.probes.every(({ value, kept }) => kept === value <= places)).toBe(true);
  });
  test('is told alike by everything that tells it later, from what it concluded and not from its points', async () => {
    const { out } = await ask('--slo', 'failed<1%', '--concurrency', '1,8');
    const screen = out.slice(0, out.search(/\nKept as/));
    const [answer] = screen.split('.');
    for (const again of [
      ['runs', 'show', 'latest'],
      ['report', 'latest'],
    ])
      expect((await dyno([...again, '--store', store])).out).toContain(screen);
    const html = join(await emptyFolder(), 'find.html');
    await dyno(['report', 'latest', '--store', store, '--as', 'html', '--out', html]);
    expect(await readFile(html, 'utf8')).toContain(answer!);
    const markdown = await dyno(['report', 'latest', '--store', store, '--as', 'markdown']);
    expect(markdown.out).toContain(answer!);
    const chinese = await dyno(['report', 'latest', '--store', store, '--lang', 'zh']);
    expect(chinese.out).toContain('满足全部要求的最大负载为 5 并发，已用新提示词复测确认。');
  });
  test('where no load keeps a promise says what one user alone has, and ends with 4', async () => {
    const { code, out } = await ask('--slo', 'latency.mean<1ms', '--concurrency', '1,8');
    expect(code).toBe(4);
    expect(out).toMatch(/^No load keeps latency\.mean < 1ms: one user alone has [\d.]+ ms\./);
  });
});
