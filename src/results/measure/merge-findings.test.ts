import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finding } from '../../core/index.ts';
import { mergeFindings } from './compare-sweeps.ts';

function doubt(code: string, codes: string | null = null): Finding {
  return {
    code,
    severity: 'warn',
    message: `${code}.`,
    evidence: codes === null ? {} : { codes },
    advice: 'again',
    zh: { message: `${code}。`, advice: '重试' },
  };
}

test('the same doubt at nine loads is one line that names them', () => {
  const loads = [1, 2, 4, 8, 16, 32, 64, 128, 256];
  const merged = mergeFindings(
    loads.map((load) => ({ finding: doubt('not-valid', 'stuck-request'), about: 'run', load })),
  );
  expect(merged.map(({ message, zh }) => [message, zh.message])).toEqual([
    ['not-valid. @ 1, 2, 4, 8, 16, 32, 64, 128, 256', 'not-valid。 @ 1, 2, 4, 8, 16, 32, 64, 128, 256'],
  ]);
});

test('another run, another code and another cause stay apart; without a load nothing is added', () => {
  const merged = mergeFindings([
    { finding: doubt('not-valid', 'stuck-request'), about: 'a', load: 8 },
    { finding: doubt('not-valid', 'stuck-request'), about: 'b', load: 8 },
    { finding: doubt('not-valid', 'client-bound'), about: 'a', load: 16 },
    { finding: doubt('too-short'), about: 'a', load: null },
  ]);
  expect(merged.map(({ message }) => message)).toEqual([
    'not-valid. @ 8',
    'not-valid. @ 8',
    'not-valid. @ 16',
    'too-short.',
  ]);
});

test('no doubt is lost and none is made up: every code, run and load that went in is told once', () => {
  const one = fc.record({
    finding: fc.constantFrom('x', 'y', 'z').map((code) => doubt(code)),
    about: fc.constantFrom('a', 'b'),
    load: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(one), (found) => {
      const told = mergeFindings(found).flatMap(({ code, evidence }) =>
        String(evidence['loads'])
          .split(', ')
          .map((load) => `${code} ${load}`),
      );
      const given = new Set(found.map(({ finding, about, load }) => `${finding.code} ${load} ${about}`));
      expect(told.toSorted()).toEqual([...given].map((text) => text.slice(0, -2)).toSorted());
    }),
  );
});
