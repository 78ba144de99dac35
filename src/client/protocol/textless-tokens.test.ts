import { describe, expect, test } from 'vitest';
import { OpenaiStreamListener } from './openai-listener.ts';
import type { ParsedEvent } from './protocol.ts';

/** What is heard of a stream that is read event by event. */
function heard(events: readonly object[]): ParsedEvent[] {
  const listener = new OpenaiStreamListener();
  const all: ParsedEvent[] = [];
  for (const event of events)
    all.push(...listener.hear(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)));
  all.push(...listener.hear(new TextEncoder().encode('data: [DONE]\n\n')), ...listener.close());
  return all;
}
const eventsIn = (all: readonly ParsedEvent[]): number =>
  all.reduce((sum, piece) => sum + (piece.kind === 'text' ? piece.events : 0), 0);
const completion = (text: string, finish: string | null = null, more: object = {}): object => ({
  object: 'text_completion',
  choices: [{ index: 0, text, finish_reason: finish, ...more }],
});
const chat = (delta: object, finish: string | null = null, more: object = {}): object => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
});

// The shapes are those of samples recorded from vLLM 0.32, SGLang 0.5.23, llama.cpp and XInference 4.1.
describe('a chunk with a choice and no text', () => {
  test('is a token of its stream, as often as it comes and wherever it stands', () => {
    const stop = { stop_reason: null };
    for (const texts of [
      ['a', '', 'b', '', '', 'c'],
      ['', '', '', 'a', 'b', 'c'],
      ['', '', '', '', '', ''],
    ])
      expect(eventsIn(heard(texts.map((text) => completion(text, null, stop))))).toBe(6);
    expect(eventsIn(heard(['a', '', 'b'].map((content) => chat({ content }))))).toBe(3);
  });
  test('keeps the text as it is', () => {
    const said = heard(['a', '', 'b', ''].map((text) => completion(text)));
    expect(said.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')).toBe('ab');
  });
  test("vLLM's last chunk holds the last token; another server's only ends the answer", () => {
    expect(eventsIn(heard([completion('a'), completion('', 'length', { stop_reason: null })]))).toBe(2);
    expect(eventsIn(heard([completion('a'), completion('', 'length')]))).toBe(1);
    expect(eventsIn(heard([chat({ content: 'a' }), chat({}, 'stop')]))).toBe(1);
    expect(eventsIn(heard([chat({ content: 'a' }), chat({ content: null }, 'stop')]))).toBe(1);
  });
  test('one that opens the answer with a role is no token', () => {
    expect(eventsIn(heard([chat({ role: 'assistant', content: '' }), chat({ content: 'a' })]))).toBe(1);
    expect(eventsIn(heard([chat({ role: 'assistant', content: null }), chat({ content: 'a' })]))).toBe(1);
  });
  test('a thought beside an empty answer is one event', () => {
    expect(eventsIn(heard([chat({ reasoning_content: 'hm', content: '' }), chat({ content: 'a' })]))).toBe(2);
  });
});
