import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Sweep } from '../../src/core/index.ts';
import { dyno, emptyFolder, summaryOf } from './dyno.ts';

/** One short answer of each wire, as a whole, and as the last piece of a stream that has only one. */
const answers: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    choices: [{ index: 0, delta: { content: 'Hi' }, message: { content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  },
  '/generate_stream': {
    token: { id: 1, text: 'Hi', special: false },
    generated_text: 'Hi',
    details: { finish_reason: 'length', generated_tokens: 1, input_length: 1 },
  },
  '/v2/models/m/generate_stream': { text_output: 'Hi' },
  '/generate': { text: ['Hi'] },
  '/ask': { said: 'Hi', over: true },
};

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

/** A server of which `list` answers who asks for its models. */
async function serve(list: (response: ServerResponse) => void): Promise<{ url: string; gets: string[] }> {
  const gets: string[] = [];
  const made = createServer((request, response) => {
    if (request.method === 'GET') {
      gets.push(request.url ?? '');
      list(response);
      return;
    }
    request.resume().on('end', () => {
      const answer = JSON.stringify(answers[request.url ?? ''] ?? {});
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${answer}\n\n`);
    });
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(made.address() as AddressInfo).port}`, gets };
}

async function run(url: string, flags: readonly string[]): Promise<void> {
  const rest = ['-n', '3', '--max-tokens', '1', '--lenient', '--json', '--devices', 'none', '--metrics', 'none'];
  const done = await dyno(['run', url, '--model', 'm', ...flags, ...rest, '--store', await emptyFolder()]);
  expect([done.code, done.err]).toEqual([0, expect.any(String)]);
  expect(summaryOf(done).counts).toMatchObject({ planned: 3, ok: 3 });
}

describe('a list of models', () => {
  test.each(['tgi', 'triton', 'vllm-generate', 'custom'])(
    'is not asked for over %s, whose servers have none: one that never answers there costs nothing',
    async (api) => {
      const { url, gets } = await serve(() => {});
      const file = join(await emptyFolder(), 'wire.yaml');
      writeFileSync(
        file,
        "path: /ask\nbody: { q: '{prompt}' }\nstream: events\nends-by: finish\ntext: said\nfinish: over\n",
      );
      await run(url, api === 'custom' ? ['--wire', file] : ['--api', api]);
      expect(gets).toEqual([]);
    },
  );

  test.each([
    ['is not there', (response: ServerResponse) => response.writeHead(404).end()],
    ['is garbage', (response: ServerResponse) => response.end('\u0000{"data":[null,7,{"id":3}],')],
    ['never comes', () => {}],
    ['breaks off', (response: ServerResponse) => response.destroy()],
  ])('that %s does not keep an OpenAI run from going on', async (_what, list) => {
    const { url, gets } = await serve(list);
    await run(url, []);
    expect(gets).toEqual(['/v1/models']);
  });

  test('that changes between two points of a sweep is told with the point; one that stays is not', async () => {
    const listed = (root: string): string => JSON.stringify({ data: [{ id: 'm', root, max_model_len: 2048 }] });
    const sweep = async (roots: readonly string[]): Promise<Sweep> => {
      let asked = 0;
      const { url } = await serve((response) => response.end(listed(roots[asked++]!)));
      const words = ['--concurrency', '1,2', '-n', '3', '--max-tokens', '1', '--devices', 'none', '--metrics', 'none'];
      const done = await dyno(['sweep', url, ...words, '--lenient', '--json', '--store', await emptyFolder()]);
      expect(done.err).toEqual(expect.any(String));
      expect(asked).toBe(2);
      return JSON.parse(done.out) as Sweep;
    };
    const changed = await sweep(['/models/old', '/models/new']);
    expect(changed.points.map(({ models }) => models)).toEqual([
      ['m (root /models/old, max_model_len 2048)'],
      ['m (root /models/new, max_model_len 2048)'],
    ]);
    expect(changed.findings).toContainEqual(
      expect.objectContaining({
        code: 'server-changed',
        severity: 'warn',
        message: expect.stringContaining('/models/new'),
      }),
    );
    const same = await sweep(['/models/old', '/models/old']);
    expect(same.findings.map(({ code }) => code)).not.toContain('server-changed');
  });
});
