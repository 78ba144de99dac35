import { describe, expect, it } from 'vitest';
import { samplePoint } from '../../test/sample-point.ts';
import { summaryDocument, sweepDocument } from './summary-document.ts';

describe('what other programs read of a point under one key', () => {
  it('says what was asked, by dimension', () => {
    const point = samplePoint({
      load: { kind: 'closed', concurrency: 64, ratePerSec: null, stream: true },
      lengthsAsked: { input: '512', output: '100..200' },
      asked: { variant: 'A', settings: { max_num_seqs: '64' } },
    });
    expect(summaryDocument(point).point).toEqual({
      load: 64,
      input: 512,
      output: '100..200',
      variant: 'A',
      settings: { max_num_seqs: '64' },
      repetition: 1,
    });
  });

  it('says null for what nobody asked or told', () => {
    const { point, cache, loadState } = summaryDocument(
      samplePoint({
        load: { kind: null, concurrency: null, ratePerSec: null, stream: null },
        cachedInputRatio: null,
        server: null,
      }),
    );
    expect(point).toEqual({ load: null, input: null, output: null, variant: null, settings: null, repetition: 1 });
    expect(cache).toEqual({ hitRatio: null, eligibleRatio: null, source: null });
    expect(loadState).toBe('unknown');
  });

  it('the rate is the load of an open loop, also below a cap on requests in flight', () => {
    const load = { kind: 'open', concurrency: 100, ratePerSec: 7.5, stream: true } as const;
    expect(summaryDocument(samplePoint({ load })).point.load).toBe(7.5);
  });

  it('believes what requests say of the cache before what the server says of everybody', () => {
    const server = { prefixHitRatio: 0.9 };
    expect(summaryDocument(samplePoint({ cachedInputRatio: 0.1, server })).cache).toMatchObject({
      hitRatio: 0.1,
      source: 'usage',
    });
    expect(summaryDocument(samplePoint({ cachedInputRatio: null, server })).cache).toMatchObject({
      hitRatio: 0.9,
      source: 'server',
    });
  });

  it('counts the repetitions of one point in a sweep', () => {
    const [a, b, c] = [10, 10, 20].map((concurrency, i) =>
      samplePoint({ runId: `r${i}`, load: { kind: 'closed', concurrency, ratePerSec: null, stream: true } }),
    );
    const { points } = sweepDocument({ points: [a!, b!, c!] });
    expect(points.map(({ point }) => point.repetition)).toEqual([1, 2, 1]);
  });
});
