import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiName, Summary } from '../../src/core/index.ts';
import { dyno, emptyFolder, summaryOf } from '../e2e/dyno.ts';

/**
 * Whole runs against the bytes that real servers sent (test/fixtures/protocol, each folder with its provenance): what they
 * answered is written to the socket again, a few bytes at a time, and has to end in the right place of a summary.
 */
const root = join(import.meta.dirname, '../fixtures/protocol');

const wires: Readonly<Record<string, { api: ApiName; path: string }>> = {
  chat: { api: 'openai-chat', path: '/v1/chat/completions' },
  choices: { api: 'openai-chat', path: '/v1/chat/completions' },
  tools: { api: 'openai-chat', path: '/v1/chat/completions' },
  reasoning: { api: 'openai-chat', path: '/v1/chat/completions' },
  azure: { api: 'openai-chat', path: '/openai/deployments/mock/chat/completions?api-version=2024-10-21' },
  completions: { api: 'openai-completions', path: '/v1/completions' },
  responses: { api: 'responses', path: '/v1/responses' },
  messages: { api: 'anthropic', path: '/v1/messages' },
  ollama: { api: 'ollama', path: '/api/chat' },
  embeddings: { api: 'embeddings', path: '/v1/embeddings' },
  cohere: { api: 'rerank', path: '/v2/rerank' },
  rerank: { api: 'rerank', path: '/rerank' },
  tgi: { api: 'tgi', path: '/generate_stream' },
  generate: { api: 'sglang', path: '/generate' },
};

/** Input and output tokens; null = the server does not tell. */
type Counted = readonly [input: number | null, output: number | null];

/** Input and output tokens of one answer, read off the recordings by eye. */
const tokens: Readonly<Record<string, Counted>> = {
  'transformers-serve chat': [11, 12],
  'transformers-serve-cpu chat': [38, 12],
  'transformers-serve-cpu completions': [20, 12],
  'guidellm-mock chat': [10, 12],
  'guidellm-mock completions': [10, 12],
  'guidellm-mock responses': [10, 12],
  'llama-cpp chat': [54, 12],
  'llama-cpp completions': [32, 12],
  // Two choices of six tokens: the stream tells both, the whole answer only one of them.
  'llama-cpp choices streamed': [54, 12],
  'llama-cpp choices whole': [54, 6],
  'llama-cpp responses': [54, 12],
  'llama-cpp messages': [54, 12],
  'aimock chat': [5, 17],
  'aimock azure': [5, 17],
  'aimock responses': [0, 0],
  'aimock messages': [0, 0],
  'aimock ollama': [0, 0],
  'aimock embeddings': [0, 0],
  'sglang generate': [5, 32],
  'aiperf-mock chat': [5, 6],
  // All twelve are spent on thinking, and no reason is given for the end.
  'aiperf-mock reasoning': [5, 12],
  'aiperf-mock completions': [5, 6],
  'aiperf-mock embeddings': [5, 0],
  'aiperf-mock cohere': [null, 0],
  // It sends no details: a stream still tells every token, a whole answer tells none.
  'aiperf-mock tgi streamed': [null, 6],
  'aiperf-mock tgi whole': [null, null],
  'infinity rerank': [24, 0],
  'litellm-vllm chat': [24, 6],
  'litellm-vllm completions': [6, 6],
  'ollama chat': [24, 6],
  'ollama completions streamed': [17, 6],
  'ollama completions whole': [17, 6],
  'ollama ollama': [16, 5],
  'ollama responses': [16, 5],
  'ollama messages': [16, 5],
  'sglang-cpu chat': [24, 6],
  'sglang-cpu completions': [6, 6],
  'sglang-cpu generate': [6, 4],
  'sglang-router-vllm chat': [24, 6],
  'sglang-router-vllm completions': [6, 6],
  // It tells the usage so far in every chunk: the last counts, and not the sum (27).
  'xinference-vllm completions': [6, 6],
  'xinference-transformers chat': [19, 12],
  'xinference-llamacpp chat': [19, 12],
  'xinference-llamacpp completions': [10, 12],
  'llm-d-inference-sim chat': [5, 5],
  'llm-d-inference-sim completions': [5, 5],
  'llm-d-inference-sim tools': [6, 4],
};

const tokensOf = (server: string, wire: string, stream: boolean): Counted | undefined =>
  tokens[`${server} ${wire}`] ?? tokens[`${server} ${wire} ${stream ? 'streamed' : 'whole'}`];

const recordings = readdirSync(root).flatMap((server) =>
  readdirSync(join(root, server))
    .filter((name) => name.endsWith('.http'))
    .map((name) => {
      const [, wire, how] = /^(\w+)-(stream|whole)\.http$/.exec(name)!;
      return { server, wire: wire!, stream: how === 'stream', file: join(root, server, name) };
    }),
);

/** Says a recording again, with the status it had, whatever it is asked. */
async function replay(file: string): Promise<{ url: string; server: Server }> {
  const bytes = readFileSync(file);
  const cut = bytes.indexOf('\r\n\r\n');
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(bytes.subarray(0, cut).toString())![1]);
  const type = /^content-type: *(.*?)\r?$/im.exec(bytes.subarray(0, cut).toString())![1]!;
  const body = bytes.subarray(cut + 4);
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(status, { 'content-type': type });
      for (let at = 0; at < body.length; at += 97) res.write(body.subarray(at, at + 97));
      res.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

test('every recording is of a wire that is run here, and says where it comes from: a server, or a page that prints it', () => {
  for (const { server, wire, stream } of recordings) {
    expect(Object.keys(wires)).toContain(wire);
    expect(tokensOf(server, wire, stream)).toBeDefined();
    expect(readFileSync(join(root, server, 'README.md'), 'utf8')).toMatch(
      /Recorded on \d{4}-\d\d-\d\d|not recorded by us: its body is the answer printed in/,
    );
  }
});

describe.each(recordings.map((each) => [each.server, each.wire, each.stream ? 'streamed' : 'whole', each] as const))(
  '%s, %s, %s',
  (server, wire, _, { stream, file }) => {
    let summary: Summary;
    let replayed: { url: string; server: Server };
    beforeAll(async () => {
      replayed = await replay(file);
      const { api, path } = wires[wire]!;
      const words = ['run', replayed.url + path, '--api', api, '--model', 'any', '--concurrency', '2', '-n', '6'];
      const more = ['--max-tokens', '12', '--json', '--lenient', '--store', await emptyFolder()];
      summary = summaryOf(await dyno([...words, ...more, ...(stream ? [] : ['--no-stream'])]));
    });
    afterAll(() => replayed.server.close());

    test('usage is found, nothing is unaccounted', () => {
      expect(summary.counts).toMatchObject({ planned: 6, ok: 6, failed: 0, unaccounted: 0 });
      const [input, output] = tokensOf(server, wire, stream)!;
      expect(summary.tokenSource).toEqual({
        input: input === null ? null : 'server',
        output: output === null ? null : 'server',
      });
      expect([summary.inputTokens?.mean ?? null, summary.outputTokens?.mean ?? null]).toEqual([input, output]);
      expect(summary.ttftMs === null).toBe(!stream);
    });
  },
);

describe('a server that refuses', () => {
  const refused = async (
    name: string,
    ...words: string[]
  ): Promise<{ code: number | null; err: string; out: string }> => {
    const { url, server } = await replay(join(root, name));
    const at = name.includes('completions') ? `${url}/v1/completions` : url;
    const done = await dyno(['run', at, '-n', '4', '--concurrency', '2', '--store', await emptyFolder(), ...words]);
    server.close();
    return done;
  };

  test("XInference's 401, which it says by itself: what to do is told, whether or not a model was named", async () => {
    for (const words of [[], ['--model', 'tiny-hf']]) {
      const { code, err } = await refused('xinference-transformers/no-key.refused', ...words);
      expect([code, err]).toEqual([3, expect.stringMatching(/HTTP 401.*: .*\n.*--key-env/s)]);
    }
    const { err } = await refused('xinference-transformers/no-key.refused', '--lang', 'zh');
    expect(err).toMatch(/密钥.*--key-env/s);
  });
  test.each([
    ['xinference-vllm', "Available model uids: ['tiny-hf']"],
    ['ollama', "model 'no-such' not found"],
    ['sglang-router-vllm', 'The model `no-such` does not exist'],
    ['litellm-vllm', 'Invalid model name passed in model=no-such'],
  ])('%s without that model: its words, and exit 3 before any load', async (server, words) => {
    const { code, err } = await refused(`${server}/no-model.refused`, '--model', 'no-such');
    expect(code).toBe(3);
    expect(err).toContain(words);
    expect(err).toMatch(/--model|model name/);
  });
  test.each([
    ['xinference-vllm/chat-stream.refused', [], 'in-stream-error', 'Check the server logs'],
    ['xinference-vllm/chat-whole.refused', ['--no-stream'], 'http-5xx', 'Check the server logs'],
    ['xinference-transformers/completions-stream.refused', [], 'in-stream-error', "has no attribute 'get'"],
  ])(
    '%s: each request failed by the words of the server, nothing is measured, exit 5',
    async (name, more, problem, words) => {
      const { code, err, out } = await refused(name, '--model', 'tiny-hf', '--json', ...more);
      expect(err).toContain(words);
      const summary = JSON.parse(out) as Summary;
      expect([code, summary.verdict.valid]).toEqual([5, false]);
      expect(summary.counts).toMatchObject({ ok: 0, failed: 4, unaccounted: 0, byProblem: { [problem]: 4 } });
      expect([summary.ttftMs, summary.outputTokensPerSec]).toEqual([null, null]);
    },
  );
});
