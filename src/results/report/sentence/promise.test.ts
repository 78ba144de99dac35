import { describe, expect, test } from 'vitest';
import { promiseWords } from './promise.ts';
import { shareFigure, shortFigure, timeFigure } from './short-figure.ts';

describe('a figure has three digits, or all that stand before the point', () => {
  test.each([
    [0, '0'],
    [86.55, '86.5'],
    [99.97, '100'],
    [9.996, '10.0'],
    [925.4, '925'],
    [1112.2, '1,112'],
    [1_234_567, '1,234,567'],
    [0.01234, '0.0123'],
    [-33.31, '-33.3'],
    [null, '–'],
    [NaN, '–'],
  ])('%s → %s', (value, text) => {
    expect(shortFigure(value)).toBe(text);
  });
  test('times change to seconds at ten of them, and what is not none is never 0 %', () => {
    expect([timeFigure(30.24), timeFigure(9999), timeFigure(23_000)]).toEqual(['30.2 ms', '9,999 ms', '23.0 s']);
    expect([shareFigure(0), shareFigure(0.00002), shareFigure(0.6123)]).toEqual(['0 %', '0.002 %', '61.2 %']);
  });
});

describe('a promise in words', () => {
  const line = (promise: string, measured: number | null, kept: boolean | null): string =>
    promiseWords({ promise, measured, kept }).line.en;
  test('says what was measured, how it stands to the limit, and kept or BROKEN', () => {
    expect(line('ttft.p99<30ms', 33.6, false)).toBe('ttft.p99 33.6 ms > 30 ms: BROKEN');
    expect(line('tpot.p90 <= 0.05s', 14.9, true)).toBe('tpot.p90 0.0149 s < 0.05 s: kept');
    expect(line('failed<0.1%', 0, true)).toBe('failed 0 % < 0.1 %: kept');
    expect(line('outputTokensPerSec>=1000', 912.4, false)).toBe('outputTokensPerSec 912/s < 1000/s: BROKEN');
    expect(line('ttft.p99<2s', null, null)).toBe('ttft.p99 – < 2 s: not known');
  });
  test('figures that differ from the limit only far behind the point are not told as equal to it', () => {
    expect(line('ttft.p99<30ms', 30.004, false)).toBe('ttft.p99 30.004 ms > 30 ms: BROKEN');
    expect(line('ttft.p99<30ms', 30, false)).toBe('ttft.p99 30.0 ms = 30 ms: BROKEN');
  });
  test('without a statistic it is the promise of every request, and says so in both languages', () => {
    const { promised, line: told } = promiseWords({ promise: 'ttft<2s', measured: 2310, kept: false });
    expect(promised).toEqual({ en: 'ttft < 2s (every request)', zh: 'ttft < 2s（每个请求）' });
    expect(told.en).toBe('ttft of every request, slowest 2.31 s > 2 s: BROKEN');
    expect(told.zh).toBe('每个请求的 ttft，最慢 2.31 s > 2 s：未达标');
  });
});
