import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { field, JsonMistake, JsonNumber, readJson } from './json-text.ts';
import type { JsonValue } from './json-text.ts';

/** Our tree as plain values, to be compared with JSON.parse. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
  return value;
}

describe('JSON of a stranger', () => {
  test('reads what JSON.parse reads, whatever the layout', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const laid = JSON.stringify(value, null, indent);
        expect(plain(readJson(laid)[0]!)).toEqual(JSON.parse(laid));
      }),
    );
  });
  test('keeps digits and line of a field', () => {
    const [value] = readJson('{\n  "a": 26.0,\n  "b": {"c": 1.50e2}\n}');
    expect(field(value, 'a')).toEqual(new JsonNumber(26, '26.0', 2));
    expect(field(value, 'b', 'c')).toEqual(new JsonNumber(150, '1.50e2', 3));
  });
  test('takes the NaN and Infinity that Python writes', () => {
    expect(plain(readJson('{"rate": Infinity, "low": -Infinity, "x": NaN}')[0]!)).toEqual({
      rate: 'Infinity',
      low: '-Infinity',
      x: null,
    });
  });
  test('reads several values one after the other: JSON lines, append mode', () => {
    expect(readJson('{"a":1}\n{"a":2}\n{"a":3}').map((value) => plain(value))).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });
  test('a key that would reach a prototype is a key like any other', () => {
    const [value] = readJson('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(value instanceof Map && [...value.keys()]).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
  test.each([
    ['{"a": 1', 1],
    ['{"a":\n 01}', 2],
    ['[1, 2\n,\n]', 3],
    ['{"a": "x\n"}', 1],
    ['nul', 1],
    ['['.repeat(500), 1],
  ])('%j is a mistake with its line', (text, line) => {
    const values: JsonValue[] = [];
    expect(() => readJson(text, values)).toThrow(JsonMistake);
    try {
      readJson(text);
    } catch (error) {
      expect((error as JsonMistake).line).toBe(line);
    }
  });
  test('what came before a mistake is kept', () => {
    const values: JsonValue[] = [];
    expect(() => readJson('{"a":1}\n{"a":2}\n{"a":', values)).toThrow(JsonMistake);
    expect(values).toHaveLength(2);
  });
});
