import { describe, expect, test } from 'vitest';
import type { Ask, CustomWire, Target } from '../../core/index.ts';
import { customProtocol } from './custom.ts';

const wire: CustomWire = {
  path: '/ask',
  body: {
    q: '{prompt}',
    as: 'user says: {prompt}',
    m: '{model}',
    opts: { limit: '{max_tokens}', heat: '{temperature}' },
    live: '{stream}',
    n: 1,
  },
  stream: { cut: 'events', endsBy: 'finish' },
  text: 'out[0].piece',
  reasoning: null,
  inputTokens: 'count.in',
  outputTokens: 'count.out',
  finish: 'over',
  error: 'oops.why',
};
const ask = {
  seq: 0,
  prompt: {
    id: 'a',
    messages: [{ role: 'user', content: 'Why?' }],
    text: 'Why?',
    inputTokens: null,
    maxTokens: null,
    labels: {},
  },
  generation: { stream: true, maxTokens: 5, minTokens: null, temperature: null, ignoreEos: false, stop: [], body: {} },
} satisfies Ask;
const target: Target = {
  url: 'http://h/ask',
  api: 'custom',
  model: 'm1',
  headers: {},
  keyEnv: null,
  insecure: false,
  wire,
};
const hear = (text: string) => {
  const listener = customProtocol(wire).listen({ stream: true, contentType: 'text/event-stream' });
  return [...listener.hear(new TextEncoder().encode(text)), ...listener.close()];
};

describe('a wire that a user described', () => {
  test('the template is filled, and a field of what is not known is left out', () => {
    expect(JSON.parse(customProtocol(wire).encode(ask, target).body)).toEqual({
      q: 'Why?',
      as: 'user says: Why?',
      m: 'm1',
      opts: { limit: 5 },
      live: true,
      n: 1,
    });
  });

  test('text, usage and finish are found where it says', () => {
    expect(
      hear(
        'data: {"out":[{"piece":"It"}]}\n\ndata: {"out":[{"piece":" is"}],"count":{"in":3,"out":2},"over":true}\n\n',
      ),
    ).toEqual([
      { kind: 'text', of: 'answer', text: 'It is', events: 2, tokens: null },
      { kind: 'usage', input: 3, output: 2, cached: null, reasoning: null },
      { kind: 'finish', reason: 'stop' },
    ]);
  });

  test('an error where it says, and a stream without its finish', () => {
    expect(hear('data: {"oops":{"why":"too hot"}}\n\n')).toEqual([
      { kind: 'problem', code: 'in-stream-error', words: 'too hot' },
    ]);
    expect(hear('data: {"out":[{"piece":"It"}]}\n\n').at(-1)).toMatchObject({
      kind: 'problem',
      code: 'truncated-stream',
    });
  });

  test('inherited fields are nobody’s answer', () => {
    const odd = customProtocol({
      ...wire,
      text: 'constructor.name',
      finish: null,
      stream: { cut: 'events', endsBy: 'body' },
    });
    const listener = odd.listen({ stream: true, contentType: '' });
    expect(listener.hear(new TextEncoder().encode('data: {}\n\n'))).toEqual([]);
  });
});
