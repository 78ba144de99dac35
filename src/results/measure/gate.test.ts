import { describe, expect, test } from 'vitest';
import { exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { comparePoint } from './compare.ts';
import { parseGate, parseRunGate } from './gate.ts';
import type { LoadFinding } from './load-finding.ts';
import { makeMeter } from './meter.ts';
import { slicesOf } from './slices.ts';
import { summarise } from './summarise.ts';
import { makeTrace } from './trace.ts';

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

describe('a change between two runs', () => {
  const load = { kind: 'closed', concurrency: 1 } as const;
  const run = (id: string, ms: number) => {
    const [meter, trace] = [makeMeter({ load, stream: true }), makeTrace(load)];
    for (let seq = 0; seq < 300; seq++) {
      const took = ms * (1 + 0.02 * ((seq * 7) % 5));
      const at = seq * ms * 1.1;
      const one = exchange({
        seq,
        dueMs: at,
        sentMs: at,
        chunks: { atMs: [at + took], tokens: [1], kinds: 'a' },
        endMs: at + took,
      });
      meter.add(one);
      trace.add(one);
    }
    const asked = { ...load, ratePerSec: null, stream: true };
    const summary = summarise(meter, { runId: id, simulated: true, load: asked, planned: 300 });
    return { id, name: id, plan: null, summary, slices: slicesOf(trace) };
  };
  const judged = (doubts: LoadFinding[]) =>
    comparePoint([run('a', 100), run('b', 200)], 1, [parseGate('latency.mean>5%')], () => doubts).gates.map(
      ({ state }) => state,
    );
  test('that cannot be compared is neither kept nor broken, however large', () => {
    const finding = {
      code: 'cache-differs',
      severity: 'invalid',
      message: '',
      evidence: {},
      advice: '',
      zh: { message: '', advice: '' },
    } as const;
    expect(judged([])).toEqual(['failed']);
    expect(judged([{ finding, about: 'a / b' }])).toEqual(['unsure']);
  });
});
