import { describe, expect, test } from 'vitest';
import { dyno, emptyFolder, summaryOf } from '../e2e/dyno.ts';

/**
 * Against servers that nobody here wrote, where they are up; how each is started stands in docs/validation/real-servers.md.
 * LLMDYNO_REAL_LLAMA_CPP=http://127.0.0.1:8331 and the like name them. What they answered when they were recorded is run in
 * recorded.test.ts, always.
 */
interface Live {
  variable: string;
  model: string;
  apis: readonly string[];
  /** Output tokens of an answer where its length is kept to; null = the server says a sentence of its own. */
  tokens: number | null;
  /** Wires whose answers tell no input tokens, or none at all. */
  untold?: readonly string[];
}

const servers: readonly Live[] = [
  {
    variable: 'LLMDYNO_REAL_GUIDELLM',
    model: 'mock-model',
    apis: ['openai-chat', 'openai-completions', 'responses'],
    tokens: 12,
  },
  {
    variable: 'LLMDYNO_REAL_LLAMA_CPP',
    model: 'tiny',
    apis: ['openai-chat', 'openai-completions', 'responses', 'anthropic'],
    tokens: 12,
  },
  {
    variable: 'LLMDYNO_REAL_AIMOCK',
    model: 'mock',
    apis: ['openai-chat', 'responses', 'anthropic', 'ollama'],
    tokens: null,
  },
  {
    variable: 'LLMDYNO_REAL_TRANSFORMERS',
    model: process.env['LLMDYNO_REAL_MODEL'] ?? '',
    apis: ['openai-chat', 'openai-completions'],
    tokens: 12,
  },
  {
    variable: 'LLMDYNO_REAL_LLMD',
    model: 'sim',
    apis: ['openai-chat', 'openai-completions'],
    tokens: null,
  },
  {
    variable: 'LLMDYNO_REAL_AIPERF',
    model: 'mock',
    apis: ['openai-chat', 'openai-completions', 'embeddings', 'tgi'],
    tokens: null,
    untold: ['tgi'],
  },
];

describe.each(servers.map((server) => [server.variable, server] as const))(
  '%s',
  (variable, { model, apis, tokens, untold = [] }) => {
    const url = process.env[variable];
    test('names a server, or none is asked', () => {
      expect(url ?? 'http:').toMatch(/^http/);
    });

    if (url === undefined) return;
    const ways = apis.flatMap((api) => [[api, true] as const, [api, false] as const]);
    test.each(ways)('%s, streamed: %s: usage found, nothing unaccounted', async (api, stream) => {
      const words = [
        'run',
        url,
        '--api',
        api,
        '--model',
        model,
        '--concurrency',
        '4',
        '-n',
        '20',
        '--max-tokens',
        '12',
      ];
      const more = ['--json', '--lenient', '--store', await emptyFolder(), ...(stream ? [] : ['--no-stream'])];
      const summary = summaryOf(await dyno([...words, ...more]));
      expect(summary.counts).toMatchObject({ planned: 20, ok: 20, failed: 0, unaccounted: 0 });
      if (!untold.includes(api)) expect(summary.tokenSource).toEqual({ input: 'server', output: 'server' });
      if (tokens !== null) expect(summary.outputTokens!.mean).toBe(tokens);
      expect(summary.ttftMs === null).toBe(!stream || api === 'embeddings');
      console.log(
        variable,
        api,
        stream ? 'streamed' : 'whole',
        'ttft p50',
        summary.ttftMs?.p50,
        'latency p50',
        summary.latencyMs?.p50,
      );
    });
  },
);
