import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';
import type { Summary } from '../../src/core/index.ts';
import { startEngine } from '../../src/engine/http/index.ts';
import { builtinProfile, defaultProfileName } from '../../src/engine/sim/index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmdyno-words-'));
});

async function run(...words: string[]): Promise<Summary> {
  let [out, err] = ['', ''];
  const code = await runCli({
    out: (text) => (out += text),
    err: (text) => (err += text),
    outIsTty: false,
    errIsTty: false,
    hide: () => {},
    columns: 80,
    env: { DYNO_STORE: join(folder, 'store'), LANG: 'C' },
    argv: ['run', ...words, '--lenient', '--json'],
    onInterrupt: () => () => {},
  });
  expect([code, err]).toEqual([0, expect.not.stringContaining('error')]);
  return JSON.parse(out) as Summary;
}

describe('prompts of token numbers', () => {
  test.each([true, false])(
    'go out as they stand in a file of requests and are counted one by one, streamed: %s',
    async (stream) => {
      const engine = await startEngine({
        profile: builtinProfile(defaultProfileName),
        speed: 200,
        models: ['m'],
      });
      const file = join(folder, 'ids.jsonl');
      const bodies = [
        [1, 2, 3, 4, 5],
        [9, 8, 7, 6, 5, 4, 3],
      ].map((prompt) => JSON.stringify({ prompt, max_tokens: 4 }));
      await writeFile(file, bodies.join('\n'));
      try {
        const words = [engine.url, '--api', 'openai-completions', '--model', 'm', '--dataset', `requests:${file}`];
        const summary = await run(...words, '-n', '4', '--concurrency', '2', ...(stream ? [] : ['--no-stream']));
        expect(summary.counts).toMatchObject({ planned: 4, ok: 4, unaccounted: 0 });
        expect([summary.inputTokens!.min, summary.inputTokens!.max]).toEqual([5, 7]);
        expect(summary.outputTokens!.mean).toBe(4);
      } finally {
        await engine.close();
      }
    },
  );
});

describe('a wire of one’s own', () => {
  test('described in YAML, it is spoken and heard: text, tokens, finish, and an error where one is said', async () => {
    const wire = join(folder, 'wire.yaml');
    await writeFile(
      wire,
      "path: /ask\nbody:\n  question: '{prompt}'\n  limits: { tokens: '{max_tokens}' }\n  live: '{stream}'\nstream: events\nends-by: finish\n" +
        'text: answer.parts[0].text\ninput-tokens: usage.in\noutput-tokens: usage.out\nfinish: done\nerror: oops.why\n',
    );
    const asked: unknown[] = [];
    const server = createServer((req, res) => {
      // Whoever asks for the list of models finds none here.
      if (req.method !== 'POST') return void res.writeHead(404).end();
      const parts: Buffer[] = [];
      req.on('data', (part: Buffer) => parts.push(part));
      req.on('end', () => {
        const body = JSON.parse(Buffer.concat(parts).toString()) as { question: string };
        asked.push({ path: req.url, ...body });
        res.setHeader('content-type', 'text/event-stream');
        const piece = (text: string): string => `data: ${JSON.stringify({ answer: { parts: [{ text }] } })}\n\n`;
        const end = body.question.includes('bad')
          ? 'data: {"oops":{"why":"no such thing"}}\n\n'
          : 'data: {"done":"length","usage":{"in":7,"out":2}}\n\n';
        res.end(piece('Hello') + piece(' there') + end);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const file = join(folder, 'lines.txt');
      await writeFile(file, 'good one\nbad one\n');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const words = [url, '--wire', wire, '--model', 'm', '--dataset', `lines:${file}`, '--max-tokens', '5'];
      const summary = await run(...words, '-n', '4', '--concurrency', '1');
      expect(asked.at(-2)).toEqual({ path: '/ask', question: 'good one', limits: { tokens: 5 }, live: true });
      expect(summary.counts).toMatchObject({ planned: 4, ok: 2, failed: 2, byProblem: { 'in-stream-error': 2 } });
      expect([summary.inputTokens!.mean, summary.outputTokens!.mean]).toEqual([7, 2]);
      expect(summary.ttftMs).not.toBeNull();
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
