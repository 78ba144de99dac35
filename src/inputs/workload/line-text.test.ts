import { expect, test } from 'vitest';
import { linePrompts } from './line-text.ts';

const lines = ['a', 'bb', 'ccc'];
const prompts = (prefixTokens: number, tokens: number, around = '') =>
  linePrompts({
    seed: 5,
    lines,
    tokensOf: (line) => line.length,
    input: { law: 'fixed', tokens },
    output: { law: 'fixed', tokens: 9 },
    prefixTokens,
    before: around,
    after: around,
  });

test.each([
  [0, []],
  [1, ['a']],
  [2, ['a']],
  [3, ['a', 'bb']],
  [5, ['a', 'bb']],
  [6, lines],
  // There are no more to stand in front.
  [100, lines],
])('the first lines up to %s tokens stand in front of every prompt', (tokens, shared) => {
  const made = prompts(tokens, 0)(0);
  expect([made.text, made.inputTokens, made.maxTokens]).toEqual([shared.join('\n'), shared.join('').length, 9]);
});

test('behind them come lines at random until one would be too many, between the instruction and the question', () => {
  for (let index = 0; index < 30; index++) {
    const { text, inputTokens, id } = prompts(3, 40, 'xxxx')(index);
    const [first, ...rest] = text!.split('\n');
    expect([id, first, rest.at(-1), rest.slice(0, 2)]).toEqual([`lines-${index}`, 'xxxx', 'xxxx', ['a', 'bb']]);
    expect(text!.replaceAll('\n', '').length).toBe(inputTokens);
    expect(inputTokens! <= 40 && inputTokens! + 3 > 40).toBe(true);
  }
  expect(new Set(Array.from({ length: 30 }, (_, index) => prompts(0, 40)(index).inputTokens))).toContain(40);
});
