import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { protocols } from './protocols.ts';
import type { ParsedEvent } from './protocol.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const sse = { stream: true, contentType: 'text/event-stream' };
const json = { stream: false, contentType: 'application/json' };

function hear(text: string, shape = sse, cuts: readonly number[] = []): ParsedEvent[] {
  const listener = protocols['openai-chat'].listen(shape);
  const bytes = bytesOf(text);
  const heard: ParsedEvent[] = [];
  let from = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    heard.push(...listener.hear(bytes.subarray(from, cut)));
    from = cut;
  }
  return [...heard, ...listener.close()];
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (fields: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});

/** The shape of a vLLM chat stream: role only, reasoning, answer, finish, usage only, done. */
const vllmStream =
  event(delta({ role: 'assistant', content: '' })) +
  event(delta({ reasoning_content: '想' })) +
  event(delta({ content: '你好' })) +
  event(delta({ content: '' }, 'stop')) +
  event({
    choices: [],
    usage: { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
  }) +
  'data: [DONE]\n\n';

describe('a streamed answer', () => {
  test('role-only and usage-only chunks are not output; reasoning and answer are told apart', () => {
    expect(hear(vllmStream)).toEqual([
      { kind: 'text', of: 'reasoning', text: '想', events: 1, tokens: null },
      { kind: 'text', of: 'answer', text: '你好', events: 1, tokens: null },
      { kind: 'finish', reason: 'stop' },
      { kind: 'usage', input: 9, output: 3, cached: 4, reasoning: null },
    ]);
  });

  test('means the same wherever it is cut, even inside a character', () => {
    const whole = hear(vllmStream);
    fc.assert(
      fc.property(fc.array(fc.nat(bytesOf(vllmStream).length - 1), { maxLength: 20 }), (cuts) => {
        expect(hear(vllmStream, sse, cuts)).toEqual(whole);
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  test('DeepSeek and OpenRouter spell reasoning "reasoning"; tool calls are output too', () => {
    const heard = hear(
      event(delta({ reasoning: 'hm' })) +
        event(delta({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"a"' } }] })) +
        event(delta({}, 'tool_calls')),
    );
    expect(heard.map((piece) => (piece.kind === 'text' ? piece.of : piece.kind))).toEqual([
      'reasoning',
      'tool',
      'finish',
    ]);
  });

  test('without [DONE] but with a finish reason it is complete; without either it is truncated', () => {
    const begun = event(delta({ content: 'a' }));
    expect(hear(begun + event(delta({}, 'length'))).some((piece) => piece.kind === 'problem')).toBe(false);
    expect(hear(begun).at(-1)).toMatchObject({ kind: 'problem', code: 'truncated-stream' });
  });

  test.each([
    ['an OpenAI error object', { error: { message: 'KV cache full', code: 500 } }, 'KV cache full'],
    ['a bare error string', { error: 'boom' }, 'boom'],
    ['a vLLM error object', { object: 'error', message: 'too long', code: 400 }, 'too long'],
  ])('%s inside a 200 stream is a failure, and nothing after it counts', (_, value, words) => {
    const heard = hear(
      event(delta({ content: 'a' })) + event(value) + event(delta({ content: 'b' })) + 'data: [DONE]\n\n',
    );
    expect(heard.filter((piece) => piece.kind === 'text')).toHaveLength(1);
    expect(heard.at(-1)).toEqual({ kind: 'problem', code: 'in-stream-error', words });
  });

  test.each([['data: {"choices":[{"del\n\n'], ['data: null\n\n'], ['data: [1]\n\n'], ['data: {"hello":1}\n\n']])(
    'what is not an answer is malformed: %j',
    (text) => {
      expect(hear(text)).toContainEqual(expect.objectContaining({ kind: 'problem', code: 'malformed-stream' }));
    },
  );

  test('random bytes never throw and never count as a complete answer', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (pieces) => {
        const listener = protocols['openai-chat'].listen(sse);
        const heard = [...pieces.flatMap((piece) => listener.hear(piece)), ...listener.close()];
        expect(heard.some((piece) => piece.kind === 'problem')).toBe(true);
      }),
      { numRuns: 1000, seed: 7 },
    );
  });
});

describe('an answer in one piece', () => {
  const whole = JSON.stringify({
    choices: [{ message: { role: 'assistant', content: 'hi', reasoning_content: 'hm' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 2, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 4 } },
  });

  test('gives its text, finish and usage at the end', () => {
    expect(hear(whole, json, [3, 40])).toEqual([
      { kind: 'text', of: 'reasoning', text: 'hm', events: 1, tokens: null },
      { kind: 'text', of: 'answer', text: 'hi', events: 1, tokens: null },
      { kind: 'finish', reason: 'stop' },
      { kind: 'usage', input: 2, output: 5, cached: null, reasoning: 4 },
    ]);
  });

  test('cut short it is malformed', () => {
    expect(hear(whole.slice(0, 50), json)).toMatchObject([{ kind: 'problem', code: 'malformed-stream' }]);
  });

  test('a server that ignores "stream" is heard as what it sent', () => {
    const shape = { stream: true, contentType: 'application/json; charset=utf-8' };
    expect(protocols['openai-chat'].streams(shape)).toBe(false);
    expect(hear(whole, shape).some((piece) => piece.kind === 'text')).toBe(true);
  });

  test('counts that are no whole numbers are unknown, not zero', () => {
    const usage = { prompt_tokens: -1, completion_tokens: '7' };
    const text = JSON.stringify({ choices: [{ text: 'x', finish_reason: 'stop' }], usage });
    expect(hear(text, json)).toContainEqual({
      kind: 'usage',
      input: null,
      output: null,
      cached: null,
      reasoning: null,
    });
  });
});

describe('several choices', () => {
  const say = (index: number, content: string, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index, delta: { content }, finish_reason: finish }] })}\n\n`;
  const last = (text: string): ParsedEvent | undefined => hear(text).at(-1);
  const begun = say(0, 'a') + say(1, 'b') + say(0, 'c', 'stop');

  test('a stream that ends while one of them is still talking is cut off', () => {
    expect(last(begun)).toMatchObject({ kind: 'problem', code: 'truncated-stream' });
    expect(last(begun + say(1, 'd', 'stop'))).toEqual({ kind: 'finish', reason: 'stop' });
    expect(last(`${begun}data: [DONE]\n\n`)).toMatchObject({ kind: 'finish' });
  });
});
