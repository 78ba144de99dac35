import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/core/index.ts';
import { dyno, emptyFolder, engine } from './dyno.ts';

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
});

/** Of an engine that has the plan's seed and has served before. */
async function askedLive(
  name: string,
  command: 'run' | 'sweep',
  seed: number,
  words: string,
): ReturnType<typeof asked> {
  const live = await engine(['--speed', '40', '--seed', String(seed)]);
  try {
    await asked(`before ${name}`, ['run', live.url], '--concurrency 4 -n 30 --max-tokens 50');
    return await asked(`live ${name}`, [command, live.url], `${words} --seed ${seed}`);
  } finally {
    await live.stop();
  }
}

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

describe('a plan over HTTP and in virtual time, under one seed: every prompt and every answer is as long', () => {
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
    ['questions whose answers end by themselves', 5, () => '--concurrency 8 -n 60'],
    ['the same with a warm-up', 5, () => '--concurrency 8 -n 40 --warmup 10 --max-tokens 300'],
    [
      'conversations, whose history holds the answers',
      1,
      () => `--dataset sharegpt-chat:${talks()} --concurrency 3 -n 24`,
    ],
  ])('%s', async (name, seed, words) => {
    const told = await askedLive(name, 'run', seed, words());
    expect(told[0]!.length).toBeGreaterThan(20);
    expect(new Set(told[0]!.map(([, , output]) => output)).size).toBeGreaterThan(5);
    expect(told).toEqual(await asked(`sim ${name}`, ['sim'], `${words()} --seed ${seed}`));
  });

  it('every point of a sweep', async () => {
    const words = '--concurrency 2,6 -n 20 --max-tokens 200';
    const told = await askedLive('sweep', 'sweep', 3, words);
    expect(told).toHaveLength(2);
    expect(told).toEqual(await asked('sim sweep', ['sim'], `${words} --seed 3`));
  });
});

describe('a simulated engine is asked as any other server is', () => {
  /** All that a server is sent that calls itself so and answers everything. */
  async function sentTo(name: string, command: string, words: string): Promise<unknown[]> {
    const sent: unknown[] = [];
    const server = createServer(async (req, res) => {
      const { host: _itsPort, ...headers } = req.headers;
      sent.push([req.method, req.url, headers, await text(req)]);
      res.setHeader('server', name);
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ choices: [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await asked(`${name} ${command}`, [command, url], `--model m --no-stream --metrics none ${words}`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    return sent;
  }

  it.each([
    ['run', '--concurrency 1 -n 6 --seed 12'],
    ['run', '--rate 50 --arrival constant -n 4 --seed 12'],
    ['sweep', '--concurrency 1,2 -n 1 --seed 12'],
  ])('%s %s', async (command, words) => {
    const simulated = await sentTo('llmdyno-engine (simulated)', command, words);
    expect(simulated.length).toBeGreaterThan(2);
    expect(simulated).toEqual(await sentTo('uvicorn', command, words));
    expect(JSON.stringify(simulated)).not.toMatch(/x-llmdyno|llmdyno\/run/);
  });
});
