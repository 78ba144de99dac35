import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ask, Generation, Prompt, Target } from '../../core/index.ts';
import type { ParsedEvent } from './protocol.ts';
import { sglang } from './sglang.ts';

const target = { url: 'http://h/generate', api: 'sglang', model: 'm' } as unknown as Target;
const generation: Generation = {
  stream: true,
  maxTokens: 20,
  minTokens: 5,
  temperature: 0,
  ignoreEos: true,
  stop: ['END'],
  body: {},
};
const prompt: Prompt = { id: 'p', messages: [], text: 'Hello', inputTokens: null, maxTokens: null, labels: {} };
const bodyOf = (ask: Partial<Ask> = {}): unknown =>
  JSON.parse(sglang.encode({ seq: 0, prompt, generation, ...ask }, target).body);

describe('what is asked', () => {
  test('a text, and the settings where SGLang has them', () => {
    expect(bodyOf()).toEqual({
      text: 'Hello',
      sampling_params: { max_new_tokens: 20, min_new_tokens: 5, temperature: 0, stop: ['END'], ignore_eos: true },
      stream: true,
    });
  });

  test('token numbers go as input_ids, without a text and without the prompt of the other wire', () => {
    const numbers = { ...prompt, text: '', body: { prompt: [1, 2, 3], lora_path: 'a' } };
    const body = bodyOf({ prompt: numbers }) as Record<string, unknown>;
    expect(body).toMatchObject({ input_ids: [1, 2, 3], lora_path: 'a' });
    expect(Object.keys(body)).not.toContain('text');
    expect(Object.keys(body)).not.toContain('prompt');
    const asBody = bodyOf({ prompt: { ...prompt, text: '', body: { input_ids: [4] } } }) as Record<string, unknown>;
    expect(asBody).toMatchObject({ input_ids: [4] });
    expect(Object.keys(asBody)).not.toContain('text');
  });

  test('settings of --body join the others', () => {
    const more = { ...generation, body: { sampling_params: { top_k: 3, max_new_tokens: 9 }, return_logprob: true } };
    expect(bodyOf({ generation: more })).toMatchObject({
      sampling_params: { top_k: 3, max_new_tokens: 9, ignore_eos: true },
      return_logprob: true,
    });
  });
});

function hear(values: readonly unknown[], end = 'data: [DONE]\n\n'): ParsedEvent[] {
  const listener = sglang.listen({ stream: true, contentType: 'text/event-stream' });
  const text = values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('') + end;
  return [...listener.hear(new TextEncoder().encode(text)), ...listener.close()];
}
const said = (heard: readonly ParsedEvent[]): string =>
  heard.reduce(
    (text, piece) => (piece.kind === 'text' ? text + piece.text : piece.kind === 'restated' ? piece.text : text),
    '',
  );
const tokens = (heard: readonly ParsedEvent[]): number =>
  heard.reduce((sum, piece) => sum + (piece.kind === 'text' ? (piece.tokens ?? 0) : 0), 0);
const part = (text: string, completion_tokens: number, more: object = {}, beside: object = {}): unknown => ({
  text,
  ...beside,
  meta_info: { finish_reason: null, prompt_tokens: 4, completion_tokens, cached_tokens: 1, ...more },
});
const length = { finish_reason: { type: 'length', length: 4 } };

describe('what is heard', () => {
  test('the answer in SGLang’s documentation', () => {
    const file = readFileSync(join(import.meta.dirname, '../../../test/fixtures/protocol/sglang/generate-whole.http'));
    const listener = sglang.listen({ stream: false, contentType: 'application/json' });
    const heard = [...listener.hear(file.subarray(file.indexOf('\r\n\r\n') + 4)), ...listener.close()];
    // Read off the page.
    expect(said(heard)).toMatch(/^ Paris\. It is the largest city .* on the banks of the$/);
    expect(heard.slice(1)).toEqual([
      { kind: 'finish', reason: 'length' },
      { kind: 'usage', input: 5, output: 32, cached: 2, reasoning: null },
      {
        kind: 'times',
        times: { queueMs: null, prefillMs: null, decodeMs: null, totalMs: expect.closeTo(241.802, 2) as number },
      },
    ]);
  });

  test.each([
    ['the text so far', [part('a', 1), part('a a', 2), part('a a a', 3), part('a a a a', 4, length)], 'a a a a'],
    [
      'the text so far, with numbers so far',
      [part('x', 1, {}, { output_ids: [7] }), part('xx', 2, {}, { output_ids: [7, 7] }), part('xxyz', 4, length)],
      'xxyz',
    ],
    [
      'only what is new, though it begins as the piece before',
      [
        part('x', 1, {}, { output_ids: [7] }),
        part('xx', 2, {}, { output_ids: [8] }),
        part('xx', 3, {}, { output_ids: [8] }),
        part('xxx', 4, length, { output_ids: [9] }),
      ],
      'xxxxxxxx',
    ],
    ['only what is new', [part('It', 1), part(' is', 2), part(' is', 3), part('!', 4, length)], 'It is is!'],
    ['half characters first', [part('', 1), part('', 2), part('天', 3), part('天空', 4, length)], '天空'],
  ])('%s: each word once, four tokens', (_what, values, text) => {
    const heard = hear(values);
    expect(said(heard)).toBe(text);
    expect(tokens(heard)).toBe(4);
    expect(heard.filter(({ kind }) => kind !== 'text')).toEqual([
      { kind: 'finish', reason: 'length' },
      { kind: 'usage', input: 4, output: 4, cached: 1, reasoning: null },
    ]);
  });

  test('a stop string that was shown is taken back', () => {
    const stopped = { finish_reason: { type: 'stop', matched: 'END' } };
    expect(said(hear([part('Hi', 1), part('Hi E', 2), part('Hi EN', 3), part('Hi ', 4, stopped)]))).toBe('Hi ');
  });

  test('several answers, by index or as a list, count together', () => {
    const [first, second] = [
      part('one', 2, length, { index: 0 }),
      part('two', 3, { finish_reason: { type: 'stop', matched: 2 } }, { index: 1 }),
    ];
    const heard = hear([part('o', 1, {}, { index: 0 }), part('t', 1, {}, { index: 1 }), first, second]);
    expect([...said(heard)].toSorted().join('')).toBe([...'onetwo'].toSorted().join(''));
    expect(heard.findLast(({ kind }) => kind === 'usage')).toMatchObject({ input: 4, output: 5 });
    const cut = hear([part('t', 1, {}, { index: 1 }), first], '');
    expect(cut.at(-1)).toMatchObject({ kind: 'problem', code: 'truncated-stream' });
    const listener = sglang.listen({ stream: false, contentType: 'application/json' });
    const whole = [...listener.hear(new TextEncoder().encode(JSON.stringify([first, second]))), ...listener.close()];
    expect(said(whole)).toBe('onetwo');
    expect(whole.findLast(({ kind }) => kind === 'usage')).toMatchObject({ output: 5 });
  });

  test('an abort and an error are failures with the server’s words; no last word is a cut', () => {
    const abort = { finish_reason: { type: 'abort', message: 'the queue is full', status_code: 503 } };
    expect(hear([part('', 0, abort)])).toEqual([
      { kind: 'problem', code: 'in-stream-error', words: 'the queue is full' },
    ]);
    expect(hear([part('a', 1), { error: { message: 'too long' } }]).at(-1)).toEqual({
      kind: 'problem',
      code: 'in-stream-error',
      words: 'too long',
    });
    expect(hear([part('a', 1)], '').at(-1)).toMatchObject({ kind: 'problem', code: 'truncated-stream' });
  });

  test('times: seconds on the wire', () => {
    const told = hear([part('a', 1, { ...length, e2e_latency: 1.5, queue_time: 0.25 })]);
    expect(told.at(-1)).toEqual({
      kind: 'times',
      times: { queueMs: 250, prefillMs: null, decodeMs: null, totalMs: 1500 },
    });
  });
});
