import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charCount, inputCharsOf, plainPrompt } from './index.ts';

describe('plainPrompt', () => {
  it('says the same over chat and completion wires and plans nothing it does not know', () => {
    expect(plainPrompt('line-3', '为什么天是蓝的？')).toEqual({
      id: 'line-3',
      messages: [{ role: 'user', content: '为什么天是蓝的？' }],
      text: '为什么天是蓝的？',
      inputTokens: null,
      maxTokens: null,
      labels: {},
    });
  });
});

describe('character counts', () => {
  it('count code points, lone halves included', () => {
    expect(charCount('')).toBe(0);
    expect(charCount('abc')).toBe(3);
    expect(charCount('你好')).toBe(2);
    expect(charCount('𠮷野😀')).toBe(3);
    expect(charCount('\ud83d')).toBe(1);
    expect(charCount('\ude00\ud83d')).toBe(2);
  });

  it('agree with the string iterator on text of every kind', () => {
    const text = 'a\u0000é\u0301漢字😀👨‍👩‍👧\ude00x\ud83d\ud83d\ude00';
    expect(charCount(text)).toBe([...text].length);
  });

  it('cover every message and text part, and fall back to the raw text', () => {
    expect(inputCharsOf(plainPrompt('1', '12345'))).toBe(5);
    expect(
      inputCharsOf({
        ...plainPrompt('1', ''),
        messages: [
          { role: 'system', content: 'ab' },
          {
            role: 'user',
            content: [
              { type: 'text', text: '你好吗' },
              { type: 'image_url', image_url: { url: 'data:' } },
            ],
          },
        ],
      }),
    ).toBe(5);
    expect(inputCharsOf({ ...plainPrompt('1', 'raw'), messages: [] })).toBe(3);
  });
});

describe('charCount', () => {
  it('counts what a string falls into, halves of pairs that stand alone included', () => {
    const unit = fc.oneof(
      fc.constantFrom(0x61, 0x4f60, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000),
      fc.integer({ min: 0, max: 0xffff }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
        const text = String.fromCharCode(...units);
        expect(charCount(text)).toBe([...text].length);
      }),
    );
  });
});
