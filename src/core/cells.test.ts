import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellsOf, cutToCells, wrapToCells } from './cells.ts';

describe('cells of a terminal', () => {
  test('a Chinese character takes two', () => {
    expect([cellsOf('abc'), cellsOf('并发 8'), cellsOf('，')]).toEqual([3, 6, 2]);
  });

  test('what is cut fits, and no character is halved', () => {
    expect(cutToCells('并发 8 进行中', 5)).toBe('并发 ');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, cells) => {
        const cut = cutToCells(text, cells);
        expect(cellsOf(cut)).toBeLessThanOrEqual(cells);
        expect(text.startsWith(cut)).toBe(true);
      }),
    );
  });

  test('wrapped lines fit, and nothing but spaces is lost', () => {
    const words = fc.array(fc.constantFrom('run', 'of', '并发', '请求数，', 'a-b'), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 60 }), (parts, cells) => {
        const text = parts.join(' ');
        const lines = wrapToCells(text, cells);
        for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(cells);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
    expect(wrapToCells('the load of a server', 9)).toEqual(['the load', 'of a', 'server']);
    expect(wrapToCells('in flight −16 %, each', 14)).toEqual(['in flight', '−16 %, each']);
    expect(wrapToCells('延迟（n=8792）+4 %', 8)).toEqual(['延迟', '（n=8792）', '+4 %']);
    // A number and its unit stay together, in both languages.
    expect(wrapToCells('then 14.4 ms a token', 9)).toEqual(['then', '14.4 ms a', 'token']);
    expect(wrapToCells('用时 25.1 秒：', 9)).toEqual(['用时', '25.1 秒：']);
    expect(wrapToCells('would do (-n 1000).', 13)).toEqual(['would do', '(-n 1000).']);
    expect(wrapToCells('/a/very/long/path', 4)).toEqual(['/a/very/long/path']);
  });
});
