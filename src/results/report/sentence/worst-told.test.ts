import { expect, test } from 'vitest';
import type { Finding } from '../../../core/index.ts';
import { samplePoint } from '../../../../test/sample-point.ts';
import { auditSweep } from '../../audit/index.ts';
import type { Comparison } from '../../measure/index.ts';
import { compareInWords } from './compare.ts';
import { doubtsInWords } from './doubts.ts';

const finding = (severity: Finding['severity'], message: string): Finding => ({
  code: 'failures',
  severity,
  message,
  evidence: {},
  advice: '',
  zh: { message, advice: '' },
});

test('what is not valid at one point is not said of another that is merely doubted', () => {
  const doubts = doubtsInWords([
    { name: '64', findings: [] },
    { name: '100', findings: [finding('warn', '24 % failed.')] },
    { name: '200', findings: [finding('invalid', '60 % failed.')] },
  ]);
  expect(doubts.map(({ severity, where, says }) => [severity, where.en, says.en])).toEqual([
    ['invalid', ' (at 200)', '60 % failed.'],
    ['warn', ' (at 100)', '24 % failed.'],
  ]);
});

const row = (metric: string, changeRatio: number, interval: [number, number] | null) => ({
  metric,
  load: 10,
  values: [1, 2],
  basis: 'whole',
  comparable: true,
  changes: [{ changeRatio, interval, significant: interval !== null, pValue: null }],
});

test('where too few requests leave a p99 untested, a median that went the other way is told', () => {
  const comparison = {
    comparable: true,
    names: ['a', 'b'],
    findings: [],
    metrics: [
      row('outputTokensPerSec', 7.97, [7.95, 7.98]),
      row('ttft.p50', 1.99, [1.96, 2.02]),
      row('ttft.p99', -0.39, null),
      row('tpot.p99', -0.5, [-0.6, -0.4]),
      row('tpot.p50', 0.2, [0.1, 0.3]),
    ],
  } as unknown as Comparison;
  expect(compareInWords(comparison)[0]!.says.en).toBe(
    'B is better in tokens/s +797 %, TPOT p99 −50 %, and worse in TTFT p50 +199 % (certain).',
  );
});

test('a throughput that rises up to points that do not count is not said to rise at the last one', () => {
  const at = (concurrency: number, outputTokensPerSec: number, valid = true) =>
    samplePoint({
      runId: `r${concurrency}`,
      load: { kind: 'closed', concurrency, ratePerSec: null, stream: true },
      outputTokensPerSec,
      verdict: { valid, findings: [] },
    });
  const told = (last: boolean): string | undefined =>
    auditSweep([at(8, 100), at(16, 200), at(32, 300), at(64, 250, last)]).find(({ code }) => code === 'peak-and-knee')
      ?.message;
  expect(told(false)).toContain('rises at the last valid point (300 at 32)');
  expect(told(true)).toContain('peaks at 32');
});
