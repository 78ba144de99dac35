import { describe, expect, test } from 'vitest';
import { dyno, emptyFolder, summaryOf } from '../e2e/dyno.ts';

/**
 * Against guidellm's mock server, where one is up: `guidellm mock-server --port 8222 --model mock-model --output-tokens 12`,
 * then LLMDYNO_REAL_GUIDELLM=http://127.0.0.1:8222. What it answered when it was recorded is in test/fixtures/protocol.
 */
const url = process.env['LLMDYNO_REAL_GUIDELLM'];

describe('guidellm mock server', () => {
  test('is named by LLMDYNO_REAL_GUIDELLM, or is not asked', () => {
    expect(url ?? 'http:').toMatch(/^http/);
  });

  if (url === undefined) return;
  const ways = ['openai-chat', 'openai-completions', 'responses'].flatMap((api) => [
    [api, true] as const,
    [api, false] as const,
  ]);
  test.each(ways)('%s, streamed: %s: usage found, nothing unaccounted', async (api, stream) => {
    const words = [
      'run',
      url,
      '--api',
      api,
      '--model',
      'mock-model',
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
    expect(summary.tokenSource).toEqual({ input: 'server', output: 'server' });
    expect(summary.outputTokens!.mean).toBe(12);
    expect(summary.ttftMs === null).toBe(!stream);
  });
});
