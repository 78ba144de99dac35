import { expect, test } from 'vitest';
import { conversationPrompt } from './conversation.ts';
import type { Script } from './conversation.ts';

const script: Script = {
  id: 'talk',
  system: 'be brief',
  turns: ['one', 'two', 'three'],
  maxTokens: [5, null],
  thinkMs: (turn) => turn * 100,
  keepReasoning: false,
};
const heard = { text: 'so', reasoning: 'hm', outputTokens: 2 };

test('each turn says all that was said before it, as it was really answered, and the last has none behind it', () => {
  const first = conversationPrompt(script);
  const second = first.follow!(heard)!;
  const third = second.follow!({ text: 'well', reasoning: '', outputTokens: 2 })!;
  expect(
    [first, second, third].map(({ id, maxTokens, turns, labels, thinkMs }) => [id, maxTokens, turns, labels, thinkMs]),
  ).toEqual([
    ['talk', 5, 3, { session: 'talk', turn: '1' }, 100],
    ['talk#2', null, 2, { session: 'talk', turn: '2' }, 200],
    ['talk#3', null, 1, { session: 'talk', turn: '3' }, 300],
  ]);
  expect(first.messages).toEqual([
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'one' },
  ]);
  expect(third.messages!.slice(1)).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'so' },
    { role: 'user', content: 'two' },
    { role: 'assistant', content: 'well' },
    { role: 'user', content: 'three' },
  ]);
  expect(third.follow!(heard)).toBeNull();
});

test('reasoning stands in the history only where it was asked for and there was some; who takes no time has none', () => {
  const keeping = conversationPrompt({ ...script, system: null, thinkMs: null, keepReasoning: true });
  const said = (answer: typeof heard): unknown => keeping.follow!(answer)!.messages!.slice(0, -1);
  expect(said(heard)).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: '<think>\nhm\n</think>\n\nso' },
  ]);
  expect(said({ text: 'so', reasoning: '', outputTokens: 2 })).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'so' },
  ]);
  expect(keeping).not.toHaveProperty('thinkMs');
});
