import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApiName } from '../core/index.ts';
import type { Heard } from './protocol.ts';
import { protocols } from './protocols.ts';

const fixtures = join(import.meta.dirname, '../../test/fixtures/protocol/guidellm-mock');

function hear(file: string, api: ApiName, stream: boolean, step: number): Heard[] {
  const bytes = readFileSync(join(fixtures, file));
  const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
  const listener = protocols[api].listen({ stream, contentType: stream ? 'text/event-stream' : 'application/json' });
  const heard: Heard[] = [];
  for (let at = 0; at < body.length; at += step) heard.push(...listener.hear(body.subarray(at, at + step)));
  return [...heard, ...listener.close()];
}

const wires = [
  ['openai-chat', 'chat'],
  ['openai-completions', 'completions'],
  ['responses', 'responses'],
] as const;

describe('the mock server of guidellm 0.8.1, as recorded', () => {
  test.each(wires.flatMap(([api, name]) => [1, 13, 100_000].map((step) => [api, name, step] as const)))(
    '%s: the stream, %s, %i bytes at a time, and the whole answer agree on usage, finish and that there is text',
    (api, name, step) => {
      for (const stream of [true, false]) {
        const heard = hear(`${name}-${stream ? 'stream' : 'whole'}.http`, api, stream, step);
        expect(heard.filter(({ kind }) => kind === 'problem')).toEqual([]);
        expect(heard.filter(({ kind }) => kind === 'finish')).toEqual([{ kind: 'finish', reason: 'stop' }]);
        expect(heard.find(({ kind }) => kind === 'usage')).toMatchObject({ input: 10, output: 12 });
        const text = heard.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
        expect(text).toMatch(/^\S.*\S$/s);
      }
    },
  );

  test('the streamed chat says what is in the file', () => {
    const heard = hear('chat-stream.http', 'openai-chat', true, 50);
    const said = [...readFileSync(join(fixtures, 'chat-stream.http'), 'utf8').matchAll(/"content": "([^"]*)"/g)];
    expect(heard.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')).toBe(
      said.map((match) => match[1]).join(''),
    );
    expect(said).toHaveLength(12);
  });
});
