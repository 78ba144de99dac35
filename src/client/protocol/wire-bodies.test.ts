import { describe, expect, test } from 'vitest';
import type { ApiName, Ask, Generation } from '../../core/index.ts';
import { protocols } from './protocols.ts';

describe('what is asked, by wire', () => {
  const bare: Generation = {
    stream: false,
    maxTokens: null,
    minTokens: null,
    temperature: null,
    ignoreEos: false,
    stop: [],
    body: {},
  };
  const all: Generation = {
    ...bare,
    stream: true,
    maxTokens: 9,
    minTokens: 2,
    temperature: 0.5,
    ignoreEos: true,
    stop: ['x'],
  };
  const messages: Ask['prompt']['messages'] = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'hi' },
  ];
  function bodyOf(api: ApiName, generation: Generation, prompt: Partial<Ask['prompt']> = {}, path = '/x'): unknown {
    const ask: Ask = {
      seq: 0,
      prompt: { id: 'p', messages, text: null, inputTokens: null, maxTokens: null, labels: {}, ...prompt },
      generation,
    };
    const url = `http://h${path}`;
    const target = { url, api, model: 'm', headers: {}, keyEnv: null, insecure: false };
    return JSON.parse(protocols[api].encode(ask, target).body);
  }
  test.each<[ApiName, unknown, unknown]>([
    [
      'sglang',
      {
        text: 'hi',
        sampling_params: { max_new_tokens: 9, min_new_tokens: 2, temperature: 0.5, stop: ['x'], ignore_eos: true },
        stream: true,
      },
      { text: 'hi', sampling_params: {}, stream: false },
    ],
    [
      'tgi',
      {
        inputs: 'hi',
        parameters: { details: true, max_new_tokens: 9, temperature: 0.5, stop: ['x'], ignore_eos: true },
        stream: true,
      },
      { inputs: 'hi', parameters: { details: true } },
    ],
    [
      'triton',
      {
        text_input: 'hi',
        parameters: { stream: true, max_tokens: 9, temperature: 0.5, stop: ['x'], ignore_eos: true },
      },
      { text_input: 'hi', parameters: { stream: false } },
    ],
    [
      'mindie',
      {
        text_input: 'hi',
        parameters: {
          details: true,
          max_new_tokens: 9,
          do_sample: true,
          temperature: 0.5,
          stop: ['x'],
          ignore_eos: true,
        },
      },
      { text_input: 'hi', parameters: { details: true, do_sample: false, perf_stat: true } },
    ],
    [
      'vllm-generate',
      { prompt: 'hi', max_tokens: 9, temperature: 0.5, stop: ['x'], min_tokens: 2, ignore_eos: true, stream: true },
      { prompt: 'hi', stream: false },
    ],
    [
      'ollama',
      { model: 'm', messages, stream: true, options: { num_predict: 9, temperature: 0.5, stop: ['x'] } },
      { model: 'm', messages, stream: false, options: {} },
    ],
    [
      'anthropic',
      {
        model: 'm',
        max_tokens: 9,
        messages: [messages[1]],
        system: 'be brief',
        temperature: 0.5,
        stop_sequences: ['x'],
        stream: true,
      },
      { model: 'm', max_tokens: 1024, messages: [messages[1]], system: 'be brief' },
    ],
    [
      'responses',
      { model: 'm', input: messages, max_output_tokens: 9, temperature: 0.5, stream: true },
      { model: 'm', input: messages },
    ],
    [
      'dashscope',
      {
        model: 'm',
        input: { messages },
        parameters: {
          result_format: 'message',
          max_tokens: 9,
          temperature: 0.5,
          stop: ['x'],
          incremental_output: true,
        },
      },
      { model: 'm', input: { messages }, parameters: { result_format: 'message' } },
    ],
    ['embeddings', { model: 'm', input: 'hi' }, { model: 'm', input: 'hi' }],
    ['rerank', { model: 'm', query: 'hi', documents: ['hi'] }, { model: 'm', query: 'hi', documents: ['hi'] }],
  ])('%s: all that was set, and nothing that was not', (api, withAll, withNothing) => {
    expect(bodyOf(api, all)).toEqual(withAll);
    expect(bodyOf(api, bare)).toEqual(withNothing);
  });
  test('a temperature of zero is greedy, in the words of each wire', () => {
    const greedy = { ...bare, temperature: 0 };
    expect(bodyOf('tgi', greedy)).toEqual({ inputs: 'hi', parameters: { details: true, do_sample: false } });
    expect(bodyOf('mindie', greedy)).toMatchObject({ parameters: { do_sample: false } });
    expect(bodyOf('mindie', greedy)).not.toHaveProperty('parameters.temperature');
    expect(bodyOf('triton', greedy)).toMatchObject({ parameters: { temperature: 0 } });
  });
  test('the path says which of two bodies a server wants', () => {
    expect(bodyOf('mindie', bare, {}, '/infer')).toMatchObject({ inputs: 'hi', stream: false });
    expect(bodyOf('ollama', bare, {}, '/api/generate')).toMatchObject({ prompt: 'hi' });
  });
  test('what a prompt brings of its own wins, settings are merged one level down, and a text stands before messages', () => {
    const generation = { ...all, body: { sampling_params: { top_k: 5 }, extra: 1 } };
    expect(bodyOf('sglang', generation, { text: 'once', maxTokens: 4, body: { extra: 2 } })).toEqual({
      text: 'once',
      sampling_params: {
        max_new_tokens: 4,
        min_new_tokens: 2,
        temperature: 0.5,
        stop: ['x'],
        ignore_eos: true,
        top_k: 5,
      },
      stream: true,
      extra: 2,
    });
    expect(bodyOf('sglang', bare, { body: { prompt: [1, 2] } })).toEqual({
      input_ids: [1, 2],
      sampling_params: {},
      stream: false,
    });
    expect(bodyOf('sglang', bare, { body: { input_ids: [3] } })).toEqual({
      input_ids: [3],
      sampling_params: {},
      stream: false,
    });
    expect(bodyOf('responses', bare, { text: 'once', messages: [] })).toEqual({ model: 'm', input: 'once' });
  });
});
