import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import type { Message } from '../../core/index.ts';
import { promptJson } from './openai.ts';

/** Texts of the characters that JSON and UTF-16 make trouble with, among plain ones. */
const letters = [
  'a',
  ' ',
  '"',
  '\\',
  '\n',
  '\t',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u2028',
  '中',
  '😀',
  '\ud83d',
  '\ude00',
];

function randomText(random: { below(n: number): number }): string {
  return Array.from({ length: random.below(12) }, () => letters[random.below(letters.length)]).join('');
}

describe('a prompt as JSON', () => {
  test('is what JSON.stringify makes of it, whatever it says', () => {
    const random = randomStream(7, 'prompt-json');
    for (let i = 0; i < 20_000; i++) {
      const text = randomText(random);
      expect(promptJson(text)).toBe(JSON.stringify(text));
      const message: Message = { role: 'user', content: text };
      expect(promptJson([message])).toBe(JSON.stringify([message]));
    }
  });

  test.each<[string, Message[]]>([
    ['no message', []],
    [
      'two messages',
      [
        { role: 'system', content: 'x' },
        { role: 'user', content: 'y' },
      ],
    ],
    ['parts', [{ role: 'user', content: [{ type: 'text', text: '"' }] }]],
    ['a field that we do not know', [{ role: 'user', content: 'x', name: 'Ann' } as Message]],
    ['nothing said', [{ role: 'assistant', content: null, tool_calls: [] } as unknown as Message]],
    ['no role', [{ content: 'x' } as Message]],
    ['a role of its own', [{ role: 'de"veloper', content: 'x' } as unknown as Message]],
  ])('%s: the same', (_name, messages) => {
    expect(promptJson(messages)).toBe(JSON.stringify(messages));
  });
});
