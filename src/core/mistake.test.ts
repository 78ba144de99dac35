import { expect, test } from 'vitest';
import { verdictOf } from './finding.ts';
import type { Severity } from './finding.ts';
import { describeMistake, exitCodes, isFailureCode, isMistakes, mistake } from './mistake.ts';
import { problem } from './problem.ts';
import { isBehind } from './runner.ts';

const made = mistake('code', 'wrong', '错', 'mend it', '请改', '--flag');

test('a mistake is told with its place first, as much of it as is known', () => {
  const told = (place?: Parameters<typeof mistake>[5]): string =>
    describeMistake(mistake('code', 'wrong', '错', 'mend', '改', place), 'en');
  expect([
    told(),
    told('--rate'),
    told({ file: 'a.yaml' }),
    told({ file: 'a.yaml', line: 3, field: 'x' }),
    told({ line: 3 }),
  ]).toEqual(['wrong', '--rate: wrong', 'a.yaml: wrong', 'a.yaml:3 x: wrong', 'wrong']);
  expect(describeMistake(made, 'zh')).toBe('--flag: 错');
});

test('what came from elsewhere is taken for mistakes only where every part of each is one', () => {
  expect(isMistakes([made, mistake('b', 'x', 'y', 'z', 'w')])).toBe(true);
  for (const spoilt of [
    {},
    null,
    [],
    [null],
    [made, 'x'],
    [{ ...made, code: 1 }],
    [{ ...made, message: { en: 'x' } }],
    [{ ...made, message: { zh: 'x' } }],
    [{ ...made, hint: undefined }],
    [{ ...made, place: 'here' }],
    [{ ...made, place: null }],
  ])
    expect(isMistakes(spoilt)).toBe(false);
});

test('a failure code is one of ours, and not the one for "all is well"', () => {
  expect(Object.values(exitCodes).filter((code) => !isFailureCode(code))).toEqual([exitCodes.ok]);
  expect([-1, 1e6, '1', null].some(isFailureCode)).toBe(false);
});

test('scripts that look at the exit code find what they found before', () => {
  expect(exitCodes).toEqual({
    ok: 0,
    usage: 2,
    unreachable: 3,
    gateFailed: 4,
    notValid: 5,
    brokeOff: 6,
    bug: 70,
    interrupted: 130,
  });
});

test('a verdict is invalid by one invalid doubt, and the gravest stand first', () => {
  const doubt = (severity: Severity) => ({
    code: severity,
    severity,
    message: '',
    evidence: {},
    advice: '',
    zh: { message: '', advice: '' },
  });
  const told = verdictOf([doubt('info'), doubt('warn'), doubt('invalid'), doubt('warn')]);
  expect(told.findings.map(({ severity }) => severity)).toEqual(['invalid', 'warn', 'warn', 'info']);
  expect([told.valid, verdictOf([doubt('warn')]).valid, verdictOf([]).valid]).toEqual([false, true, true]);
});

test("a problem keeps the first of a stranger's words, in one line", () => {
  expect(problem('http-4xx', `a\n\u001b[31mb${'c'.repeat(1000)}`, 500)).toMatchObject({
    status: 500,
    words: `a [31mb${'c'.repeat(1000)}`.slice(0, 300),
  });
  expect(problem('timeout-total').words).toBeNull();
});

test('what is behind a run that goes on is told by one bit for each number', () => {
  const done = new Uint8Array([0b1000_0001, 0b10]);
  const behind = { clockMs: 0, elapsedMs: 0, done, doneCount: 3 };
  expect(Array.from({ length: 24 }, (_, seq) => seq).filter((seq) => isBehind(behind, seq))).toEqual([0, 7, 9]);
  expect(isBehind(null, 0)).toBe(false);
});
