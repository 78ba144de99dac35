import { expect, test } from 'vitest';
import { samplePoint } from '../../../../test/sample-point.ts';
import type { Finding } from '../../../core/index.ts';
import { runScreen } from './run-screen.ts';

const finding = (code: string, severity: Finding['severity'], en: string, zh: string): Finding => ({
  code,
  severity,
  message: `${en} And why.`,
  advice: `Mend ${code}. And more.`,
  evidence: {},
  zh: { message: `${zh}以及原因。`, advice: `修复 ${code}。其他。` },
});
const screenOf = (lang: 'en' | 'zh', ...findings: Finding[]): string =>
  runScreen(samplePoint({ verdict: { valid: !findings.some(({ severity }) => severity === 'invalid'), findings } }), {
    lang,
    columns: 80,
    kept: 'a',
  });
const times = (text: string, part: string): number => text.split(part).length - 1;

test.each([
  ['overloaded', 'warn'],
  ['server-gone', 'invalid'],
  ['server-silent', 'warn'],
] as const)('%s is the answer and said once, with what to do about it; other doubts stay doubts', (code, severity) => {
  const all = [
    finding(code, severity, 'It was so.', '就是这样。'),
    finding('short-run', 'warn', 'Too short.', '太短。'),
  ];
  const en = screenOf('en', ...all);
  expect([times(en, 'It was so.'), times(en, `What to do: Mend ${code}.`)]).toEqual([1, 1]);
  expect(en).toContain('Doubt: Too short. Mend short-run.');
  const zh = screenOf('zh', ...all);
  expect([times(zh, '就是这样。'), times(zh, `建议：修复 ${code}。`)]).toEqual([1, 1]);
  // No space behind a full stop.
  expect(zh).toContain('存疑：太短。修复 short-run。');
});
