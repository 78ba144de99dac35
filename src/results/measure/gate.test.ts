import { describe, expect, test } from 'vitest';
import { parseGate, parseRunGate } from './gate.ts';

describe('a condition of --fail-if', () => {
  test('a percentage is the change against the baseline', () => {
    expect(parseGate('outputTokensPerSec<-5%')).toMatchObject({
      kind: 'change',
      metric: 'outputTokensPerSec',
      op: '<',
      ratio: -0.05,
    });
    expect(parseGate(' latency.p99 > +10% ')).toMatchObject({
      kind: 'change',
      metric: 'latency',
      statistic: 'p99',
      op: '>',
      ratio: 0.1,
    });
    expect(parseGate('ttft>10%')).toMatchObject({ metric: 'ttft', statistic: 'mean' });
  });
  test('anything else is a limit on the candidate', () => {
    expect(parseGate('ttft.p99>2s')).toMatchObject({
      kind: 'value',
      promise: { metric: 'ttft', op: '<=', limit: 2000 },
    });
  });
  test('a share has a limit of its own in percent; with a sign it is the difference from the baseline', () => {
    expect(parseGate('failed>1%')).toMatchObject({ kind: 'value', promise: { op: '<=', limit: 0.01, unit: 'ratio' } });
    expect(parseGate('failed>+1%')).toMatchObject({ kind: 'change', ratio: 0.01 });
  });
  test('of a run that stands alone cannot be a change', () => {
    expect(() => parseRunGate('outputTokensPerSec<-5%')).toThrow(/no baseline/);
    expect(parseRunGate('ttft>2s').promise).toMatchObject({ statistic: null, op: '<=' });
  });
  test.each(['', 'nonsense', 'speed<-5%', 'failed.p99>1%', 'latency.p97>5%', 'ttft.p99>2'])(
    '%j is told as a mistake of --fail-if',
    (text) => {
      expect(() => parseGate(text)).toThrow(
        expect.objectContaining({
          mistakes: [expect.objectContaining({ code: 'bad-fail-if', place: { flag: '--fail-if' } })],
        }) as Error,
      );
    },
  );
});
