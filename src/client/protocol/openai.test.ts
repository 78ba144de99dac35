import { describe, expect, test } from 'vitest';
import type { Ask, Generation, Target } from '../../core/index.ts';
import { protocols } from './protocols.ts';

const target: Target = {
  url: 'http://h/v1/chat/completions',
  api: 'openai-chat',
  model: 'm',
  headers: {},
  keyEnv: null,
  insecure: false,
};
const plain: Generation = {
  stream: true,
  maxTokens: null,
  minTokens: null,
  temperature: null,
  ignoreEos: false,
  stop: [],
  body: {},
};

function bodyOf(
  api: 'openai-chat' | 'openai-completions',
  generation: Partial<Generation>,
  prompt: Partial<Ask['prompt']> = {},
): unknown {
  const ask: Ask = {
    seq: 0,
    prompt: {
      id: 'p',
      messages: [{ role: 'user', content: 'hi' }],
      text: null,
      inputTokens: null,
      maxTokens: null,
      labels: {},
      ...prompt,
    },
    generation: { ...plain, ...generation },
  };
  return JSON.parse(protocols[api].encode(ask, target).body);
}

describe('what is said to an OpenAI-like server', () => {
  test('a chat asks for a stream with usage, and sends nothing that was not asked for', () => {
    expect(bodyOf('openai-chat', {})).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('a completion asks with the text of the prompt', () => {
    expect(bodyOf('openai-completions', { stream: false }, { text: 'once' })).toEqual({ model: 'm', prompt: 'once' });
    expect(bodyOf('openai-completions', { stream: false })).toEqual({ model: 'm', prompt: 'hi' });
  });

  test('every generation setting reaches the body; the prompt wins over the plan, extra fields over all', () => {
    const generation = {
      stream: false,
      maxTokens: 9,
      minTokens: 2,
      temperature: 0,
      ignoreEos: true,
      stop: ['x'],
      body: { top_p: 0.5 },
    };
    expect(bodyOf('openai-chat', generation, { maxTokens: 4, body: { user: 'u' } })).toMatchObject({
      max_tokens: 4,
      min_tokens: 2,
      temperature: 0,
      ignore_eos: true,
      stop: ['x'],
      top_p: 0.5,
      user: 'u',
    });
  });
});
