import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { afterHeader, dueHeader, nameHeader, sentHeader } from '../../src/core/index.ts';
import type { Exchange } from '../../src/core/index.ts';
import { dyno, emptyFolder, engine } from './dyno.ts';
import type { Engine } from './dyno.ts';

let folder: string;
let live: Engine;
beforeAll(async () => {
  folder = await emptyFolder();
  // Its own seed is not that of the plans, and it has served before.
  live = await engine(['--speed', '40', '--seed', '9']);
  await asked('before', ['run', live.url], '--concurrency 4 -n 30 --max-tokens 50');
});
afterAll(() => live.stop());

/** Prompt and answer tokens of every measured prompt, run by run; which turn of two conversations comes first is the clock's affair. */
async function asked(name: string, command: readonly string[], words: string): Promise<(string | number | null)[][][]> {
  const store = join(folder, name);
  const done = await dyno([...command, ...words.split(' '), '--store', store, '--quiet', '--lenient']);
  expect(done.err).toBe('');
  expect(done.code).toBe(0);
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('exchanges.ndjson'),
  );
  const runs = files.map((file) =>
    readFileSync(join(store, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Partial<Exchange>)
      .filter(({ seq, warmup }) => seq !== undefined && warmup === false)
      .toSorted((a, b) => a.promptId!.localeCompare(b.promptId!) || a.seq! - b.seq!)
      .map(({ promptId, inputTokens, outputTokens }) => [promptId!, inputTokens!.server, outputTokens!.server]),
  );
  // Folders of one second have names in any order.
  return runs.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));
}

describe('a plan over HTTP and in virtual time: every prompt and every answer is as long', () => {
  const talks = (): string => {
    const file = join(folder, 'talks.json');
    const turn = (from: string, value: string): { from: string; value: string } => ({ from, value });
    const list = Array.from({ length: 8 }, (_, talk) => ({
      id: `talk-${talk}`,
      conversations: [1, 2, 3].flatMap((n) => [
        turn('human', `${talk % 2 === 0 ? '请介绍第' : 'Tell me more about item '}${talk * 10 + n}`),
        turn('gpt', 'as it was'),
      ]),
    }));
    writeFileSync(file, JSON.stringify(list));
    return file;
  };

  it.each([
    ['questions whose answers end by themselves', () => '--concurrency 8 -n 60 --seed 5'],
    ['the same with a warm-up', () => '--concurrency 8 -n 40 --warmup 10 --max-tokens 300 --seed 5'],
    [
      'conversations, whose history holds the answers',
      () => `--dataset sharegpt-chat:${talks()} --concurrency 3 -n 24`,
    ],
  ])('%s', async (name, words) => {
    const told = await asked(`live ${name}`, ['run', live.url], words());
    expect(told[0]!.length).toBeGreaterThan(20);
    expect(new Set(told[0]!.map(([, , output]) => output)).size).toBeGreaterThan(5);
    expect(told).toEqual(await asked(`sim ${name}`, ['sim'], words()));
  });

  it('every point of a sweep', async () => {
    const words = '--concurrency 2,6 -n 20 --max-tokens 200 --seed 3';
    const told = await asked('live sweep', ['sweep', live.url], words);
    expect(told).toHaveLength(2);
    expect(told).toEqual(await asked('sim sweep', ['sim'], words));
  });
});

/** What a server was asked and told that others are not. */
interface Told {
  paths: string[];
  headers: Record<string, string>[];
}

describe('that a run begins', () => {
  /** A server that calls itself so and answers everything. */
  async function toldAt(name: string, command: string, words: string): Promise<Told> {
    const paths: string[] = [];
    const headers: Record<string, string>[] = [];
    const server = createServer((req, res) => {
      if (req.url!.includes('llmdyno')) paths.push(`${req.method} ${req.url}`);
      const told = Object.entries(req.headers).filter(([header]) => header.includes('llmdyno'));
      if (told.length > 0) headers.push(Object.fromEntries(told) as Record<string, string>);
      req.resume();
      res.setHeader('server', name);
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ choices: [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await asked(name, [command, url], `--model m --no-stream --metrics none ${words}`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    return { paths, headers };
  }

  it('a simulated engine is told once for each run, with seed and number', async () => {
    const { paths } = await toldAt('llmdyno-engine (simulated)', 'sweep', '--concurrency 1,2 -n 4 --seed 12');
    expect(paths).toEqual(['POST /llmdyno/run/12/0', 'POST /llmdyno/run/12/1']);
  });

  it('and when each request was sent, and after which answer, on the clock of this host', async () => {
    const fromMs = Number(process.hrtime.bigint()) / 1e6;
    const { headers } = await toldAt('llmdyno-engine, closed', 'run', '--concurrency 1 -n 6');
    const toMs = Number(process.hrtime.bigint()) / 1e6;
    const names = headers.map((told) => told[nameHeader]);
    expect(new Set(names).size).toBe(6);
    expect(headers.map((told) => told[afterHeader])).toEqual([undefined, ...names.slice(0, -1)]);
    const moments = [headers[0]![dueHeader], ...headers.map((told) => told[sentHeader])].map(Number);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(moments[0]).toBeGreaterThan(fromMs);
    expect(moments.at(-1)).toBeLessThan(toMs);
  });

  it('and in an open loop when each was due', async () => {
    const fromMs = Number(process.hrtime.bigint()) / 1e6;
    const { headers } = await toldAt('llmdyno-engine, open', 'run', '--rate 100 --arrival constant -n 8');
    const toMs = Number(process.hrtime.bigint()) / 1e6;
    expect(headers).toHaveLength(8);
    for (const told of headers) expect(Number(told[sentHeader])).toBeGreaterThanOrEqual(Number(told[dueHeader]));
    const dueMs = headers.map((told) => Number(told[dueHeader]));
    const inOrder = dueMs.toSorted((a, b) => a - b);
    for (const [n, ms] of inOrder.entries()) expect(ms - inOrder[0]!).toBeCloseTo(10 * n, 3);
    expect(inOrder[0]).toBeGreaterThan(fromMs);
    expect(inOrder.at(-1)).toBeLessThan(toMs);
  });

  it('no other server is told anything', async () => {
    expect(await toldAt('uvicorn', 'run', '--concurrency 1 -n 4')).toEqual({ paths: [], headers: [] });
    expect(await toldAt('uvicorn, open', 'run', '--rate 100 -n 4')).toEqual({ paths: [], headers: [] });
  });
});
