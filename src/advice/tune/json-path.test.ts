import { describe, expect, test } from 'vitest';
import { indentOf, parsePath, putAt, valueAt } from './json-path.ts';

const document = { BackendConfig: { ModelConfig: [{ npuMemSize: 17 }], 'a.b': 1 } };

describe('paths into a JSON document', () => {
  test('keys, indexes and quoted keys', () => {
    expect(parsePath('a.b[0].c')).toEqual(['a', 'b', 0, 'c']);
    expect(parsePath('a."b.c".d')).toEqual(['a', 'b.c', 'd']);
  });

  test.each(['', '[', 'a[x]', '__proto__.x', 'a.__proto__'])('"%s" is no path', (path) => {
    expect(parsePath(path)).toBeNull();
  });

  test('what stands at a path, and nothing where it leads nowhere', () => {
    expect(valueAt(document, 'BackendConfig.ModelConfig[0].npuMemSize')).toBe(17);
    expect(valueAt(document, 'BackendConfig."a.b"')).toBe(1);
    expect(valueAt(document, 'BackendConfig.ModelConfig[1].npuMemSize')).toBeUndefined();
    expect(valueAt(document, 'BackendConfig.toString')).toBeUndefined();
  });

  test('a value is put only where there is a place, unless one may be made', () => {
    const copy = structuredClone(document) as Record<string, unknown>;
    expect(putAt(copy, 'BackendConfig.ModelConfig[0].npuMemSize', 20, false)).toBe(true);
    expect(putAt(copy, 'BackendConfig.missing.x', 1, false)).toBe(false);
    expect(putAt(copy, 'New.list[0].x', 1, true)).toBe(true);
    expect(copy).toEqual({ BackendConfig: { ModelConfig: [{ npuMemSize: 20 }], 'a.b': 1 }, New: { list: [{ x: 1 }] } });
  });

  test('the indent of a file is kept', () => {
    expect(indentOf('{\n    "a": 1\n}')).toBe('    ');
    expect(indentOf('{"a":1}')).toBe('  ');
  });
});
