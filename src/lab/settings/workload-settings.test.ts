import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthText, UserError } from '../../core/index.ts';
import type { LengthLaw } from '../../core/index.ts';
import { readArrival, readRamp } from './arrival-setting.ts';
import { readGridSide } from './grid-setting.ts';
import { lengthLaw } from './length-setting.ts';

describe('lengths', () => {
  it.each<[string, LengthLaw]>([
    ['512', { law: 'fixed', tokens: 512 }],
    [' 100..500 ', { law: 'uniform', min: 100, max: 500 }],
    ['normal(512, 64)', { law: 'normal', mean: 512, deviation: 64, min: null, max: null }],
    ['lognormal(512.5,256,1..4096)', { law: 'lognormal', mean: 512.5, deviation: 256, min: 1, max: 4096 }],
    ['normal(512,64,100..)', { law: 'normal', mean: 512, deviation: 64, min: 100, max: null }],
    ['zipf(1.2,1..4096)', { law: 'zipf', alpha: 1.2, min: 1, max: 4096 }],
  ])('%s is read', (text, law) => {
    expect(lengthLaw(text)).toEqual(law);
  });

  it.each([
    '',
    '0',
    '-5',
    '1.5',
    '500..100',
    '0..5',
    'normal(512)',
    'normal(0,5)',
    'normal(5,5,9..3)',
    'zipf(1,5)',
    '99999999999',
    'gamma(2)',
    '1e3',
  ])('"%s" is told as no length', (text) => {
    expect(() => lengthLaw(text)).toThrow(UserError);
  });

  it('law: what a law is written as reads back as the same law', () => {
    const whole = fc.integer({ min: 1, max: 100_000 });
    const laws = fc.oneof(
      whole.map((tokens): LengthLaw => ({ law: 'fixed', tokens })),
      fc.tuple(whole, whole).map(([a, b]): LengthLaw => ({ law: 'uniform', min: Math.min(a, b), max: Math.max(a, b) })),
      fc
        .tuple(fc.constantFrom('normal' as const, 'lognormal' as const), whole, whole, fc.option(whole))
        .map(([law, mean, deviation, max]): LengthLaw => ({ law, mean, deviation, min: max === null ? null : 1, max })),
    );
    fc.assert(
      fc.property(laws, (law) => {
        expect(lengthLaw(lengthText(law))).toEqual(law);
      }),
      { seed: 20_260_740, numRuns: 200 },
    );
  });
});

describe('arrivals and rates', () => {
  it('processes are read by name, with their figure', () => {
    expect(readArrival('uniform')).toEqual({ process: 'uniform' });
    expect(readArrival('gamma(0.5)')).toEqual({ process: 'gamma', shape: 0.5 });
    expect(readArrival('trace')).toEqual({ process: 'trace', file: null });
    expect(readArrival('trace:azure:a b.csv')).toEqual({ process: 'trace', file: 'azure:a b.csv' });
  });

  it('shapes become stages on paper', () => {
    const hold = (rate: number, forMs: number) => ({ fromPerSec: rate, toPerSec: rate, forMs, curve: 'linear' });
    expect(readRamp('30s')).toEqual({ riseMs: 30_000 });
    expect(readRamp('linear(0,20,1m)')).toEqual({
      shape: { kind: 'stages', stages: [{ fromPerSec: 0, toPerSec: 20, forMs: 60_000, curve: 'linear' }] },
    });
    expect(readRamp('steps(5, 0, 20, 30s)')).toEqual({
      shape: { kind: 'stages', stages: [hold(5, 30_000), hold(0, 30_000), hold(20, 30_000)] },
    });
    expect(readRamp('spike(5,50,30s,500ms)')).toEqual({
      shape: { kind: 'stages', stages: [hold(5, 30_000), hold(50, 500), hold(5, 30_000)] },
    });
    expect(readRamp('sine(10,10,60s)')).toEqual({
      shape: { kind: 'sine', meanPerSec: 10, swingPerSec: 10, periodMs: 60_000 },
    });
  });

  it.each(['gamma(0)', 'gamma()', 'gamma', 'burst', 'trace:', 'gamma(1e9)'])('"%s" is told as no process', (text) => {
    expect(() => readArrival(text)).toThrow(UserError);
  });

  // A shape that ends at rate 0 would never end the run.
  it.each([
    'linear(1,0,5s)',
    'steps(5,0,5s)',
    'exponential(0,5,5s)',
    'sine(5,6,5s)',
    'spike(5,50,5s)',
    'linear(1,2)',
    'steps(5s)',
    'wave(1)',
    '0s',
  ])('"%s" is told as no shape', (text) => {
    expect(() => readRamp(text)).toThrow(UserError);
  });

  it('sides of a grid are read', () => {
    expect(readGridSide('input=100, 500')).toEqual({ side: 'input', lengths: [100, 500] });
    for (const bad of ['input=', 'inputs=1', 'output=0', 'input=1,,2'])
      expect(() => readGridSide(bad)).toThrow(UserError);
  });
});
