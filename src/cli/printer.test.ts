import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forTerminal, lineAgain, styled } from './printer.ts';

const red = styled(31, 39);
/** Controls but tab and line end, the other ends of lines, and what turns the direction of writing. */
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

test('our own styles arrive as the terminal knows them', () => {
  expect(forTerminal(`a ${red('b')}\tc\n`)).toBe('a \u001b[31mb\u001b[39m\tc\n');
  expect(forTerminal(`${lineAgain}5 %`)).toBe('\r\u001b[2K5 %');
});

test.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
  ['\u009b31m', '\\u009b31m'],
  ['\u202edlrow', '\\u202edlrow'],
  ['over\rwritten', 'over\\u000dwritten'],
  ['\u001b[31mred', '\\u001b[31mred'],
])('%j of a stranger is shown and not obeyed', (words, shown) => {
  expect(forTerminal(words)).toBe(shown);
});

test('whatever is said, nothing is obeyed but what is ours; letters of all languages stay', () => {
  const pieces = fc.constantFrom('\u001b[', ';', '31m', '\u009b', '\u202e', '\r', '中文', 'é', '👩‍💻', '\n', 'a');
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' }))), (words) => {
      const text = words.join('');
      const shown = forTerminal(red(text)).slice('\u001b[31m'.length, -'\u001b[39m'.length);
      expect(shown.replaceAll('\r\n', '')).not.toMatch(obeyed);
      if (!obeyed.test(text)) expect(shown).toBe(text);
    }),
  );
});

test('JSON stays what it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (label) => {
      expect(JSON.parse(forTerminal(JSON.stringify({ label })))).toEqual({ label });
    }),
  );
});
