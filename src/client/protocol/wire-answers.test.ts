import { describe, expect, test } from 'vitest';
import type { ApiName } from '../../core/index.ts';
import { protocols } from './protocols.ts';
import type { AnswerShape, ParsedEvent } from './protocol.ts';
import { stepsOf } from './server-steps.ts';

const sse: AnswerShape = { stream: true, contentType: 'text/event-stream' };
const json: AnswerShape = { stream: false, contentType: 'application/json' };
const text = (words: string, tokens: number | null = null, of = 'answer', events = 1) =>
  ({ kind: 'text', of, text: words, events, tokens }) as ParsedEvent;
const finish = (reason: string): ParsedEvent => ({ kind: 'finish', reason });
const usage = (input: number | null, output: number | null, more: object = {}): ParsedEvent => ({
  kind: 'usage',
  input,
  output,
  cached: null,
  reasoning: null,
  ...more,
});
const refused = (words: string): ParsedEvent => ({ kind: 'problem', code: 'in-stream-error', words });
const malformed = expect.objectContaining({ kind: 'problem', code: 'malformed-stream' }) as ParsedEvent;

/** What a wire hears of one object that is the whole answer. */
function whole(api: ApiName, value: unknown): ParsedEvent[] {
  const listener = protocols[api].listen(json);
  return [...listener.hear(new TextEncoder().encode(JSON.stringify(value))), ...listener.close()];
}

/** What a wire hears of a stream, each object by itself; the last word, that it ended too early, is left out. */
function streamed(api: ApiName, values: readonly unknown[], more: Partial<AnswerShape> = {}): ParsedEvent[][] {
  const listener = protocols[api].listen({ ...sse, ...more });
  return values.map((value) => listener.hear(new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\n`)));
}

describe('what is heard, by wire', () => {
  const tgiToken = (id: unknown, words: string, more: object = {}) => ({ token: { id, text: words }, ...more });
  test.each<[string, ApiName, unknown, ParsedEvent[]]>([
    [
      'input by its length',
      'tgi',
      { generated_text: 'a', details: { finish_reason: 'length', generated_tokens: 2, input_length: 3 } },
      [text('a'), finish('length'), usage(3, 2)],
    ],
    [
      'input by its prefill',
      'tgi',
      [{ generated_text: 'a', details: { prefill: [1, 2], finish_reason: '' } }],
      [text('a'), finish('stop'), usage(2, null)],
    ],
    ['no count at all', 'tgi', { generated_text: 'a', details: { prefill: [] } }, [text('a'), finish('stop')]],
    ['words of trouble', 'tgi', { message: 'full' }, [refused('full')]],
    ['nothing known', 'tgi', { said: 'a' }, [malformed]],
    ['an error', 'tgi', { error: 'full' }, [refused('full')]],
    [
      'steps and times',
      'mindie',
      {
        text_output: ['a', 'b'],
        details: {
          generated_tokens: 2,
          batch_size: [3, 4],
          queue_wait_time: [5000],
          perf_stat: [
            [7, 12.5],
            [8, 2.5],
          ],
          finish_reason: 'length',
          input_tokens: 6,
        },
      },
      [
        text('ab', 2),
        { kind: 'steps', batchSize: [3, 4], queueWaitMs: [5], timesMs: [12.5, 2.5] },
        finish('length'),
        usage(6, 2),
      ],
    ],
    ['the words of /infer', 'mindie', { generated_text: 'a' }, [text('a'), finish('stop')]],
    ['no text', 'triton', { text: 'a' }, [malformed]],
    [
      'a finish without a count',
      'triton',
      { text_output: 'a', details: { finish_reason: 'eos' } },
      [text('a'), finish('eos')],
    ],
    [
      'thoughts, tools and counts',
      'ollama',
      {
        message: { thinking: 'hm', content: 'a', tool_calls: [{ f: 1 }] },
        done: true,
        prompt_eval_count: 3,
      },
      [text('hm', null, 'reasoning'), text('a'), text('[{"f":1}]', null, 'tool'), finish('stop'), usage(3, null)],
    ],
    [
      'the words of /api/generate',
      'ollama',
      { response: 'a', thinking: 'hm', done: true, done_reason: 'length', eval_count: 2 },
      [text('hm', null, 'reasoning'), text('a'), finish('length'), usage(null, 2)],
    ],
    [
      'an empty list of tools',
      'ollama',
      { message: { content: 'a', tool_calls: [] }, done: true },
      [text('a'), finish('stop')],
    ],
    ['no message', 'ollama', { done: true }, [malformed]],
    [
      'blocks and a cache',
      'anthropic',
      {
        type: 'message',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'a' },
          { type: 'tool_use', name: 'f' },
          5,
        ],
        stop_reason: 'end_turn',
        usage: { input_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 5, output_tokens: 2 },
      },
      [
        text('hm', null, 'reasoning'),
        text('a'),
        text('f', null, 'tool'),
        usage(12, 2, { cached: 4 }),
        finish('end_turn'),
      ],
    ],
    ['no usage', 'anthropic', { type: 'message', content: 'a' }, [usage(null, null)]],
    ['no type', 'anthropic', { content: [] }, [malformed]],
    [
      'items of every kind',
      'responses',
      {
        object: 'response',
        output: [
          { type: 'reasoning', summary: [{ text: 'hm' }] },
          { type: 'message', content: [{ text: 'a' }, { refusal: 'no' }, 5] },
          { type: 'function_call', arguments: '{}' },
          { type: 'other' },
          5,
        ],
        incomplete_details: { reason: 'max_output_tokens' },
        usage: {
          input_tokens: 3,
          output_tokens: 2,
          input_tokens_details: { cached_tokens: 1 },
          output_tokens_details: { reasoning_tokens: 1 },
        },
      },
      [
        text('hm', null, 'reasoning'),
        text('a'),
        text('no'),
        text('{}', null, 'tool'),
        usage(3, 2, { cached: 1, reasoning: 1 }),
        finish('max_output_tokens'),
      ],
    ],
    ['a failure', 'responses', { object: 'response', status: 'failed', message: 'full' }, [refused('full')]],
    ['something else', 'responses', { object: 'list' }, [malformed]],
    [
      'thoughts and words',
      'dashscope',
      {
        output: { choices: [{ message: { reasoning_content: 'hm', content: 'a' }, finish_reason: 'stop' }] },
        usage: { input_tokens: 3, output_tokens: 2 },
      },
      [text('hm', null, 'reasoning'), text('a'), finish('stop'), usage(3, 2)],
    ],
    ['its older words', 'dashscope', { output: { text: 'a', finish_reason: 'null' } }, [text('a')]],
    ['a code', 'dashscope', { code: 'Throttling', message: 'slow down' }, [refused('Throttling: slow down')]],
    ['an empty code', 'dashscope', { code: '', output: { text: 'a', finish_reason: '' } }, [text('a')]],
    ['no output', 'dashscope', { usage: {} }, [malformed]],
    [
      'one vector',
      'embeddings',
      { data: [{ embedding: [1] }], usage: { prompt_tokens: 3 } },
      [text('', 0), usage(3, 0)],
    ],
    ['base64', 'embeddings', { data: [{ embedding: 'AA==' }], usage: { total_tokens: 3 } }, [text('', 0), usage(3, 0)]],
    ['no numbers', 'embeddings', { data: [{ embedding: [] }, { embedding: '' }, 5] }, [malformed]],
    ['a score', 'rerank', { data: [{ score: 0 }], meta: { tokens: { input_tokens: 3 } } }, [text('', 0), usage(3, 0)]],
    ['no score', 'rerank', { results: [{ index: 0 }] }, [malformed]],
    ['one of several texts', 'vllm-generate', { text: ['a', 'b'] }, [text('a')]],
    [
      'two answers in a list',
      'sglang',
      [
        { text: 'a', meta_info: { completion_tokens: 1, finish_reason: { type: 'stop' } } },
        { text: 'b', meta_info: { completion_tokens: 2, finish_reason: { type: 'stop' }, queue_time: 0.5 } },
      ],
      [
        text('a', 1),
        usage(null, 1),
        text('b', 2),
        finish('stop'),
        usage(null, 3),
        { kind: 'times', times: { queueMs: 500, prefillMs: null, decodeMs: null, totalMs: null } },
      ],
    ],
    ['an empty list', 'sglang', [], [malformed]],
    [
      'an answer taken back',
      'sglang',
      { text: '', meta_info: { finish_reason: { type: 'abort', message: 'full' } } },
      [refused('full')],
    ],
  ])('%s (%s)', (_what, api, value, heard) => {
    expect(whole(api, value)).toEqual(heard);
  });

  test('tokens of a piece are what the count grew by; one that starts again counts anew', () => {
    const step = (words: string, generated: number | null, more: object = {}) => ({
      text_output: words,
      details: { generated_tokens: generated, ...more },
    });
    const last = step('d', 1, { finish_reason: 'length' });
    expect(streamed('mindie', [step('a', 1), step('b', 4), step('c', null), last])).toEqual([
      [text('a', 1)],
      [text('b', 3)],
      [text('c', null)],
      [text('d', 1), finish('length'), usage(null, 5)],
    ]);
  });
  test('a token of tgi counts though it is special, and a list of ids is as many tokens', () => {
    const special = { token: { id: 2, text: '</s>', special: true }, generated_text: 'abc', details: null };
    expect(streamed('tgi', [tgiToken(1, 'a'), tgiToken([2, 3], 'bc'), special])).toEqual([
      [text('a', 1)],
      [text('bc', 2)],
      [finish('stop'), usage(null, 4)],
    ]);
  });
  test('vLLM’s own server says the prompt again, and everything so far', () => {
    const values = [{ text: ['Q: a'] }, { text: ['Q: a b'] }, { text: ['Q: a b'] }];
    expect(streamed('vllm-generate', values, { promptText: 'Q: ' })).toEqual([[text('a')], [text(' b')], []]);
  });
  test('of MindIE’s steps only numbers from zero on are taken', () => {
    expect(stepsOf(0, [-1, Number.NaN, 2000])).toEqual({ kind: 'steps', batchSize: [0], queueWaitMs: [2] });
    expect(stepsOf('3', null)).toBeNull();
    expect(stepsOf(null, 1000)).toEqual({ kind: 'steps', batchSize: [], queueWaitMs: [1] });
    expect(stepsOf(null, null, [4, [9, 5]])).toEqual({
      kind: 'steps',
      batchSize: [],
      queueWaitMs: [],
      timesMs: [4, 5],
    });
  });
});
