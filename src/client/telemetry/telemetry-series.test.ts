import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { telemetrySeries } from './telemetry-series.ts';

const card = { vendor: 'nvidia', index: 0, powerW: 500, memoryUsedBytes: 64 * 1024 ** 3, utilizationRatio: 0.98 };
const lines = [
  { kind: 'start', atMs: -100, intervalMs: 1000 },
  { kind: 'server', atMs: 0, running: 4, waiting: 0, kvUsageRatio: 0.25, preemptionsTotal: 7 },
  { kind: 'devices', atMs: 10, tool: 'nvidia-smi', devices: [{ ...card, temperatureC: null }] },
  { kind: 'missing', atMs: 500, what: 'devices', who: 'nvidia-smi', why: { en: 'gone', zh: '消失' } },
  { kind: 'server', atMs: 1000, running: 8, waiting: 3, kvUsageRatio: 1, preemptionsTotal: 9 },
  { kind: 'host', atMs: 1000, nodes: [{ node: 0, cpuRatio: 0.5 }], memoryAvailableBytes: 1 },
];

describe('telemetry as series', () => {
  test('server metrics, cards and host become panels with units; what never had a value has none', () => {
    const all = telemetrySeries(lines);
    const of = (title: string) => all.find((one) => one.title.en === title)?.series.map(({ points }) => points);
    expect(of('Requests at the server')).toEqual([
      [
        { atMs: 0, value: 4 },
        { atMs: 1000, value: 8 },
      ],
      [
        { atMs: 0, value: 0 },
        { atMs: 1000, value: 3 },
      ],
    ]);
    expect(of('KV cache in use (%)')).toEqual([
      [
        { atMs: 0, value: 25 },
        { atMs: 1000, value: 100 },
      ],
    ]);
    expect(of('Preemptions since the start')).toEqual([
      [
        { atMs: 0, value: 0 },
        { atMs: 1000, value: 2 },
      ],
    ]);
    expect(of('Power (W)')).toEqual([[{ atMs: 10, value: 500 }]]);
    expect(of('Memory in use (GiB)')).toEqual([[{ atMs: 10, value: 64 }]]);
    expect(of('Temperature (°C)')).toBeUndefined();
    expect(of('CPU of the host (%)')).toEqual([[{ atMs: 1000, value: 50 }]]);
  });
  test('a long run is thinned, its last hour not forgotten', () => {
    const long = Array.from({ length: 7200 }, (_, i) => ({ kind: 'server', atMs: i * 1000, running: i }));
    const points = telemetrySeries(long)[0]!.series[0]!.points;
    expect(points.length).toBeLessThanOrEqual(240);
    expect(points.at(-1)!.value).toBeGreaterThan(7100);
  });
  test('lines of anybody never throw, and no value is one that was not there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom('kind', 'atMs', 'devices', 'running'), fc.jsonValue())),
        (any) => {
          const known = new Set(any.map((line) => line['running']));
          for (const { about, series } of telemetrySeries(any))
            if (about === 'requests')
              for (const { value } of series.flatMap(({ points }) => points))
                expect(value === null || known.has(value)).toBe(true);
        },
      ),
    );
  });
});
