import { describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import { exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { checkSlo } from './check-slo.ts';
import { makeMeter } from './meter.ts';
import { parseSlo } from './slo.ts';
import { summarise } from './summarise.ts';

describe('an SLO word', () => {
  it.each([
    ['ttft.p99<2s', { metric: 'ttft', statistic: 'p99', op: '<', limit: 2000, unit: 'ms' }],
    ['tpot.p90 <= 50ms', { metric: 'tpot', statistic: 'p90', op: '<=', limit: 50, unit: 'ms' }],
    ['latency<1.5m', { metric: 'latency', statistic: null, op: '<', limit: 90_000, unit: 'ms' }],
    ['lateness.max<1h', { metric: 'lateness', statistic: 'max', op: '<', limit: 3_600_000, unit: 'ms' }],
    ['failed<0.1%', { metric: 'failed', statistic: null, op: '<', limit: 0.001, unit: 'ratio' }],
    ['failed<0.25', { metric: 'failed', statistic: null, op: '<', limit: 0.25, unit: 'ratio' }],
    ['outputTokensPerSec>=1000', { metric: 'outputTokensPerSec', op: '>=', limit: 1000, unit: 'perSec' }],
    ['goodput>95%', { metric: 'goodput', op: '>', limit: 0.95, unit: 'ratio' }],
  ])('%s is understood', (text, slo) => {
    expect(parseSlo(text)).toMatchObject({ text, ...slo });
  });

  it.each([
    ['ttft.p99＜500ms', 'ttft.p99<500ms'],
    ['ttft.p99≤500毫秒', 'ttft.p99<=500ms'],
    ['TTFT.P99 < 0.5S', 'ttft.p99<500ms'],
    ['ttft.p99<.5s', 'ttft.p99<500ms'],
    ['failed＜0.1％', 'failed<0.1%'],
    ['outputtokenspersec>100', 'outputTokensPerSec>100'],
  ])('%s means %s', (typed, plain) => {
    const { text: _, ...meant } = parseSlo(plain);
    expect(parseSlo(typed)).toMatchObject(meant);
  });

  it('of another tool is refused with what it is called here', () => {
    const hint = (text: string): string => {
      try {
        parseSlo(text);
      } catch (error) {
        return (error as UserError).mistakes[0]!.hint.en;
      }
      return '';
    };
    expect(['throughput>100', 'qps>5', 'ttft.avg<1s'].map((text) => hint(text).split('.')[0])).toEqual([
      'Here it is called outputTokensPerSec',
      'Here it is called requestsPerSec',
      'Here it is called mean',
    ]);
  });

  it.each([
    ['ttft.p99<2', /needs a time unit/],
    ['ttft.p97<2s', /no statistic ".p97"/],
    ['speed<2s', /no known metric: speed/],
    ['failed.p99<1%', /no statistic/],
    ['requestsPerSec>5s', /unit "s"/],
    ['ttft=2s', /is not METRIC/],
    ['constructor<2s', /no known metric/],
    ['', /is not METRIC/],
  ])('%s is refused with what is wrong and the metrics there are', (text, words) => {
    const refuse = (): unknown => parseSlo(text);
    expect(refuse).toThrow(UserError);
    expect(refuse).toThrow(words);
    try {
      refuse();
    } catch (error) {
      expect((error as UserError).mistakes[0]!.hint.en).toContain('outputTokensPerSec');
    }
  });
});

describe('a promise against a summary', () => {
  const meter = makeMeter({ load: { kind: 'closed', concurrency: 1 }, stream: true, slo: ['latency<150ms'] });
  meter.add(exchange({ seq: 0, endMs: 200 }));
  meter.add(exchange({ seq: 1, sentMs: 200, chunks: { atMs: [290], tokens: [1], kinds: 'a' }, endMs: 300 }));
  meter.add(exchange({ seq: 2, sentMs: 300, endMs: 400, outcome: 'failed', problem: null }));
  const summary = summarise(meter, {
    runId: 'r',
    simulated: false,
    load: { kind: 'closed', concurrency: 1, ratePerSec: null, stream: true },
    planned: 4,
  });
  it.each([
    ['latency.mean<=150ms', true, 150],
    ['latency<200ms', false, 200],
    ['latency>=100ms', true, 100],
    ['failed<=25%', true, 0.25],
    ['requestsPerSec>=5', true, 5],
    ['goodput>=25%', true, 0.25],
    ['goodput>2', true, 2.5],
    ['lateness.p99<1ms', null, null],
  ])('%s → %s', (text, met, value) => {
    expect(checkSlo(parseSlo(text), summary)).toEqual({ met, value });
  });
});
