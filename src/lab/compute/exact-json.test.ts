import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromExactJson, toExactJson } from './exact-json.ts';

test('every number comes back as it was, wherever it stands', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      fc.double(),
      fc.constantFrom(Infinity, -Infinity, Number.NaN, -0),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('any'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  fc.assert(
    fc.property(
      value.filter((one) => !JSON.stringify(one).includes('__proto__')),
      (one) => {
        expect(fromExactJson(toExactJson(one))).toEqual(one);
      },
    ),
  );
});

test('a key that is no key of ours makes nobody a prototype', () => {
  const read = fromExactJson('{"__proto__":{"spoiled":true},"a":1}') as Record<string, unknown>;
  expect(Object.hasOwn(read, 'a')).toBe(true);
  expect(({} as Record<string, unknown>)['spoiled']).toBeUndefined();
});
