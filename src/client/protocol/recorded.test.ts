import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ParsedEvent } from './protocol.ts';
import { protocols } from './protocols.ts';

const fixtures = join(import.meta.dirname, '../../../test/fixtures/protocol');

/** The body of a recorded answer, heard in pieces of a given size. */
function hearRecorded(file: string, stream: boolean, step: number): ParsedEvent[] {
  const bytes = readFileSync(join(fixtures, file));
  const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
  const listener = protocols['openai-chat'].listen({
    stream,
    contentType: stream ? 'text/event-stream; charset=utf-8' : 'application/json',
  });
  const heard: ParsedEvent[] = [];
  for (let at = 0; at < body.length; at += step)
    heard.push(...listener.hear(Uint8Array.from(body.subarray(at, at + step))));
  return [...heard, ...listener.close()];
}

const textOf = (heard: readonly ParsedEvent[]): string =>
  heard.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
const eventsOf = (heard: readonly ParsedEvent[]): number =>
  heard.reduce((sum, piece) => sum + (piece.kind === 'text' ? piece.events : 0), 0);

describe('transformers serve 5.17 on an H200', () => {
  test.each([1, 7, 100, 100_000])(
    'its stream, read %i bytes at a time, is twelve tokens, a finish and the usage',
    (step) => {
      const heard = hearRecorded('transformers-serve/chat-stream.http', true, step);
      expect(textOf(heard)).toBe('RouteRouteRouteRouteiguRoute letting letting letting letting letting letting');
      expect(eventsOf(heard)).toBe(12);
      expect(heard.filter(({ kind }) => kind !== 'text')).toEqual([
        { kind: 'finish', reason: 'length' },
        { kind: 'usage', input: 11, output: 12, cached: null, reasoning: null },
      ]);
    },
  );

  test('its whole answer says the same', () => {
    const heard = hearRecorded('transformers-serve/chat-whole.http', false, 50);
    expect(textOf(heard)).toBe('RouteRouteRouteRouteiguRoute letting letting letting letting letting letting');
    expect(heard).toContainEqual({ kind: 'usage', input: 11, output: 12, cached: null, reasoning: null });
  });
});

describe("llama.cpp's server, asked for two choices with logprobs", () => {
  const bodyOf = (file: string): Uint8Array => {
    const bytes = readFileSync(join(fixtures, file));
    return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
  };
  const listen = (stream: boolean, file: string): ParsedEvent[] => {
    const contentType = stream ? 'text/event-stream' : 'application/json';
    const listener = protocols['openai-chat'].listen({ stream, contentType });
    return [...listener.hear(bodyOf(file)), ...listener.close()];
  };

  test('both are heard in turn, with the tokens of both: each has a usage event of its own', () => {
    const heard = listen(true, 'llama-cpp/choices-stream.http');
    expect(eventsOf(heard)).toBe(12);
    // Both say "好你, sky café好" (read off the file).
    expect([...textOf(heard)].toSorted().join('')).toBe([...'好你, sky café好好你, sky café好'].toSorted().join(''));
    expect(heard.filter(({ kind }) => kind === 'finish')).toHaveLength(2);
    expect(heard.findLast(({ kind }) => kind === 'usage')).toMatchObject({ input: 54, output: 12 });
  });

  test('the whole answer holds both texts; its usage is what the server says, which is one of them', () => {
    const heard = listen(false, 'llama-cpp/choices-whole.http');
    expect(heard.filter(({ kind }) => kind === 'finish')).toHaveLength(2);
    expect(heard.find(({ kind }) => kind === 'usage')).toMatchObject({ output: 6 });
  });
});

describe('XInference 4.1.0', () => {
  test.each([1, 13, 100_000])(
    'its stream, read %i bytes at a time: an empty last text, `length`, and then a chunk that says `stop` and the usage again',
    (step) => {
      const heard = hearRecorded('xinference-transformers/chat-stream.http', true, step);
      expect(textOf(heard)).toMatch(/\w/);
      expect(heard.filter(({ kind }) => kind === 'finish')).toEqual([
        { kind: 'finish', reason: 'length' },
        { kind: 'finish', reason: 'stop' },
      ]);
      expect(heard.findLast(({ kind }) => kind === 'usage')).toMatchObject({ input: 19, output: 12 });
    },
  );

  // As its engines transformers and vLLM answer completions and chats that they cannot do, with status 200.
  test.each([
    "[address=127.0.0.1:38555, pid=3211] 'str' object has no attribute 'get'",
    'The chat completion request failed.',
  ])('an error inside a stream is a failure with its words: %s', (error) => {
    const listener = protocols['openai-chat'].listen({ stream: true, contentType: 'text/event-stream; charset=utf-8' });
    const body = new TextEncoder().encode(`data: ${JSON.stringify({ error })}\r\n\r\n`);
    const heard = [...listener.hear(body), ...listener.close()];
    expect(heard[0]).toMatchObject({ kind: 'problem', code: 'in-stream-error', words: error });
  });
});

describe("aiperf's mock server, as TGI", () => {
  const hear = (stream: boolean, file: string): ParsedEvent[] => {
    const bytes = readFileSync(join(fixtures, file));
    const contentType = stream ? 'text/event-stream' : 'application/json';
    const listener = protocols.tgi.listen({ stream, contentType });
    return [...listener.hear(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)), ...listener.close()];
  };

  test('its stream sends no details, and tells its tokens one by one: they are counted', () => {
    const heard = hear(true, 'aiperf-mock/tgi-stream.http');
    expect(textOf(heard)).toBe('Why is the sky blue?Why ');
    expect(heard).toContainEqual({ kind: 'usage', input: null, output: 6, cached: null, reasoning: null });
  });

  test('its whole answer tells no tokens, and none are made up', () => {
    expect(hear(false, 'aiperf-mock/tgi-whole.http')).toEqual([
      { kind: 'text', of: 'answer', text: 'Why is the sky blue?Why ', events: 1, tokens: null },
      { kind: 'finish', reason: 'stop' },
    ]);
  });
});
